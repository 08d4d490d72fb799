/** Table streams: their offsets, and the rows that are not consumed yet. */

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { rowsQuery } from "../../api/rows-query";
import type { StatementResult } from "../../api/statements";
import { plainText } from "../../format/cells";
import { count } from "../../format/numbers";
import { sqlName } from "../../format/names";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { Rows } from "../../parts/rows";
import { StateText } from "../../parts/state-text";
import { TableLink } from "../../parts/table-link";
import { TimeText } from "../../parts/time-text";

const PENDING = 200;
const FIRST_STREAM = `CREATE TABLE STREAM orders_changes ON TABLE orders
WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');`;

interface Stream {
  schema: string;
  name: string;
  table: string;
  mode: string;
  state: string;
  reason: string | null;
  offset: string | null;
  creator: string;
  created: string;
}

export function StreamsPage() {
  const streams = useQuery(rowsQuery("object", "SHOW TABLE STREAMS"));
  const [shown, setShown] = useState<Stream | null>(null);
  return (
    <div className="page">
      <PageHeader title="Streams" />
      <Loaded query={streams} what="streams; this may start a cluster">
        {(result) => {
          const rows = streamsOf(result);
          return rows.length === 0 ? (
            <section className="card">
              <EmptyState
                title="There are no table streams yet"
                text="A stream returns the changes of a table since they were last consumed."
                sql={FIRST_STREAM}
              />
            </section>
          ) : (
            <div className="stack">
              <section className="card scroll" tabIndex={0} aria-label="Streams">
                <DataTable
                  label="Streams"
                  rows={rows}
                  columns={columns(setShown)}
                  rowKey={(row) => `${row.schema}.${row.name}`}
                />
              </section>
              {shown !== null && <Pending stream={shown} />}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

function streamsOf({ columns, rows }: StatementResult): Stream[] {
  const index = new Map(columns.map((column, place) => [column.name, place]));
  return rows.map((row) => {
    const text = (name: string): string | null => {
      const value = row[index.get(name) ?? -1];
      return value === null || value === undefined ? null : plainText(value);
    };
    return {
      schema: text("schema_name") ?? "",
      name: text("name") ?? "",
      table: text("table_name") ?? "",
      mode: text("mode") ?? "",
      state: text("state") ?? "",
      reason: text("stale_reason"),
      offset: text("offset_version"),
      creator: text("creator") ?? "",
      created: text("created_time") ?? "",
    };
  });
}

function columns(show: (stream: Stream) => void): Column<Stream>[] {
  return [
    { name: "Name", cell: (row) => <strong>{row.name}</strong>, value: (row) => row.name },
    { name: "Schema", cell: (row) => row.schema, value: (row) => row.schema, width: "tight" },
    {
      name: "Table",
      cell: (row) => <TableLink name={row.table} isDynamic={false} short={false} />,
      value: (row) => row.table,
    },
    { name: "Mode", cell: (row) => row.mode, value: (row) => row.mode, width: "tight" },
    {
      name: "State",
      cell: (row) => (
        <StateText
          shown={
            row.reason === null
              ? { tone: "good", icon: "check", label: row.state }
              : { tone: "bad", icon: "cross", label: `${row.state}: ${row.reason}` }
          }
        />
      ),
    },
    { name: "Offset", cell: (row) => <span className="mono">{row.offset ?? "none"}</span>, width: "tight" },
    { name: "Created", cell: (row) => <TimeText moment={row.created} />, width: "tight" },
    { name: "Owner", cell: (row) => row.creator, width: "tight" },
    {
      name: "Pending rows",
      cell: (row) => (
        <Button size="compact-xs" variant="default" onClick={() => show(row)}>
          Show
        </Button>
      ),
      width: "tight",
    },
  ];
}

/** Reading a stream does not move its offset. */
function Pending({ stream }: { stream: Stream }) {
  const name = sqlName({ workspace: "lake", schema: stream.schema, table: stream.name });
  const rows = useQuery(rowsQuery("object", `SELECT * FROM ${name} LIMIT ${PENDING}`, PENDING));
  return (
    <Loaded query={rows} what="pending rows">
      {(result) => (
        <Card
          title={`${stream.name}: ${result.rows.length < PENDING ? count(result.rows.length) : `more than ${PENDING}`} pending rows`}
          flush
        >
          <Rows label="Pending rows" columns={result.columns} rows={result.rows} />
        </Card>
      )}
    </Loaded>
  );
}
