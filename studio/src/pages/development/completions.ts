/** Tables and columns for completion: all names, and the columns of tables that the script mentions. */

import type { SQLNamespace } from "@codemirror/lang-sql";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { objectQuery, objectsQuery, schemasQuery } from "../../api/queries";

const PAUSE_MILLISECONDS = 600;
const MOST_TABLES = 20;

export function useCompletions(content: string): SQLNamespace {
  const schemas = useQuery(schemasQuery).data ?? [];
  const objects = useQueries({
    queries: schemas.map(({ workspace, schema }) => objectsQuery(workspace, schema)),
  });
  const [text] = useDebouncedValue(content.toLowerCase(), PAUSE_MILLISECONDS);
  const names = schemas.flatMap(({ workspace, schema }, index) =>
    (objects[index]?.data ?? []).map((each) => ({ workspace, schema, table: each.name })),
  );
  const mentioned = names.filter((name) => text.includes(name.table.toLowerCase())).slice(0, MOST_TABLES);
  const details = useQueries({ queries: mentioned.map((name) => objectQuery(name)) });
  const columns = new Map(
    mentioned.map((name, index) => [
      `${name.schema}.${name.table}`,
      details[index]?.data?.columns.map((column) => column.name) ?? [],
    ]),
  );
  const described = JSON.stringify(
    names.map(({ schema, table }) => [schema, table, columns.get(`${schema}.${table}`) ?? []]),
  );
  return useMemo(() => namespace(JSON.parse(described) as [string, string, string[]][]), [described]);
}

function namespace(tables: [schema: string, table: string, columns: string[]][]): SQLNamespace {
  const schemas: Record<string, Record<string, string[]>> = {};
  for (const [schema, table, columns] of tables) (schemas[schema] ??= {})[table] = columns;
  return schemas;
}
