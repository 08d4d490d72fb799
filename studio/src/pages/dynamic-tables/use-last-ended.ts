/** The newest refresh of a table that has ended: of one that runs, mode, reason and duration are not known yet. */

import { useInfiniteQuery } from "@tanstack/react-query";

import { historyQuery, type DynamicTable, type Refresh } from "../../api/queries";
import type { TableName } from "../../format/names";
import { lastEnded } from "./last-ended";

/** The refreshes that the charts show. */
export function chartedQuery(table: TableName) {
  return historyQuery({ table, limit: 400 });
}

export function useLastEnded(name: TableName, table: DynamicTable): Refresh | null {
  const charted = useInfiniteQuery(chartedQuery(name)).data?.pages[0]?.items ?? [];
  return lastEnded(table.last_refresh, charted);
}
