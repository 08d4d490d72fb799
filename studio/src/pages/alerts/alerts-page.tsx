/** Which alerts are sent where, and what was reported. */

import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../../api/client";
import { alertRulesQuery, alertsQuery } from "../../api/queries";
import { duration } from "../../format/durations";
import { Card, Pairs } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { capital } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { SqlText } from "../../parts/sql-text";
import { StateText } from "../../parts/state-text";
import { TimeText } from "../../parts/time-text";

type Alert = Schemas["AlertView"];

const KINDS: Record<Schemas["AlertKind"], string> = {
  refresh_failed: "a refresh failed",
  task_failed: "a task failed",
  timeout: "a task timed out",
  lag: "a table is late",
  suspended: "a schedule was suspended",
};
const SETTINGS = `[alerts]
targets = ["https://hooks.example.com/T000/B000"]
lag_seconds = 600`;

export function AlertsPage() {
  const rules = useQuery(alertRulesQuery);
  const alerts = useQuery(alertsQuery);
  return (
    <div className="page">
      <PageHeader title="Alerts" />
      <div className="columns-main">
        <Card title="What was reported" flush>
          <Loaded query={alerts} what="alerts">
            {(rows) =>
              rows.length === 0 ? (
                <EmptyState
                  title="Nothing was reported"
                  text="An alert appears here as soon as its condition holds, and remains when it is resolved."
                />
              ) : (
                <DataTable
                  label="Alerts"
                  rows={rows}
                  columns={COLUMNS}
                  rowKey={(row) => `${row.kind} ${row.subject} ${row.since}`}
                />
              )
            }
          </Loaded>
        </Card>
        <Card title="Rules">
          <Loaded query={rules} what="rules">
            {(found) => <Rules rules={found} />}
          </Loaded>
        </Card>
      </div>
    </div>
  );
}

const COLUMNS: Column<Alert>[] = [
  {
    name: "State",
    cell: (row) => (
      <StateText
        shown={
          row.ended_time === null
            ? { tone: "bad", icon: "alert", label: "open" }
            : { tone: "good", icon: "check", label: "resolved" }
        }
      />
    ),
    value: (row) => row.ended_time,
    width: "tight",
  },
  {
    name: "Since",
    cell: (row) => <TimeText moment={row.since} />,
    value: (row) => row.since,
    width: "tight",
  },
  { name: "Resolved", cell: (row) => <TimeText moment={row.ended_time} />, width: "tight" },
  { name: "What", cell: (row) => KINDS[row.kind], value: (row) => row.kind, width: "tight" },
  { name: "Subject", cell: (row) => <strong>{row.subject}</strong>, value: (row) => row.subject },
  { name: "Text", cell: (row) => <span title={row.text}>{capital(row.text)}</span>, width: "clip" },
];

function Rules({ rules }: { rules: Schemas["AlertRules"] }) {
  return (
    <div className="stack">
      <Pairs
        pairs={[
          [
            "Sent to",
            rules.targets.length === 0
              ? "nobody"
              : rules.targets.map((target) => (
                  <div key={target} className="mono">
                    {target}
                  </div>
                )),
          ],
          ["When", rules.kinds.map((kind) => KINDS[kind]).join(", ")],
          [
            "Late means",
            rules.lag_seconds === null ? "not set" : `a lag of more than ${duration(rules.lag_seconds)}`,
          ],
          ["Repeated after", duration(rules.repeat_seconds)],
        ]}
      />
      <div>
        <div className="fact-label">Rules are settings of the lake, in lake.toml:</div>
        <SqlText text={SETTINGS} plain />
      </div>
    </div>
  );
}
