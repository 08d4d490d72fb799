/** Values of results as text. */

import { isoSeconds } from "./durations";
import { dateTime } from "./times";

const DAY_SECONDS = 86_400;

/** As people read it: moments in the time zone of the lake, intervals as days and a time. */
export function shownText(value: unknown, type: string, zone: string): string {
  const text = plainText(value);
  if (type === "timestamp_ntz") return text.replace("T", " ");
  if (type.startsWith("timestamp")) return `${dateTime(text, zone)}${/\.\d+/.exec(text)?.[0] ?? ""}`;
  return type.startsWith("interval day") ? intervalText(text) : text;
}

/** `P1DT2H3M4.5S` is `1 02:03:04.5`. */
function intervalText(text: string): string {
  const seconds = isoSeconds(text);
  if (seconds === null) return text;
  const size = Math.abs(seconds);
  const whole = Math.floor(size % DAY_SECONDS);
  const clock = [whole / 3600, (whole / 60) % 60, whole % 60].map((part) =>
    String(Math.floor(part)).padStart(2, "0"),
  );
  const fraction = /\.\d+/.exec(text)?.[0] ?? "";
  return `${seconds < 0 ? "-" : ""}${Math.floor(size / DAY_SECONDS)} ${clock.join(":")}${fraction}`;
}

/** An absent value is no text. */
export function plainText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    default:
      return value === null || value === undefined ? "" : JSON.stringify(value);
  }
}

/** Decimals arrive as text. NULL comes last. */
export function compareCells(left: unknown, right: unknown): number {
  if (left == null || right == null) return left == null ? (right == null ? 0 : 1) : -1;
  const numbers = [Number(left), Number(right)] as const;
  if (!Number.isNaN(numbers[0]) && !Number.isNaN(numbers[1])) return numbers[0] - numbers[1];
  return plainText(left).localeCompare(plainText(right), "en");
}
