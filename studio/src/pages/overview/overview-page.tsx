/** The first screen: is my data fresh, what runs, what failed, what did the last day cost? */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconDatabase } from "@tabler/icons-react";

import {
  clustersQuery,
  dynamicTablesQuery,
  healthQuery,
  historyQuery,
  type DynamicTable,
  type Refresh,
} from "../../api/queries";
import { age, counted, duration } from "../../format/durations";
import { count } from "../../format/numbers";
import { secondsBetween } from "../../format/times";
import { Card, Facts } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { TABLE_COLUMNS } from "../../parts/dynamic-table-columns";
import { EmptyState } from "../../parts/empty-state";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { ModeText, StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { TableLink } from "../../parts/table-link";
import { TimeText } from "../../parts/time-text";
import { CostCard } from "./cost-card";
import { freshness, grouped, largestLag, verdict } from "./freshness";
import { JobsCard } from "./jobs-card";

const FIRST_TABLE = `CREATE DYNAMIC TABLE sales_by_category
REFRESH INTERVAL 1 MINUTE
AS SELECT category, sum(amount) AS sales FROM orders GROUP BY category;`;

const DAY_MINUTES = 1440;

export function OverviewPage() {
  const tables = useQuery(dynamicTablesQuery);
  return (
    <div className="page">
      <PageHeader title="Overview" />
      <Loaded query={tables} what="dynamic tables">
        {(found) => (
          <div className="stack">
            <VerdictCard tables={found} />
            {found.length === 0 ? <NoTables /> : <Lake tables={found} />}
          </div>
        )}
      </Loaded>
    </div>
  );
}

function VerdictCard({ tables }: { tables: DynamicTable[] }) {
  const { tone, title, text } = verdict(tables);
  const Icon = {
    good: IconCircleCheck,
    warn: IconAlertTriangle,
    bad: IconCircleX,
    info: IconDatabase,
    quiet: IconDatabase,
  }[tone];
  return (
    <section className={`card verdict state-${tone}`} aria-label="Is my data fresh?">
      <Icon size={34} stroke={1.6} aria-hidden style={{ flex: "none" }} />
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
    </section>
  );
}

function NoTables() {
  return (
    <section className="card">
      <EmptyState
        title="Create a dynamic table"
        text="A dynamic table keeps the result of a query: its refreshes compute only what has changed."
        sql={FIRST_TABLE}
      />
    </section>
  );
}

function Lake({ tables }: { tables: DynamicTable[] }) {
  return (
    <>
      <Figures tables={tables} />
      <div className="columns-main">
        <div className="stack">
          <Attention tables={tables} />
          <RecentRefreshes />
        </div>
        <div className="stack">
          <ServerCard />
          <JobsCard title="Running now" filter={{ state: "RUNNING" }} none="Nothing is running." />
          <JobsCard
            title="Failed in the last 24 hours"
            filter={{ state: "FAILED", since: String(DAY_MINUTES) }}
            none="Nothing has failed."
          />
          <CostCard minutes={DAY_MINUTES} />
        </div>
      </div>
    </>
  );
}

function Figures({ tables }: { tables: DynamicTable[] }) {
  const groups = grouped(tables);
  const running = useQuery(clustersQuery).data?.reduce((sum, each) => sum + each.running, 0) ?? 0;
  const worst = largestLag(tables);
  const number = (kind: Parameters<typeof groups.get>[0]): number => groups.get(kind)?.length ?? 0;
  return (
    <Facts
      facts={[
        {
          label: "Fresh",
          value: number("fresh"),
          note: `of ${counted(tables.length, "table")}`,
        },
        { label: "Late", value: number("late"), note: `largest lag ${age(worst)}` },
        { label: "Failed", value: number("failed"), note: "failing or without a source" },
        {
          label: "Not scheduled",
          value: number("suspended") + number("on demand"),
          note: `${number("suspended")} suspended, ${number("on demand")} on demand`,
        },
        { label: "Running now", value: running, note: "jobs on all clusters" },
      ]}
    />
  );
}

const TABLES_SHOWN: Column<DynamicTable>[] = [
  TABLE_COLUMNS.nameAndReason,
  TABLE_COLUMNS.state,
  TABLE_COLUMNS.lag,
  TABLE_COLUMNS.mode,
  TABLE_COLUMNS.nextRefresh,
];

/** Tables that need a look first; the others after them. */
function Attention({ tables }: { tables: DynamicTable[] }) {
  const order = ["failed", "late", "suspended", "on demand", "fresh"];
  const sorted = [...tables].sort(
    (left, right) =>
      order.indexOf(freshness(left)) - order.indexOf(freshness(right)) ||
      (right.lag_seconds ?? 0) - (left.lag_seconds ?? 0),
  );
  return (
    <Card
      title="Dynamic tables"
      flush
      actions={
        <Link to="/dynamic-tables" className="text-link">
          All
        </Link>
      }
    >
      <DataTable
        label="Dynamic tables"
        rows={sorted.slice(0, 12)}
        columns={TABLES_SHOWN}
        rowKey={(row) => row.name}
      />
    </Card>
  );
}

const REFRESH_COLUMNS: Column<Refresh>[] = [
  { name: "Started", cell: (row) => <TimeText moment={row.start_time} form="ago" />, width: "tight" },
  { name: "Dynamic table", cell: (row) => <TableLink name={row.table} /> },
  { name: "State", cell: (row) => <StateText shown={STATES[row.state]} />, width: "tight" },
  { name: "Mode", cell: (row) => <ModeText mode={row.mode} />, width: "tight" },
  {
    name: "Rows",
    cell: (row) =>
      row.rows_inserted === null ? "–" : `+${count(row.rows_inserted)} −${count(row.rows_deleted)}`,
    align: "right",
    width: "tight",
  },
  {
    name: "Took",
    cell: (row) => duration(secondsBetween(row.start_time, row.end_time)),
    align: "right",
    width: "tight",
  },
];

function RecentRefreshes() {
  const history = useInfiniteQuery(historyQuery({ limit: 30 }));
  const rows = history.data?.pages[0]?.items.filter((row) => row.mode !== "NO_DATA").slice(0, 8) ?? [];
  return (
    <Card title="Recent refreshes" flush>
      {rows.length === 0 ? (
        <EmptyState
          title="Nothing was refreshed yet"
          text="A refresh is listed here as soon as it starts."
          sql="REFRESH DYNAMIC TABLE name;"
        />
      ) : (
        <DataTable
          label="Recent refreshes"
          rows={rows}
          columns={REFRESH_COLUMNS}
          rowKey={(row) => row.job_id}
        />
      )}
    </Card>
  );
}

function ServerCard() {
  const health = useQuery(healthQuery);
  return (
    <Card title="Server">
      <Loaded query={health} what="the state of the server">
        {({ status, ...parts }) => {
          const problems = Object.entries(parts).filter(([, state]) => state !== "ok");
          return status === "ok" ? (
            <StateText shown={{ tone: "good", icon: "check", label: "All parts work" }} />
          ) : (
            <div className="stack" style={{ gap: 6 }}>
              {problems.map(([part, problem]) => (
                <div key={part}>
                  <StateText shown={{ tone: "bad", icon: "cross", label: part }} />{" "}
                  <span className="quiet">{problem}</span>
                </div>
              ))}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}
