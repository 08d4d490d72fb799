/** Durations: read from ISO 8601, shown in words. */

const ISO = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const DAY = 86_400;
const HOUR = 3600;
const MINUTE = 60;

/** Seconds of an ISO 8601 duration such as `PT1.5S`; null if it is none. */
export function isoSeconds(text: string | null | undefined): number | null {
  const found = text == null ? null : ISO.exec(text);
  if (found === null) return null;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0"] = found;
  const total = Number(days) * DAY + Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds);
  return sign === undefined ? total : -total;
}

/** How long something took: `12 ms`, `1.4 s`, `2 min 5 s`, `3 h 10 min`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return pair(whole, MINUTE, "min", 1, "s");
  if (whole < DAY) return pair(whole, HOUR, "h", MINUTE, "min");
  return pair(whole, DAY, "d", HOUR, "h");
}

/** How old something is, or how long it lasts still: no more digits than are of use. */
export function age(seconds: number | null | undefined): string {
  if (seconds == null) return "–";
  return seconds < 1 ? "0 s" : duration(seconds < 10 ? Math.round(seconds) : seconds).replace(".0 s", " s");
}

/** An interval as in `REFRESH INTERVAL`: `30 seconds`, `1 minute`, `2 hours`. */
export function interval(seconds: number | null | undefined): string {
  if (seconds == null) return "on demand";
  for (const [size, unit] of [
    [DAY, "day"],
    [HOUR, "hour"],
    [MINUTE, "minute"],
  ] as const) {
    if (seconds % size === 0) return counted(seconds / size, unit);
  }
  return counted(seconds, "second");
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

function pair(whole: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((whole % large) / small);
  const first = `${Math.floor(whole / large)} ${largeUnit}`;
  return rest === 0 ? first : `${first} ${rest} ${smallUnit}`;
}
