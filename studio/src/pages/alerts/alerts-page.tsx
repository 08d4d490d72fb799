/** What was reported, and by which rules. */

import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../../api/client";
import { alertRulesQuery, alertsQuery } from "../../api/queries";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { capital } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { StateText } from "../../parts/state-text";
import { TimeText } from "../../parts/time-text";
import { KINDS } from "./alert-kinds";
import { LakeRules } from "./lake-rules";
import { TaskRules } from "./task-rules";

type Alert = Schemas["AlertView"];

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
                  text="An alert appears here as soon as its condition holds, and remains when it is resolved. Each task says which of its failures are reported."
                  sql="ALTER TASK nightly SET ALERTS (FAILURE, TIMEOUT);"
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
        <div className="stack">
          <Card title="Rules of the lake">
            <Loaded query={rules} what="rules">
              {(found) => <LakeRules rules={found} />}
            </Loaded>
          </Card>
          <TaskRules />
        </div>
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
  { name: "Resolved", cell: (row) => <TimeText moment={row.ended_time} />, width: "tight", isExtra: true },
  { name: "What", cell: (row) => KINDS[row.kind], value: (row) => row.kind, width: "tight" },
  {
    name: "Subject",
    cell: (row) => <strong>{row.subject}</strong>,
    value: (row) => row.subject,
  },
  { name: "Text", cell: (row) => capital(row.text) },
];
