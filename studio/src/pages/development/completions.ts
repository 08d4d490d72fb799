/** Tables and columns for completion. */

import type { SQLNamespace } from "@codemirror/lang-sql";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Schemas } from "../../api/client";
import { completionQuery } from "../../api/queries";

type Table = Schemas["CompletionTable"];

const NO_TABLES: Table[] = [];

export function useCompletions(): SQLNamespace {
  const tables = useQuery(completionQuery).data?.tables ?? NO_TABLES;
  return useMemo(() => namespace(tables), [tables]);
}

export function namespace(tables: Table[]): SQLNamespace {
  const schemas: Record<string, Record<string, { label: string; detail: string; type: string }[]>> = {};
  for (const { schema, name, columns } of tables) {
    (schemas[schema] ??= {})[name] = columns.map((column) => ({
      label: column.name,
      detail: column.type,
      type: "property",
    }));
  }
  return schemas;
}
