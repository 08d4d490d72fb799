const DAY_MILLISECONDS = 86_400_000;

/** How many dates there are from the first to the last, so many days apart. */
export function dates(first: string, last: string, step: number): number {
  const span = (Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MILLISECONDS;
  return Number.isNaN(span) || span < 0 ? 0 : Math.floor(span / step) + 1;
}
