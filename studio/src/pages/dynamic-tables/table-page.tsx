/** One dynamic table: is it fresh, how do its refreshes go, what would the next one do? */

import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import {
  IconAlertTriangle,
  IconBinaryTree,
  IconCode,
  IconHistory,
  IconShieldCheck,
} from "@tabler/icons-react";

import { dynamicTableQuery, type DynamicTable } from "../../api/queries";
import { age, duration, interval } from "../../format/durations";
import { bytes, count } from "../../format/numbers";
import { shownName, type TableName } from "../../format/names";
import { secondsBetween } from "../../format/times";
import { Facts } from "../../parts/card";
import { capital } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { ModeText, StateText } from "../../parts/state-text";
import { STATES, TABLE_STATES } from "../../parts/states";
import { TimeText } from "../../parts/time-text";
import { Definition } from "./definition";
import { ExplainRefresh } from "./explain-refresh";
import { useLastEnded } from "./use-last-ended";
import { RefreshHistory } from "./refresh-history";
import { TableActions } from "./table-actions";
import { Verify } from "./verify";

const route = getRouteApi("/dynamic-tables/$workspace/$schema/$table");

const TABS = [
  { value: "refreshes", label: "Refreshes", icon: IconHistory },
  { value: "explain", label: "Next refresh", icon: IconBinaryTree },
  { value: "definition", label: "Definition", icon: IconCode },
  { value: "verify", label: "Verify", icon: IconShieldCheck },
] as const;

export function DynamicTablePage() {
  const name = route.useParams();
  const table = useQuery(dynamicTableQuery(name));
  return (
    <div className="page">
      <Loaded query={table} what={shownName(name)} title={name.table}>
        {(found) => <TableView name={name} table={found} />}
      </Loaded>
    </div>
  );
}

function TableView({ name, table }: { name: TableName; table: DynamicTable }) {
  return (
    <>
      <PageHeader
        title={name.table}
        above={<Above name={name} />}
        beside={<StateText shown={TABLE_STATES[table.state]} />}
      >
        <TableActions name={name} table={table} />
      </PageHeader>
      <div className="stack">
        {table.reason !== null && <Reason table={table} />}
        <FreshnessFacts name={name} table={table} />
        <TableTabs name={name} table={table} />
      </div>
    </>
  );
}

function Above({ name: { workspace, schema, table } }: { name: TableName }) {
  return (
    <>
      <Link to="/dynamic-tables" className="text-link">
        Dynamic tables
      </Link>{" "}
      / {workspace}.{schema} ·{" "}
      <Link
        to="/catalog/$workspace/$schema/$object"
        params={{ workspace, schema, object: table }}
        className="text-link"
      >
        in the catalog
      </Link>{" "}
      ·{" "}
      <Link to="/lineage" search={{ focus: shownName({ workspace, schema, table }) }} className="text-link">
        in the graph
      </Link>
    </>
  );
}

function Reason({ table }: { table: DynamicTable }) {
  const { tone } = TABLE_STATES[table.state];
  const failures = table.consecutive_failures;
  return (
    <div className={`card verdict state-${tone}`} style={{ padding: "10px 14px" }} role="note">
      <IconAlertTriangle size={18} aria-hidden style={{ flex: "none" }} />
      <div style={{ color: "var(--text)" }}>
        {capital(table.reason ?? "")}
        {failures > 1 && <span className="quiet"> ({failures} failures in a row)</span>}
      </div>
    </div>
  );
}

function FreshnessFacts({ name, table }: { name: TableName; table: DynamicTable }) {
  const last = useLastEnded(name, table);
  const begun =
    table.last_refresh?.end_time === null ? `; one is ${STATES[table.last_refresh.state].label}` : "";
  const took = secondsBetween(last?.start_time, last?.end_time);
  return (
    <Facts
      facts={[
        { label: "Lag", value: age(table.lag_seconds), note: "age of the oldest change not included" },
        {
          label: "Last refresh",
          value: <TimeText moment={last?.start_time} form="ago" absent="never" />,
          note: last === null ? "none yet" : `took ${duration(took)}${begun}`,
        },
        {
          label: "Next refresh",
          value: (
            <TimeText
              moment={table.next_refresh}
              form="next"
              absent={table.suspended ? "suspended" : "on demand"}
            />
          ),
          note:
            table.interval_seconds === null
              ? "without an interval"
              : `every ${interval(table.interval_seconds)}`,
        },
        { label: "Last mode", value: <ModeText mode={last?.mode} />, note: `REFRESH_MODE = ${table.mode}` },
        {
          label: "Rows",
          value: count(table.rows),
          note: `${bytes(table.bytes)}, ${bytes(table.bytes_with_old_versions)} with old versions`,
        },
        { label: "Cluster", value: table.cluster, note: `created by ${table.creator}` },
      ]}
    />
  );
}

function TableTabs({ name, table }: { name: TableName; table: DynamicTable }) {
  const { tab = "refreshes" } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  return (
    <Tabs value={tab} onChange={(value) => void navigate({ search: { tab: value ?? "refreshes" } })}>
      <Tabs.List mb="md">
        {TABS.map(({ value, label, icon: Icon }) => (
          <Tabs.Tab key={value} value={value} leftSection={<Icon size={15} stroke={1.7} />}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="refreshes">
        <RefreshHistory name={name} table={table} />
      </Tabs.Panel>
      <Tabs.Panel value="explain">
        <ExplainRefresh name={name} />
      </Tabs.Panel>
      <Tabs.Panel value="definition">
        <Definition name={name} table={table} />
      </Tabs.Panel>
      <Tabs.Panel value="verify">
        <Verify name={name} />
      </Tabs.Panel>
    </Tabs>
  );
}
