/** States in words and tones; a tone never stands alone. */

import type { JobState, RefreshState, RunState, TableState } from "../api/queries";
import type { Schemas } from "../api/client";

export type Tone = "good" | "warn" | "bad" | "info" | "quiet";
export type StateIcon = "check" | "alert" | "cross" | "running" | "pause" | "clock" | "dash";

export interface Shown {
  tone: Tone;
  icon: StateIcon;
  label: string;
}

export const TABLE_STATES: Record<TableState, Shown> = {
  active: { tone: "good", icon: "check", label: "active" },
  failing: { tone: "bad", icon: "cross", label: "failing" },
  suspended: { tone: "quiet", icon: "pause", label: "suspended" },
  "waiting for a source": { tone: "warn", icon: "alert", label: "waiting for a source" },
  "waiting for data": { tone: "info", icon: "clock", label: "waiting for data" },
  "never refreshed": { tone: "warn", icon: "clock", label: "never refreshed" },
  unreadable: { tone: "bad", icon: "cross", label: "unreadable" },
};

type EveryState = JobState | RefreshState | RunState | Schemas["VclusterState"] | Schemas["TaskState"];

export const STATES: Record<EveryState, Shown> = {
  SETUP: { tone: "info", icon: "clock", label: "setting up" },
  RESUMING_CLUSTER: { tone: "info", icon: "running", label: "starting the cluster" },
  QUEUED: { tone: "info", icon: "clock", label: "queued" },
  WAITING: { tone: "info", icon: "clock", label: "waiting" },
  RUNNING: { tone: "info", icon: "running", label: "running" },
  SUCCEED: { tone: "good", icon: "check", label: "succeeded" },
  FAILED: { tone: "bad", icon: "cross", label: "failed" },
  TIMEOUT: { tone: "bad", icon: "clock", label: "timed out" },
  CANCELLED: { tone: "quiet", icon: "dash", label: "cancelled" },
  SKIPPED: { tone: "quiet", icon: "dash", label: "skipped" },
  SUSPENDED: { tone: "quiet", icon: "pause", label: "suspended" },
  RESUMING: { tone: "info", icon: "running", label: "starting" },
  SUSPENDING: { tone: "info", icon: "running", label: "suspending" },
  DRAFT: { tone: "quiet", icon: "dash", label: "draft" },
  DEPLOYED: { tone: "good", icon: "check", label: "deployed" },
  PAUSED: { tone: "warn", icon: "pause", label: "paused" },
  OFFLINE: { tone: "quiet", icon: "pause", label: "offline" },
};

/** A cluster that runs is ready; a job that runs is busy. */
export function clusterState(state: Schemas["VclusterState"]): Shown {
  return state === "RUNNING" ? { tone: "good", icon: "check", label: "running" } : STATES[state];
}

/** Of what the graph shows: a dynamic table, a task, or a table that is missing. */
export function shownState(state: string): Shown {
  if (state in TABLE_STATES) return TABLE_STATES[state as TableState];
  if (state.toUpperCase() in STATES) return STATES[state.toUpperCase() as EveryState];
  return {
    tone: state === "missing" ? "bad" : "quiet",
    icon: state === "missing" ? "cross" : "dash",
    label: state,
  };
}
