import type { Schemas } from "../../api/client";

export const KINDS: Record<Schemas["AlertKind"], string> = {
  refresh_failed: "a refresh failed",
  task_failed: "a task failed",
  pipe_failed: "a pipe failed",
  sync_failed: "a sync failed or stopped a table",
  held_log: "a sync holds back the log of its database",
  timeout: "a task timed out",
  lag: "a table, pipe or sync is late",
  suspended: "a schedule was suspended",
};
