/** All dynamic tables: state, lag, schedule; the selection in the address filters them. */

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { IconGitFork } from "@tabler/icons-react";

import { selectedTablesQuery, type DynamicTable } from "../../api/queries";
import { tableName } from "../../format/names";
import { DataTable, type Column } from "../../parts/data-table";
import { TABLE_COLUMNS } from "../../parts/dynamic-table-columns";
import { EmptyState } from "../../parts/empty-state";
import { ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { SELECTION_HELP, SelectionInput } from "./selection-input";

const route = getRouteApi("/dynamic-tables");

const COLUMNS: Column<DynamicTable>[] = [
  TABLE_COLUMNS.name,
  TABLE_COLUMNS.state,
  TABLE_COLUMNS.lag,
  TABLE_COLUMNS.interval,
  TABLE_COLUMNS.lastRefresh,
  TABLE_COLUMNS.mode,
  TABLE_COLUMNS.took,
  TABLE_COLUMNS.nextRefresh,
  TABLE_COLUMNS.rows,
  TABLE_COLUMNS.size,
  TABLE_COLUMNS.cluster,
  TABLE_COLUMNS.owner,
];

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
        sortedBy={{ column: TABLE_COLUMNS.name.name, descending: false }}
        onSelect={open}
      />
    </section>
  );
}
