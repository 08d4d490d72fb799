/** The columns in which lists show dynamic tables. */

import type { DynamicTable } from "../api/queries";
import { age, duration, interval } from "../format/durations";
import { tableName } from "../format/names";
import { bytes, count } from "../format/numbers";
import { secondsBetween } from "../format/times";
import type { Column } from "./data-table";
import { capital } from "./error-notice";
import { ModeText, StateText } from "./state-text";
import { TABLE_STATES } from "./states";
import { TableLink } from "./table-link";
import { TimeText } from "./time-text";

export const TABLE_COLUMNS = {
  name: { name: "Dynamic table", cell: (row) => <NameCell name={row.name} />, value: (row) => row.name },
  nameAndReason: {
    name: "Dynamic table",
    cell: (row) => (
      <>
        <NameCell name={row.name} />
        {row.reason !== null && <div className="quiet">{capital(row.reason)}</div>}
      </>
    ),
    value: (row) => row.name,
  },
  state: {
    name: "State",
    cell: (row) => <StateText shown={TABLE_STATES[row.state]} />,
    value: (row) => row.state,
    width: "tight",
  },
  lag: {
    name: "Lag",
    cell: (row) => age(row.lag_seconds),
    value: (row) => row.lag_seconds,
    align: "right",
    width: "tight",
  },
  interval: {
    name: "Interval",
    cell: (row) => interval(row.interval_seconds),
    value: (row) => row.interval_seconds,
    width: "tight",
  },
  lastRefresh: {
    name: "Last refresh",
    cell: (row) => <TimeText moment={row.last_refresh?.start_time} form="ago" />,
    value: (row) => row.last_refresh?.start_time,
    width: "tight",
  },
  mode: {
    name: "Last mode",
    cell: (row) => <ModeText mode={row.last_refresh?.mode} />,
    value: (row) => row.last_refresh?.mode,
    width: "tight",
  },
  took: {
    name: "Took",
    cell: (row) => duration(lastDuration(row)),
    value: lastDuration,
    align: "right",
    width: "tight",
  },
  nextRefresh: {
    name: "Next refresh",
    cell: (row) => <TimeText moment={row.next_refresh} form="next" />,
    value: (row) => row.next_refresh,
    width: "tight",
  },
  rows: {
    name: "Rows",
    cell: (row) => count(row.rows),
    value: (row) => row.rows,
    align: "right",
    width: "tight",
  },
  size: {
    name: "Size",
    cell: (row) => bytes(row.bytes),
    value: (row) => row.bytes,
    align: "right",
    width: "tight",
    isExtra: true,
  },
  cluster: { name: "Cluster", cell: (row) => row.cluster, value: (row) => row.cluster, width: "tight" },
  owner: {
    name: "Owner",
    cell: (row) => row.creator,
    value: (row) => row.creator,
    width: "tight",
    isExtra: true,
  },
} satisfies Record<string, Column<DynamicTable>>;

function lastDuration(row: DynamicTable): number | null {
  return secondsBetween(row.last_refresh?.start_time, row.last_refresh?.end_time);
}

function NameCell({ name }: { name: string }) {
  const { workspace, schema } = tableName(name);
  return (
    <div className="name-cell">
      <TableLink name={name} />
      <span className="quiet">
        {workspace}.{schema}
      </span>
    </div>
  );
}
