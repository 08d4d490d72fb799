import type { Schemas } from "../../api/client";

export const KINDS: Record<Schemas["AlertKind"], string> = {
  refresh_failed: "a refresh failed",
  task_failed: "a task failed",
  pipe_failed: "a pipe failed",
  timeout: "a task timed out",
  lag: "a table is late",
  suspended: "a schedule was suspended",
};
