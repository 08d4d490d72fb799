/** Which jobs Job History shows: the texts of the address as the server accepts them. */

import type { JobFilter, JobState } from "../../api/queries";
import { minutesBefore } from "../../format/times";

export interface ShownFilter {
  id?: string;
  state?: string;
  kind?: string;
  cluster?: string;
  user?: string;
  table?: string;
  tag?: string;
  /** Seconds. */
  longer?: string;
  /** Minutes before now. */
  since?: string;
}

export function jobFilter(shown: ShownFilter, now: Date): JobFilter {
  const given: JobFilter = {
    id: shown.id,
    state: shown.state as JobState | undefined,
    kind: shown.kind as JobFilter["kind"],
    cluster: shown.cluster,
    creator: shown.user,
    table: shown.table,
    query_tag: shown.tag,
    min_seconds: shown.longer === undefined ? undefined : Number(shown.longer),
    since: shown.since === undefined ? undefined : minutesBefore(now, Number(shown.since)),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Scheduled refreshes have no user. */
export function userText({ creator }: { creator: string }): string {
  return creator === "SYSTEM_SCHEDULED" ? "schedule" : creator === "MANUAL" ? "manual" : creator;
}
