/** Jobs that need a look: each by what it does, with its error. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { jobsQuery, type Job } from "../../api/queries";
import { useNow } from "../../app/context";
import { Card } from "../../parts/card";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { jobTitle } from "../../parts/job-title";
import { LoadingText } from "../../parts/loading";
import { TimeText } from "../../parts/time-text";
import { jobFilter, type ShownFilter } from "../compute/job-filter";

const SHOWN = 5;

interface JobsCardProps {
  title: string;
  filter: ShownFilter;
  none: string;
}

export function JobsCard({ title, filter, none }: JobsCardProps) {
  const jobs = useInfiniteQuery(jobsQuery(jobFilter(filter, useNow(60))));
  const rows = jobs.data?.pages[0]?.items ?? [];
  return (
    <Card
      title={title}
      actions={
        <Link to="/compute/jobs" search={filter} className="text-link">
          All
        </Link>
      }
    >
      {jobs.error !== null && <ErrorNotice error={jobs.error} retry={() => void jobs.refetch()} />}
      {jobs.isPending && <LoadingText what="Loading jobs" />}
      {jobs.isSuccess && rows.length === 0 && <span className="quiet">{none}</span>}
      {rows.slice(0, SHOWN).map((job) => (
        <JobLine key={job.job_id} job={job} />
      ))}
    </Card>
  );
}

function JobLine({ job }: { job: Job }) {
  return (
    <div className="job-line">
      <div>
        <Link
          to="/compute/jobs/$job"
          params={{ job: job.job_id }}
          className="text-link tree-label"
          title={job.statement ?? undefined}
        >
          {jobTitle(job)}
        </Link>
        <TimeText moment={job.submitted_time} form="ago" />
      </div>
      {job.error_message !== null && (
        <div className="state-bad tree-label" title={job.error_message}>
          {capital(job.error_message)}
        </div>
      )}
    </div>
  );
}
