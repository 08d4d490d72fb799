/** All dynamic tables: state, lag, schedule; the selection in the address filters them. */

import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { IconGitFork } from "@tabler/icons-react";

import { selectedTablesQuery, type DynamicTable } from "../../api/queries";
import { age, duration, interval } from "../../format/durations";
import { bytes, count } from "../../format/numbers";
import { tableName } from "../../format/names";
import { secondsBetween } from "../../format/times";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { ModeText, StateText } from "../../parts/state-text";
import { TABLE_STATES } from "../../parts/states";
import { TableLink } from "../../parts/table-link";
import { TimeText } from "../../parts/time-text";
import { SELECTION_HELP, SelectionInput } from "./selection-input";

const route = getRouteApi("/dynamic-tables");

const COLUMNS: Column<DynamicTable>[] = [
  { name: "Name", cell: (row) => <NameCell name={row.name} />, value: (row) => row.name },
  {
    name: "State",
    cell: (row) => <StateText shown={TABLE_STATES[row.state]} />,
    value: (row) => row.state,
    width: "tight",
  },
  {
    name: "Lag",
    cell: (row) => age(row.lag_seconds),
    value: (row) => row.lag_seconds,
    align: "right",
    width: "tight",
  },
  {
    name: "Interval",
    cell: (row) => interval(row.interval_seconds),
    value: (row) => row.interval_seconds,
    width: "tight",
  },
  {
    name: "Last refresh",
    cell: (row) => <TimeText moment={row.last_refresh?.start_time} form="ago" />,
    value: (row) => row.last_refresh?.start_time,
    width: "tight",
  },
  {
    name: "Mode",
    cell: (row) => <ModeText mode={row.last_refresh?.mode} />,
    value: (row) => row.last_refresh?.mode,
    width: "tight",
  },
  {
    name: "Took",
    cell: (row) => duration(lastDuration(row)),
    value: lastDuration,
    align: "right",
    width: "tight",
  },
  {
    name: "Next refresh",
    cell: (row) => <TimeText moment={row.next_refresh} form="ago" />,
    value: (row) => row.next_refresh,
    width: "tight",
  },
  { name: "Rows", cell: (row) => count(row.rows), value: (row) => row.rows, align: "right", width: "tight" },
  {
    name: "Size",
    cell: (row) => bytes(row.bytes),
    value: (row) => row.bytes,
    align: "right",
    width: "tight",
  },
  { name: "Cluster", cell: (row) => row.cluster, value: (row) => row.cluster, width: "tight" },
  { name: "Owner", cell: (row) => row.creator, value: (row) => row.creator, width: "tight" },
];

function lastDuration(row: DynamicTable): number | null {
  return secondsBetween(row.last_refresh?.start_time, row.last_refresh?.end_time);
}

export function DynamicTablesPage() {
  const { select } = route.useSearch();
  const tables = useQuery(selectedTablesQuery(select));
  const navigate = useNavigate();
  const choose = (value: string): void =>
    void navigate({ to: "/dynamic-tables", search: value === "" ? {} : { select: value }, replace: true });
  return (
    <div className="page">
      <PageHeader title="Dynamic tables">
        <SelectionInput value={select ?? ""} onChange={choose} />
        <Button
          variant="default"
          leftSection={<IconGitFork size={14} />}
          onClick={() => void navigate({ to: "/lineage", search: select === undefined ? {} : { select } })}
        >
          As a graph
        </Button>
      </PageHeader>
      <Loaded query={tables} what="dynamic tables">
        {(rows) => (
          <>
            {tables.error !== null && <ErrorNotice error={tables.error} />}
            <TableList rows={rows} isFiltered={select !== undefined} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function TableList({ rows, isFiltered }: { rows: DynamicTable[]; isFiltered: boolean }) {
  const navigate = useNavigate();
  const open = (row: DynamicTable): void =>
    void navigate({ to: "/dynamic-tables/$workspace/$schema/$table", params: { ...tableName(row.name) } });
  if (rows.length === 0) {
    return (
      <section className="card">
        {isFiltered ? (
          <EmptyState title="No dynamic table is selected" text={SELECTION_HELP} />
        ) : (
          <EmptyState
            title="There are no dynamic tables yet"
            text="A dynamic table keeps the result of a query fresh."
            sql={"CREATE DYNAMIC TABLE name REFRESH INTERVAL 1 MINUTE\nAS SELECT ... FROM ...;"}
          />
        )}
      </section>
    );
  }
  return (
    <section className="card scroll" tabIndex={0} aria-label="Dynamic tables">
      <DataTable
        label="Dynamic tables"
        rows={rows}
        columns={COLUMNS}
        rowKey={(row) => row.name}
        sortedBy={{ column: "Name", descending: false }}
        onSelect={open}
      />
    </section>
  );
}

function NameCell({ name }: { name: string }) {
  const { workspace, schema } = tableName(name);
  return (
    <Group gap={6} wrap="nowrap">
      <TableLink name={name} />
      <span className="quiet" style={{ fontSize: "0.75rem" }}>
        {workspace}.{schema}
      </span>
    </Group>
  );
}
