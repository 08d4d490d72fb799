/** What is reported of a task. */

import type { Task } from "../../api/queries";
import { quoteIdentifier } from "../../format/names";

export type TaskAlert = Task["alerts"][number];

export const ALERTS: { value: TaskAlert; label: string; noun: string }[] = [
  { value: "FAILURE", label: "A run has failed, after all retries", noun: "failures" },
  { value: "TIMEOUT", label: "A run has exceeded its timeout", noun: "timeouts" },
];

export function alertsText(alerts: readonly TaskAlert[]): string {
  const named = ALERTS.filter(({ value }) => alerts.includes(value)).map(({ noun }) => noun);
  return named.length === 0 ? "nothing" : named.join(" and ");
}

export function alertsStatement(task: string, alerts: readonly TaskAlert[]): string {
  const named = ALERTS.map(({ value }) => value).filter((value) => alerts.includes(value));
  const clause = named.length === 0 ? "ALERTS NONE" : `ALERTS (${named.join(", ")})`;
  return `ALTER TASK ${quoteIdentifier(task)} SET ${clause}`;
}
