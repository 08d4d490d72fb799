/** Two refreshes of a table side by side. */

import { useQuery } from "@tanstack/react-query";

import { jobQuery, type JobDetails } from "../../api/queries";
import { duration, isoSeconds } from "../../format/durations";
import { bytes, count } from "../../format/numbers";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { Loaded } from "../../parts/loaded";
import { JobLink } from "../../parts/table-link";
import { JobProfile } from "./job-profile";

export function CompareJobs({ left, right }: { left: JobDetails; right: string }) {
  const other = useQuery(jobQuery(right));
  return (
    <Loaded query={other} what={`job ${right}`}>
      {(found) => (
        <div className="stack">
          <Card title="Figures" flush>
            <DataTable
              label="Figures of both jobs"
              rows={figures(left, found)}
              columns={COLUMNS}
              rowKey={(row) => row.name}
            />
          </Card>
          <div className="columns-2">
            {[left, found].map((job) => (
              <div key={job.job_id} className="stack">
                <h2 style={{ margin: 0 }}>
                  <JobLink job={job.job_id} />
                </h2>
                <JobProfile job={job} />
              </div>
            ))}
          </div>
        </div>
      )}
    </Loaded>
  );
}

/** Of a larger ratio, digits after the point say nothing. */
const MANY = 100;

interface Figure {
  name: string;
  left: number | string | null;
  right: number | string | null;
  shown: (value: number) => string;
}

const COLUMNS: Column<Figure>[] = [
  { name: "Figure", cell: (row) => row.name },
  { name: "This job", cell: (row) => shownValue(row, row.left), align: "right" },
  { name: "The other one", cell: (row) => shownValue(row, row.right), align: "right" },
  { name: "Ratio", cell: ratio, align: "right" },
];

function figures(left: JobDetails, right: JobDetails): Figure[] {
  const pair = (
    name: string,
    value: (job: JobDetails) => number | string | null | undefined,
    shown: (value: number) => string = count,
  ): Figure => ({ name, left: value(left) ?? null, right: value(right) ?? null, shown });
  const phases = [...new Set([...Object.keys(left.phases ?? {}), ...Object.keys(right.phases ?? {})])];
  return [
    pair("Mode", (job) => job.refresh_mode),
    pair("Duration", (job) => isoSeconds(job.duration), duration),
    pair("Cluster time", (job) => job.cluster_seconds, duration),
    pair("Rows read", (job) => job.rows_read),
    pair("Bytes read", (job) => job.bytes_read, bytes),
    pair("Rows written", (job) => job.rows_written),
    pair("Bytes written", (job) => job.bytes_written, bytes),
    ...phases.map((phase) => pair(`Phase: ${phase}`, (job) => job.phases?.[phase], duration)),
  ];
}

function shownValue(row: Figure, value: number | string | null): string {
  return typeof value === "number" ? row.shown(value) : (value ?? "–");
}

function ratio({ left, right }: Figure): string {
  if (typeof left !== "number" || typeof right !== "number" || right === 0) return "–";
  const found = left / right;
  return `${found < MANY ? found.toFixed(2) : count(Math.round(found))} ×`;
}
