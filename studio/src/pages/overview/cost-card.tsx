/** What the refreshes of the last hours have cost, and which tables cost most. */

import { useQuery } from "@tanstack/react-query";

import { costsQuery } from "../../api/queries";
import { useNow } from "../../app/context";
import { counted, duration } from "../../format/durations";
import { bytes, shortCount } from "../../format/numbers";
import { minutesBefore } from "../../format/times";
import { Card } from "../../parts/card";
import { Loaded } from "../../parts/loaded";
import { TableLink } from "../../parts/table-link";
import { costsByTable, type TableCost } from "./costs";

const SHOWN = 6;

export function CostCard({ minutes }: { minutes: number }) {
  const costs = useQuery(costsQuery(minutesBefore(useNow(60), minutes)));
  return (
    <Card title={`Cost of the last ${minutes / 60} hours`}>
      <Loaded query={costs} what="costs">
        {(rows) => <Costs tables={costsByTable(rows)} />}
      </Loaded>
    </Card>
  );
}

function Costs({ tables }: { tables: TableCost[] }) {
  if (tables.length === 0) return <div className="quiet">Nothing was refreshed.</div>;
  const sum = (value: (table: TableCost) => number): number =>
    tables.reduce((total, table) => total + value(table), 0);
  const seconds = sum((table) => table.clusterSeconds);
  const refreshes = sum((table) => table.refreshes);
  return (
    <>
      <div className="fact-value" style={{ fontSize: "1.25rem" }}>
        {duration(seconds)}
      </div>
      <div className="quiet" style={{ marginBottom: 12 }}>
        of clusters for {counted(refreshes, "refresh", "refreshes")};{" "}
        {shortCount(sum((table) => table.rowsRead))} rows ({bytes(sum((table) => table.bytesRead))}) read
      </div>
      {tables.slice(0, SHOWN).map((table) => (
        <CostBar key={table.table} cost={table} whole={Math.max(seconds, 0.001)} />
      ))}
    </>
  );
}

function CostBar({ cost, whole }: { cost: TableCost; whole: number }) {
  const share = Math.max(1, (100 * cost.clusterSeconds) / whole);
  return (
    <div style={{ marginBottom: 8 }}>
      <div style={{ display: "flex", justifyContent: "space-between", gap: 8 }}>
        <TableLink name={cost.table} />
        <span className="number quiet">{duration(cost.clusterSeconds)}</span>
      </div>
      <div style={{ height: 4, borderRadius: 2, background: "var(--line)", marginTop: 3 }}>
        <div
          style={{ height: 4, borderRadius: 2, width: `${share}%`, background: "var(--mode-incremental)" }}
        />
      </div>
    </div>
  );
}
