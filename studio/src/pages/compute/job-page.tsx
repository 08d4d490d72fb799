/** Job Profile: where a job spent its time, what it read and wrote, what it ran. */

import { Button, Select } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { IconPlayerStop } from "@tabler/icons-react";

import { answered, api } from "../../api/client";
import { historyQuery, jobQuery, type JobDetails } from "../../api/queries";
import { useProgress, useZone } from "../../app/context";
import { counted, duration, isoSeconds } from "../../format/durations";
import { bytes } from "../../format/numbers";
import type { TableName } from "../../format/names";
import { dateTime } from "../../format/times";
import { Card, Facts } from "../../parts/card";
import { CopyButton } from "../../parts/copy-button";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { jobTitle, refreshedTable } from "../../parts/job-title";
import { LoadingText } from "../../parts/loading";
import { PageHeader } from "../../parts/page-header";
import { SqlText } from "../../parts/sql-text";
import { ModeText, StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { TableLink } from "../../parts/table-link";
import { TimeText } from "../../parts/time-text";
import { CompareJobs } from "./compare-jobs";
import { userText } from "./job-filter";
import { JobProfile } from "./job-profile";

const route = getRouteApi("/compute/jobs/$job");
const ENDED = new Set(["SUCCEED", "FAILED", "CANCELLED"]);

export function JobPage() {
  const { job } = route.useParams();
  const { compare } = route.useSearch();
  const query = useQuery(jobQuery(job));
  return (
    <div className="page">
      <Loaded query={query} what={`job ${job}`} title={`Job ${job}`}>
        {(found) => (
          <>
            <JobHeader job={found} />
            {compare === undefined ? <JobView job={found} /> : <CompareJobs left={found} right={compare} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

function JobHeader({ job }: { job: JobDetails }) {
  const table = refreshedTable(job);
  return (
    <PageHeader
      title={job.kind === "REFRESH" ? jobTitle(job) : `Job ${job.job_id}`}
      above={
        <>
          <Link to="/compute/jobs" className="text-link">
            Job History
          </Link>{" "}
          / <span className="mono">{job.job_id}</span>{" "}
          <CopyButton text={job.job_id} label="Copy the job id" />
        </>
      }
      beside={<StateText shown={STATES[job.state]} />}
    >
      {table !== null && <CompareSelect job={job} table={table} />}
      {!ENDED.has(job.state) && <CancelButton job={job.job_id} />}
    </PageHeader>
  );
}

function CompareSelect({ job, table }: { job: JobDetails; table: TableName }) {
  const { compare } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  const zone = useZone();
  const history = useInfiniteQuery(historyQuery({ table, limit: 50 }));
  const others =
    history.data?.pages[0]?.items.filter((row) => row.job_id !== job.job_id && row.mode !== "NO_DATA") ?? [];
  return (
    <Select
      aria-label="Compare with"
      w={300}
      placeholder="Compare with another refresh"
      clearable
      value={compare ?? null}
      onChange={(value) => void navigate({ search: value === null ? {} : { compare: value } })}
      data={others.map((row) => ({
        value: row.job_id,
        label: `${dateTime(row.start_time, zone)} ${row.mode ?? ""}`,
      }))}
    />
  );
}

function CancelButton({ job }: { job: string }) {
  const queries = useQueryClient();
  const progress = useProgress(job);
  const cancel = useMutation({
    mutationFn: () =>
      answered(api.POST("/api/v1/jobs/{job_id}/cancel", { params: { path: { job_id: job } } })),
    onSuccess: () => notifications.show({ message: "The job will end soon." }),
    onError: (error) => notifications.show({ message: capital(error.message), color: "red" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["jobs"] }),
  });
  return (
    <>
      <LoadingText what={progress ?? "Running"} />
      <Button
        color="red"
        variant="light"
        leftSection={<IconPlayerStop size={14} />}
        onClick={() => cancel.mutate()}
      >
        Cancel
      </Button>
    </>
  );
}

function JobView({ job }: { job: JobDetails }) {
  const notices = job.notices ?? [];
  return (
    <div className="stack">
      {job.error_message !== null && <ErrorNotice error={job.error_message} />}
      <JobFacts job={job} />
      {job.refresh_mode_reason != null && (
        <Card title="Why this mode">
          <div style={{ display: "flex", gap: 12 }}>
            <ModeText mode={job.refresh_mode} />
            <span>{capital(job.refresh_mode_reason)}</span>
          </div>
        </Card>
      )}
      {notices.length > 0 && (
        <Card title="Notices">
          {notices.map((notice) => (
            <div key={notice}>{capital(notice)}</div>
          ))}
        </Card>
      )}
      {job.kind !== "REFRESH" && job.statement !== null && (
        <Card title="Statement">
          <SqlText text={job.statement} maxHeight={400} />
        </Card>
      )}
      <JobProfile job={job} />
    </div>
  );
}

function JobFacts({ job }: { job: JobDetails }) {
  const table = refreshedTable(job);
  return (
    <Facts
      facts={[
        {
          label: "Took",
          value: duration(isoSeconds(job.duration)),
          note: (
            <>
              submitted <TimeText moment={job.submitted_time} />
            </>
          ),
        },
        ...(table === null
          ? []
          : [
              {
                label: "Dynamic table",
                value: <TableLink name={`${table.workspace}.${table.schema}.${table.table}`} />,
                note: `${table.workspace}.${table.schema}`,
              },
            ]),
        {
          label: "Cluster",
          value: job.virtual_cluster.toLowerCase(),
          note: `${duration(job.cluster_seconds)} of cluster time`,
        },
        {
          label: "User",
          value: userText(job),
          note: job.query_tag === null ? "without a tag" : `tag ${job.query_tag}`,
        },
        {
          label: "Read",
          value: rowsText(job.rows_read),
          note: bytes(job.bytes_read),
        },
        {
          label: job.rows_written == null ? "Result" : "Written",
          value: rowsText(job.rows_written ?? job.rows),
          note: job.bytes_written == null ? "" : bytes(job.bytes_written),
        },
      ]}
    />
  );
}

function rowsText(rows: number | null | undefined): string {
  return rows == null ? "–" : counted(rows, "row");
}
