/** The refreshes of a table: durations and rows over time, then each with all that is recorded of it. */

import { Group, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import { historyQuery, type DynamicTable, type Refresh, type RefreshState } from "../../api/queries";
import { duration } from "../../format/durations";
import { bytes, count, shortCount } from "../../format/numbers";
import type { TableName } from "../../format/names";
import { secondsBetween } from "../../format/times";
import { BusyButton } from "../../parts/busy-button";
import { Card, Pairs } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { LoadingText } from "../../parts/loading";
import { ModeText, StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { JobLink } from "../../parts/table-link";
import { TimeChart, type ChartSeries } from "../../parts/time-chart";
import { TimeText } from "../../parts/time-text";
import { chartedQuery, useLastEnded } from "./use-last-ended";
import { RefreshDetails } from "./refresh-details";
import { argumentsText, triggerText } from "./refresh-text";

const route = getRouteApi("/dynamic-tables/$workspace/$schema/$table");
const MODES = ["INCREMENTAL", "FULL", "NO_DATA"] as const;
const COLORS = { INCREMENTAL: "--mode-incremental", FULL: "--mode-full", NO_DATA: "--mode-none" };

export function RefreshHistory({ name, table }: { name: TableName; table: DynamicTable }) {
  return (
    <div className="stack">
      <div className="columns-main">
        <RefreshCharts name={name} />
        <LastRefresh last={useLastEnded(name, table)} />
      </div>
      <HistoryTable name={name} />
    </div>
  );
}

function RefreshCharts({ name }: { name: TableName }) {
  const history = useInfiniteQuery(chartedQuery(name));
  const first = history.data?.pages[0]?.items;
  const ended = useMemo(() => (first ?? []).filter((row) => row.end_time !== null).reverse(), [first]);
  const times = useMemo(() => ended.map((row) => new Date(row.start_time).getTime() / 1000), [ended]);
  const durations = useMemo(
    () => byMode(ended, (row) => secondsBetween(row.start_time, row.end_time)),
    [ended],
  );
  const rows = useMemo(
    () => byMode(ended, changedRows).filter((series) => series.label !== "NO_DATA"),
    [ended],
  );
  return (
    <Card title="Durations and changed rows by mode">
      {ended.length === 0 ? (
        <span className="quiet">A refresh appears here when it has ended.</span>
      ) : (
        <div className="columns-2">
          <TimeChart label="Durations of refreshes" times={times} series={durations} format={duration} />
          <TimeChart label="Rows changed by refreshes" times={times} series={rows} format={shortCount} />
        </div>
      )}
    </Card>
  );
}

/** A series for each mode; FULL is drawn larger. */
function byMode(rows: Refresh[], value: (row: Refresh) => number | null): ChartSeries[] {
  return MODES.map((mode) => ({
    label: mode,
    color: COLORS[mode],
    kind: "points",
    size: mode === "FULL" ? 9 : mode === "INCREMENTAL" ? 5 : 3,
    values: rows.map((row) => (row.mode === mode ? value(row) : null)),
  }));
}

function changedRows(row: Refresh): number | null {
  return row.rows_inserted === null ? null : row.rows_inserted + (row.rows_deleted ?? 0);
}

function LastRefresh({ last }: { last: Refresh | null }) {
  return (
    <Card title="Why the last refresh was what it was">
      {last === null ? (
        <span className="quiet">The table was not refreshed yet: its first refresh will be FULL.</span>
      ) : (
        <Pairs
          pairs={[
            ["State", <StateText key="state" shown={STATES[last.state]} />],
            ["Mode", <ModeText key="mode" mode={last.mode} />],
            ["Reason", capital(last.mode_reason ?? "–")],
            [
              "Rows",
              last.rows_inserted === null
                ? "–"
                : `${count(last.rows_inserted)} inserted, ${count(last.rows_deleted)} deleted`,
            ],
            [
              "Read",
              last.rows_read === null ? "–" : `${count(last.rows_read)} rows, ${bytes(last.bytes_read)}`,
            ],
            ...argumentPairs(last),
            ["Job", <JobLink key="job" job={last.job_id} />],
            ...(last.error_message === null ? [] : ([["Error", last.error_message]] as [string, string][])),
          ]}
        />
      )}
    </Card>
  );
}

function argumentPairs(refresh: Refresh): [string, string][] {
  const pairs: [string, string | null][] = [
    ["Arguments", argumentsText(refresh)],
    ["Partition", refresh.partition],
  ];
  return pairs.filter((pair): pair is [string, string] => pair[1] !== null);
}

const COLUMNS: Column<Refresh>[] = [
  { name: "State", cell: (row) => <StateText shown={STATES[row.state]} />, width: "tight" },
  { name: "Mode", cell: (row) => <ModeText mode={row.mode} />, width: "tight" },
  { name: "Trigger", cell: triggerText, width: "tight" },
  {
    name: "Took",
    cell: (row) => duration(secondsBetween(row.start_time, row.end_time)),
    align: "right",
    width: "tight",
  },
  { name: "Rows", cell: changedText, align: "right", width: "tight" },
  { name: "Read", cell: readText, align: "right", width: "tight" },
  { name: "Cluster", cell: clusterText, width: "tight", isExtra: true },
  { name: "Reason or error", cell: (row) => <ReasonCell row={row} />, width: "clip" },
  { name: "Job", cell: (row) => <JobLink job={row.job_id} short />, width: "tight" },
];

function columns(show: (refresh: Refresh) => void): Column<Refresh>[] {
  const started: Column<Refresh> = {
    name: "Started",
    cell: (row) => (
      <button type="button" className="plain-button" title="All that is recorded" onClick={() => show(row)}>
        <TimeText moment={row.start_time} />
      </button>
    ),
    width: "tight",
  };
  return [started, ...COLUMNS];
}

function changedText(row: Refresh): string {
  return row.rows_inserted === null ? "–" : `+${count(row.rows_inserted)} −${count(row.rows_deleted)}`;
}

function readText(row: Refresh): string {
  return row.rows_read === null ? "–" : `${count(row.rows_read)} (${bytes(row.bytes_read)})`;
}

function clusterText(row: Refresh): string {
  return row.cluster_seconds === null ? row.cluster : `${row.cluster}, ${duration(row.cluster_seconds)}`;
}

function ReasonCell({ row }: { row: Refresh }) {
  const text = row.error_message ?? row.suspended_reason ?? row.mode_reason ?? "";
  return (
    <span title={text} className={row.error_message === null ? "quiet" : "state-bad"}>
      {capital(text)}
    </span>
  );
}

function HistoryTable({ name }: { name: TableName }) {
  const { state, mode } = route.useSearch();
  const history = useInfiniteQuery(
    historyQuery({
      table: name,
      state: state as RefreshState | undefined,
      mode: mode as (Refresh["mode"] & string) | undefined,
    }),
  );
  const shown = history.data?.pages.flatMap((page) => page.items) ?? [];
  const [detailed, setDetailed] = useState<Refresh | null>(null);
  return (
    <Card title="Refresh history" flush actions={<Filters />}>
      {history.error !== null && <ErrorNotice error={history.error} retry={() => void history.refetch()} />}
      {history.isPending ? (
        <LoadingText what="Loading refreshes" />
      ) : shown.length === 0 ? (
        <EmptyState
          title="No refresh is listed"
          text="Refreshes are kept for as many days as the setting history_days has."
          sql={`SHOW DYNAMIC TABLE REFRESH HISTORY FOR ${name.table};`}
        />
      ) : (
        <DataTable
          label="Refresh history"
          rows={shown}
          columns={columns(setDetailed)}
          rowKey={(row) => row.job_id}
          onSelect={setDetailed}
        />
      )}
      {history.hasNextPage && (
        <Group justify="center" p="sm">
          <BusyButton
            variant="default"
            busy={history.isFetchingNextPage}
            doing="Loading older refreshes"
            onClick={() => void history.fetchNextPage()}
          >
            Show older refreshes
          </BusyButton>
        </Group>
      )}
      {detailed !== null && <RefreshDetails refresh={detailed} close={() => setDetailed(null)} />}
    </Card>
  );
}

function Filters() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  const set = (part: Partial<typeof search>): void =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <Group gap="xs">
      <Select
        aria-label="State"
        w={140}
        value={search.state ?? ""}
        onChange={(value) => set({ state: value === "" ? undefined : (value ?? undefined) })}
        data={[
          { value: "", label: "Any state" },
          { value: "SUCCEED", label: "Succeeded" },
          { value: "FAILED", label: "Failed" },
          { value: "RUNNING", label: "Running" },
        ]}
      />
      <Select
        aria-label="Mode"
        w={140}
        value={search.mode ?? ""}
        onChange={(value) => set({ mode: value === "" ? undefined : (value ?? undefined) })}
        data={[{ value: "", label: "Any mode" }, ...MODES]}
      />
    </Group>
  );
}
