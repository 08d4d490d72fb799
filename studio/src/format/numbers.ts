/** Counts, bytes and shares. */

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

export function count(value: number | null | undefined): string {
  return value == null ? "–" : value.toLocaleString("en-US");
}

/** Three digits at most: `1.2 M`. */
export function shortCount(value: number | null | undefined): string {
  if (value == null) return "–";
  for (const [size, unit] of [
    [1e9, "B"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    if (Math.abs(value) >= size) return `${threeDigits(value / (unit === "k" ? 1e3 : size))} ${unit}`;
  }
  return value.toLocaleString("en-US");
}

export function bytes(value: number | null | undefined): string {
  if (value == null) return "–";
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return unit === 0 ? `${value} B` : `${threeDigits(rest)} ${UNITS[unit] ?? ""}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`;
}

function threeDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
