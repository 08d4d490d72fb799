/** What refreshes have cost: of each dynamic table, whatever the days in which they ran. */

import type { CostRow } from "../../api/queries";

export interface TableCost {
  /** With workspace and schema. */
  table: string;
  clusterSeconds: number;
  refreshes: number;
  rowsRead: number;
  bytesRead: number;
}

/** The most expensive first. */
export function costsByTable(rows: CostRow[]): TableCost[] {
  const found = new Map<string, TableCost>();
  for (const row of rows) {
    const table = `${row.workspace_name}.${row.schema_name}.${row.name}`;
    const known = found.get(table) ?? { table, clusterSeconds: 0, refreshes: 0, rowsRead: 0, bytesRead: 0 };
    found.set(table, {
      table,
      clusterSeconds: known.clusterSeconds + row.cluster_seconds,
      refreshes: known.refreshes + row.refreshes,
      rowsRead: known.rowsRead + row.rows_read,
      bytesRead: known.bytesRead + row.bytes_read,
    });
  }
  return [...found.values()].sort((left, right) => right.clusterSeconds - left.clusterSeconds);
}
