/** After which tasks a task runs. */

import { quoteIdentifier } from "../../format/names";

export function dependenciesStatement(task: string, after: readonly string[]): string {
  const change = after.length === 0 ? "UNSET AFTER" : `SET AFTER ${after.map(quoteIdentifier).join(", ")}`;
  return `ALTER TASK ${quoteIdentifier(task)} ${change}`;
}
