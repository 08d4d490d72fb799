/** What a job does, in one line. */

import type { Job } from "../api/queries";
import { tableName, type TableName } from "../format/names";

/** The dynamic table that a job refreshes, by its statement. */
export function refreshedTable({ statement }: Pick<Job, "statement">): TableName | null {
  const found = /^\s*REFRESH\s+DYNAMIC\s+TABLE\s+((?:`(?:[^`]|``)+`|[^\s;`])+)/i.exec(statement ?? "");
  return found?.[1] === undefined ? null : tableName(found[1]);
}

/** Of a refresh, the beginning of the statement would only be the workspace and the schema. */
export function jobTitle(job: Pick<Job, "kind" | "statement">): string {
  const table = job.kind === "REFRESH" ? refreshedTable(job) : null;
  if (table !== null) return `Refresh of ${table.table}`;
  if (job.statement === null) return `A ${job.kind.toLowerCase()} of another user`;
  return job.statement.replaceAll(/\s+/g, " ").trim();
}
