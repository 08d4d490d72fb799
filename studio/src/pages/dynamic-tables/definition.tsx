/** The query, its columns, what it reads and who reads it. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { lineageQuery, type DynamicTable } from "../../api/queries";
import { shownName, type TableName } from "../../format/names";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { SqlText } from "../../parts/sql-text";
import { TableLink } from "../../parts/table-link";

type TableColumn = DynamicTable["columns"][number];

const COLUMNS: Column<TableColumn>[] = [
  { name: "Column", cell: (column) => <span className="mono">{column.name}</span> },
  { name: "Type", cell: (column) => <span className="mono quiet">{column.type}</span> },
];

export function Definition({ name, table }: { name: TableName; table: DynamicTable }) {
  const lineage = useQuery(lineageQuery).data;
  const dynamic = useMemo(
    () => new Set(lineage?.nodes.filter((node) => node.kind === "dynamic table").map((node) => node.name)),
    [lineage],
  );
  const own = shownName(name);
  const readers = lineage?.edges.filter((edge) => edge.from === own).map((edge) => edge.to) ?? [];
  return (
    <div className="columns-main">
      <Card title="Query">
        <SqlText text={table.query} />
      </Card>
      <div className="stack">
        <Card title="Columns" flush>
          <DataTable
            label="Columns"
            rows={table.columns}
            columns={COLUMNS}
            rowKey={(column) => column.name}
          />
        </Card>
        <Card title="Reads">
          <Names names={table.sources} dynamic={dynamic} none="It reads no table." />
        </Card>
        <Card title="Read by">
          <Names names={readers} dynamic={dynamic} none="No dynamic table reads it." />
        </Card>
      </div>
    </div>
  );
}

function Names({ names, dynamic, none }: { names: string[]; dynamic: Set<string>; none: string }) {
  if (names.length === 0) return <span className="quiet">{none}</span>;
  return (
    <div className="stack" style={{ gap: 4 }}>
      {names.map((name) => (
        <TableLink key={name} name={name} isDynamic={dynamic.has(name)} short={false} />
      ))}
    </div>
  );
}
