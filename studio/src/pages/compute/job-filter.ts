/** Which jobs Job History shows. */

import type { Job } from "../../api/queries";
import { isoSeconds } from "../../format/durations";

export interface JobFilter {
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

export function isShown(job: Job, filter: JobFilter, now: Date): boolean {
  return (
    contains(job.job_id, filter.id) &&
    equals(job.state, filter.state) &&
    equals(job.kind, filter.kind) &&
    equals(job.virtual_cluster, filter.cluster) &&
    contains(job.creator, filter.user) &&
    contains(job.statement, filter.table) &&
    contains(job.query_tag, filter.tag) &&
    isLonger(job, filter.longer) &&
    isSince(job, filter.since, now)
  );
}

function contains(text: string | null, part: string | undefined): boolean {
  return part === undefined || (text ?? "").toLowerCase().includes(part.toLowerCase());
}

function equals(text: string, wanted: string | undefined): boolean {
  return wanted === undefined || text.toLowerCase() === wanted.toLowerCase();
}

function isLonger(job: Job, seconds: string | undefined): boolean {
  return seconds === undefined || (isoSeconds(job.duration) ?? 0) >= Number(seconds);
}

function isSince(job: Job, minutes: string | undefined, now: Date): boolean {
  if (minutes === undefined) return true;
  return now.getTime() - new Date(job.submitted_time).getTime() <= Number(minutes) * 60_000;
}

/** Scheduled refreshes have no user. */
export function userText({ creator }: { creator: string }): string {
  return creator === "SYSTEM_SCHEDULED" ? "schedule" : creator === "MANUAL" ? "manual" : creator;
}
