/** When a task runs, in words. */

import type { Task } from "../../api/queries";
import { interval, isoSeconds } from "../../format/durations";

export function scheduleText(task: Task): string {
  const seconds = isoSeconds(task.schedule_interval);
  if (seconds !== null) return `every ${interval(seconds)}`;
  if (task.cron !== null) return `cron ${task.cron}${task.time_zone === null ? "" : ` (${task.time_zone})`}`;
  return task.after.length > 0 ? "after other tasks" : "on demand";
}
