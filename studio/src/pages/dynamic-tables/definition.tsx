/** The query, its columns, what it reads and who reads it. */

import { useQuery } from "@tanstack/react-query";

import { objectQuery, type DynamicTable } from "../../api/queries";
import type { TableName } from "../../format/names";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { SqlText } from "../../parts/sql-text";
import { Loaded } from "../../parts/loaded";
import { Neighbours } from "../../parts/neighbours";

type TableColumn = DynamicTable["columns"][number];

const COLUMNS: Column<TableColumn>[] = [
  { name: "Column", cell: (column) => <span className="mono">{column.name}</span> },
  { name: "Type", cell: (column) => <span className="mono quiet">{column.type}</span> },
];

export function Definition({ name, table }: { name: TableName; table: DynamicTable }) {
  const object = useQuery(objectQuery(name));
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
        <Loaded query={object} what="neighbours">
          {({ fed_by, read_by }) => (
            <>
              <Card title="Made from">
                <Neighbours neighbours={fed_by} none="It reads no table." />
              </Card>
              <Card title="Read by">
                <Neighbours neighbours={read_by} none="Nothing reads it." />
              </Card>
            </>
          )}
        </Loaded>
      </div>
    </div>
  );
}
