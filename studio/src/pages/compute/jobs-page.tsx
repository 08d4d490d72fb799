/** Job History: statements, refreshes and task runs, newest first. */

import { Button, Group, Select, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { IconX } from "@tabler/icons-react";

import { clustersQuery, jobsQuery, type Job } from "../../api/queries";
import { useNow } from "../../app/context";
import { duration, isoSeconds } from "../../format/durations";
import { count } from "../../format/numbers";
import { BusyButton } from "../../parts/busy-button";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { ErrorNotice } from "../../parts/error-notice";
import { jobTitle } from "../../parts/job-title";
import { LoadingText } from "../../parts/loading";
import { PageHeader } from "../../parts/page-header";
import { StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { TimeText } from "../../parts/time-text";
import { ComputeTabs } from "./compute-tabs";
import { jobFilter, userText, type ShownFilter } from "./job-filter";

const route = getRouteApi("/compute/jobs");

const COLUMNS: Column<Job>[] = [
  { name: "Submitted", cell: (row) => <SubmittedCell job={row} />, width: "tight" },
  { name: "State", cell: (row) => <StateText shown={STATES[row.state]} />, width: "tight" },
  { name: "Kind", cell: (row) => row.kind.toLowerCase(), width: "tight" },
  { name: "Statement", cell: (row) => <StatementCell job={row} />, width: "clip" },
  {
    name: "Took",
    cell: (row) => duration(isoSeconds(row.duration)),
    value: (row) => isoSeconds(row.duration),
    align: "right",
    width: "tight",
  },
  { name: "Rows", cell: (row) => count(row.rows), value: (row) => row.rows, align: "right", width: "tight" },
  { name: "Cluster", cell: (row) => row.virtual_cluster.toLowerCase(), width: "tight" },
  { name: "User", cell: (row) => userText(row), width: "tight" },
  { name: "Tag", cell: (row) => row.query_tag ?? "", width: "tight" },
];

function SubmittedCell({ job }: { job: Job }) {
  return (
    <Link to="/compute/jobs/$job" params={{ job: job.job_id }} className="text-link" title={job.job_id}>
      <TimeText moment={job.submitted_time} />
    </Link>
  );
}

function StatementCell({ job }: { job: Job }) {
  const isText = job.kind !== "REFRESH" && job.statement !== null;
  return (
    <span
      className={job.error_message !== null ? "state-bad" : isText ? "mono" : ""}
      title={[job.statement, job.error_message].filter((text) => text !== null).join("\n")}
    >
      {job.error_message?.replaceAll(/\s+/g, " ") ?? jobTitle(job)}
    </span>
  );
}

export function JobsPage() {
  const filter = route.useSearch();
  const jobs = useInfiniteQuery(jobsQuery(jobFilter(filter, useNow(60))));
  const navigate = useNavigate();
  const rows = jobs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="page">
      <PageHeader title="Compute" />
      <ComputeTabs current="jobs" />
      <Filters filter={filter} />
      {jobs.error !== null && <ErrorNotice error={jobs.error} retry={() => void jobs.refetch()} />}
      <section className="card scroll" tabIndex={0} aria-label="Jobs">
        {jobs.isPending ? (
          <div className="card-body">
            <LoadingText what="Loading jobs" />
          </div>
        ) : rows.length === 0 ? (
          <EmptyState
            title="No job is listed"
            text="Statements, refreshes and task runs appear here when they are submitted."
            sql="SHOW JOBS LIMIT 20;"
          />
        ) : (
          <DataTable
            label="Jobs"
            rows={rows}
            columns={COLUMNS}
            rowKey={(row) => row.job_id}
            onSelect={(row) => void navigate({ to: "/compute/jobs/$job", params: { job: row.job_id } })}
          />
        )}
        {jobs.hasNextPage && (
          <Group justify="center" p="sm">
            <BusyButton
              variant="default"
              busy={jobs.isFetchingNextPage}
              doing="Loading older jobs"
              onClick={() => void jobs.fetchNextPage()}
            >
              Show older jobs
            </BusyButton>
          </Group>
        )}
      </section>
    </div>
  );
}

const STATE_CHOICES = ["QUEUED", "RUNNING", "SUCCEED", "FAILED", "CANCELLED"] as const;

function Filters({ filter }: { filter: ShownFilter }) {
  const navigate = useNavigate({ from: route.id });
  const clusters = useQuery(clustersQuery).data ?? [];
  const set = (part: ShownFilter): void =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const text = (name: keyof ShownFilter, label: string, width: number) => (
    <TextInput
      aria-label={label}
      placeholder={label}
      w={width}
      value={filter[name] ?? ""}
      onChange={(event) => set({ [name]: event.currentTarget.value || undefined })}
      {...(name === "table" ? { "data-filter": true } : {})}
    />
  );
  const choice = (
    name: keyof ShownFilter,
    any: string,
    width: number,
    data: { value: string; label: string }[],
  ) => (
    <Select
      aria-label={any.replace("Any ", "")}
      w={width}
      value={filter[name] ?? ""}
      onChange={(value) => set({ [name]: value || undefined })}
      data={[{ value: "", label: any }, ...data]}
    />
  );
  return (
    <Group gap="xs" mb="sm">
      {text("table", "Table", 200)}
      {choice(
        "state",
        "Any state",
        120,
        STATE_CHOICES.map((state) => ({ value: state, label: STATES[state].label })),
      )}
      {choice(
        "kind",
        "Any kind",
        120,
        ["STATEMENT", "REFRESH", "TASK"].map((kind) => ({ value: kind, label: kind.toLowerCase() })),
      )}
      {choice(
        "cluster",
        "Any cluster",
        130,
        clusters.map((each) => ({ value: each.name, label: each.name })),
      )}
      {choice("since", "Any time", 130, [
        { value: "15", label: "last 15 minutes" },
        { value: "60", label: "last hour" },
        { value: "1440", label: "last day" },
      ])}
      {choice("longer", "Any duration", 140, [
        { value: "1", label: "longer than 1 s" },
        { value: "10", label: "longer than 10 s" },
        { value: "60", label: "longer than 1 min" },
      ])}
      {text("user", "User", 110)}
      {text("tag", "query_tag", 110)}
      {text("id", "Job id", 130)}
      {Object.keys(filter).length > 0 && (
        <Button
          variant="subtle"
          leftSection={<IconX size={13} />}
          onClick={() => void navigate({ search: {} })}
        >
          Clear
        </Button>
      )}
    </Group>
  );
}
