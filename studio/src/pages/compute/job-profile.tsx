/** The parts of a profile: phases as a bar, what was read, stages, SQL and Spark's plans. */

import { Tabs } from "@mantine/core";

import type { Schemas } from "../../api/client";
import type { JobDetails } from "../../api/queries";
import { duration } from "../../format/durations";
import { bytes, count, percent } from "../../format/numbers";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { PlanTree } from "../../parts/plan-tree";
import { SqlText } from "../../parts/sql-text";

type Read = NonNullable<JobDetails["reads"]>[number];
type Stage = NonNullable<JobDetails["stages"]>[number];

const SIDES: Record<string, string> = {
  change: "Rows that changed",
  old: "Rows before the change",
  new: "Rows after the change",
  result: "Rows of the dynamic table",
};

export function JobProfile({ job }: { job: JobDetails }) {
  if (job.phases == null) {
    return job.kind === "REFRESH" ? (
      <Card title="Profile">
        <span className="quiet">A refresh that changes nothing runs no statement and has no profile.</span>
      </Card>
    ) : null;
  }
  return (
    <>
      <Card title="Phases">
        <Phases phases={job.phases} />
      </Card>
      <div className="columns-wide">
        <Card title="Rows and bytes read" flush>
          <Reads reads={job.reads ?? []} />
        </Card>
        <Card title="Stages" flush>
          <DataTable
            label="Stages"
            rows={job.stages ?? []}
            columns={STAGE_COLUMNS}
            rowKey={(row) => `${row.stage} ${row.detail} ${row.seconds}`}
          />
        </Card>
      </div>
      <Statements statements={job.statements ?? []} plans={job.plan_trees ?? []} />
    </>
  );
}

export function Phases({ phases }: { phases: Record<string, number> }) {
  const entries = Object.entries(phases).filter(([, seconds]) => seconds > 0);
  const whole = entries.reduce((sum, [, seconds]) => sum + seconds, 0);
  return (
    <>
      <div className="phases" role="img" aria-label={`Phases of ${duration(whole)}`}>
        {entries.map(([name, seconds], index) => (
          <div
            key={name}
            className={`phase-${(index % 6) + 1}`}
            style={{ flex: seconds / whole, minWidth: 2 }}
            title={`${name}: ${duration(seconds)}`}
          />
        ))}
      </div>
      <div style={{ display: "flex", flexWrap: "wrap", gap: "6px 18px", marginTop: 10 }}>
        {entries.map(([name, seconds], index) => (
          <span key={name} className="state" style={{ fontWeight: 500 }}>
            <span className={`swatch phase-${(index % 6) + 1}`} />
            {name}{" "}
            <span className="quiet number">
              {duration(seconds)}, {percent(seconds, whole)}
            </span>
          </span>
        ))}
      </div>
    </>
  );
}

function Reads({ reads }: { reads: Read[] }) {
  const columns: Column<Read>[] = [
    { name: "Table", cell: (row) => <span className="mono">{row.table}</span> },
    { name: "Side", cell: (row) => <span title={SIDES[row.side ?? ""]}>{row.side}</span>, width: "tight" },
    { name: "Rows", cell: (row) => count(row.rows), align: "right", width: "tight" },
    { name: "Bytes", cell: (row) => bytes(row.bytes), align: "right", width: "tight" },
    { name: "Files", cell: (row) => count(row.files), align: "right", width: "tight" },
  ];
  if (reads.length === 0) return <div className="card-body quiet">It read no table.</div>;
  return (
    <DataTable
      label="Rows and bytes read"
      rows={reads}
      columns={columns}
      rowKey={(row) => `${row.table} ${row.side}`}
    />
  );
}

const STAGE_COLUMNS: Column<Stage>[] = [
  { name: "Stage", cell: (row) => <strong>{row.stage}</strong>, width: "tight" },
  { name: "Detail", cell: (row) => row.detail },
  { name: "Outcome", cell: (row) => row.outcome, width: "tight" },
  { name: "Rows", cell: (row) => count(row.rows), align: "right", width: "tight" },
  { name: "Took", cell: (row) => duration(row.seconds), align: "right", width: "tight" },
  { name: "Spark jobs", cell: (row) => row.spark_jobs?.join(", ") ?? "" },
];

interface StatementsProps {
  statements: string[];
  plans: Schemas["PlanTree"][];
}

function Statements({ statements, plans }: StatementsProps) {
  if (statements.length === 0) return null;
  return (
    <Card title="Statements that ran, and Spark's plans">
      <Tabs defaultValue="0" orientation="vertical">
        <Tabs.List mr="md">
          {statements.map((_, index) => (
            <Tabs.Tab key={index} value={String(index)}>
              Statement {index + 1}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {statements.map((statement, index) => (
          <Tabs.Panel key={index} value={String(index)} miw={0}>
            <div className="stack">
              <SqlText text={statement} maxHeight={420} />
              {plans[index] !== undefined && <PlanTree label="Spark's plan" plan={plans[index]} />}
            </div>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}
