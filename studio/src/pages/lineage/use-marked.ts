/** Which objects are marked in the graph: the one that is shown, and those through which its column is followed. */

import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";

import { columnLineageQuery } from "../../api/queries";
import { tableName } from "../../format/names";

const DIRECTIONS = ["upstream", "downstream"] as const;

export function useMarked(focus: string | undefined, column: string | undefined): ReadonlySet<string> {
  const followed = useQueries({
    queries:
      focus === undefined || column === undefined
        ? []
        : DIRECTIONS.map((direction) => columnLineageQuery(tableName(focus), column, direction)),
    combine: (found) => found.flatMap(({ data }) => data?.nodes.map((node) => node.table) ?? []),
  });
  return useMemo(() => new Set([...(focus === undefined ? [] : [focus]), ...followed]), [focus, followed]);
}
