/** Table streams: their offsets, and the changes that are not consumed yet. */

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import type { Schemas } from "../../api/client";
import { streamsQuery } from "../../api/queries";
import { rowsQuery } from "../../api/rows-query";
import { counted } from "../../format/durations";
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

type Stream = Schemas["StreamView"];

const route = getRouteApi("/streams");
const PENDING = 200;
const FIRST_STREAM = `CREATE TABLE STREAM orders_changes ON TABLE orders
WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');`;

export function StreamsPage() {
  const streams = useQuery(streamsQuery);
  const { stream: shown } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  return (
    <div className="page">
      <PageHeader title="Streams" />
      <Loaded query={streams} what="streams">
        {(rows) => {
          const chosen = rows.find((row) => row.id === shown);
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
                  columns={columns((row) => void navigate({ search: { stream: row.id } }))}
                  rowKey={(row) => row.id}
                  selected={shown ?? null}
                />
              </section>
              {chosen !== undefined && <Pending stream={chosen} />}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

function columns(show: (stream: Stream) => void): Column<Stream>[] {
  return [
    { name: "Name", cell: (row) => <strong>{row.name}</strong>, value: (row) => row.name },
    {
      name: "Table",
      cell: (row) => <TableLink name={row.table} isDynamic={false} short={false} />,
      value: (row) => row.table,
    },
    {
      name: "Mode",
      cell: (row) => row.mode.toLowerCase().replace("_", " "),
      value: (row) => row.mode,
      width: "tight",
    },
    {
      name: "State",
      cell: (row) => (
        <StateText
          shown={
            row.state === "stale"
              ? { tone: "bad", icon: "cross", label: row.state }
              : { tone: "good", icon: "check", label: row.state }
          }
        />
      ),
      width: "tight",
    },
    { name: "Not consumed", cell: pendingText },
    {
      name: "Oldest",
      cell: (row) => <TimeText moment={row.oldest_pending_time} form="ago" />,
      width: "tight",
    },
    {
      name: "Offset",
      cell: (row) => <span className="mono">{row.offset_version ?? "none"}</span>,
      width: "tight",
    },
    { name: "Owner", cell: (row) => row.creator, width: "tight" },
    {
      name: "Pending rows",
      cell: (row) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Show pending rows of ${row.name}`}
          onClick={() => show(row)}
        >
          Show
        </Button>
      ),
      width: "tight",
    },
  ];
}

function pendingText(stream: Stream): string {
  if (stream.initial_rows_pending) return "all rows of the table";
  if (stream.pending_versions === null) return "not known";
  if (stream.pending_versions === 0) return "nothing";
  const rows = `+${count(stream.pending_rows_added)} −${count(stream.pending_rows_deleted)} rows`;
  return `${rows} in ${counted(stream.pending_versions, "version")}`;
}

/** Reading a stream does not move its offset. */
function Pending({ stream }: { stream: Stream }) {
  const name = sqlName({ workspace: stream.workspace, schema: stream.schema, table: stream.name });
  const rows = useQuery(rowsQuery("object", `SELECT * FROM ${name} LIMIT ${PENDING}`, PENDING));
  return (
    <Loaded query={rows} what="pending rows; this may start a cluster">
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
