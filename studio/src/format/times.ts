/** Moments: in the lake's time zone, and in the viewer's. */

import { age } from "./durations";

const PARTS: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
};
const DAY_MILLISECONDS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", { ...PARTS, timeZone: zone });
  formats.set(zone, made);
  return made;
}

export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `2026-01-31 10:00:00`. */
export function dateTime(moment: string | Date, zone: string): string {
  const found = new Map(
    formatIn(zone)
      .formatToParts(new Date(moment))
      .map((part) => [part.type, part.value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => found.get(type) ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}:${part("second")}`;
}

/** `2026-01-31`. */
export function day(moment: string | Date, zone: string): string {
  return dateTime(moment, zone).slice(0, 10);
}

/** The date so many days after another one: `2026-02-01` is a day after `2026-01-31`. */
export function daysLater(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** A whole minute, so that the same request serves for a while. */
export function minutesBefore(now: Date, minutes: number): string {
  return new Date(Math.floor(now.getTime() / 60_000 - minutes) * 60_000).toISOString();
}

/** The time alone if it is today, else with the date. */
export function shortTime(moment: string | Date, zone: string, now: Date): string {
  const text = dateTime(moment, zone);
  return text.slice(0, 10) === day(now, zone) ? text.slice(11) : text.slice(5, 16);
}

/** `5 min ago`, `in 10 s`. */
export function relative(moment: string | Date, now: Date): string {
  const seconds = (now.getTime() - new Date(moment).getTime()) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  const whole = Math.floor(Math.abs(seconds));
  const size = whole < 60 ? whole : whole < 3600 ? whole - (whole % 60) : whole - (whole % 3600);
  return seconds > 0 ? `${age(size)} ago` : `in ${age(size)}`;
}

/** Of what is planned: `in 10 s`; `due` from its time on, until it begins. */
export function upcoming(moment: string | Date, now: Date): string {
  return new Date(moment).getTime() <= now.getTime() ? "due" : relative(moment, now);
}

export function secondsBetween(
  start: string | null | undefined,
  end: string | null | undefined,
): number | null {
  if (start == null || end == null) return null;
  return (new Date(end).getTime() - new Date(start).getTime()) / 1000;
}
