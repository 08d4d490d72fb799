"""SHOW JOBS, DESC JOB and CANCEL JOB: statements and runs that a server took, and refreshes of all kinds."""

from __future__ import annotations

from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotSupportedError
from headrace.lake.session import Parameters
from headrace.result import LocalRows, Result
from headrace.sql.jobs import CancelJob, DescribeJob, ShowJobs
from headrace.views.arrow import to_arrow
from headrace.views.described import info_table
from headrace.views.jobs import JobRow, all_jobs, find_job, job_details


def show_jobs(statement: ShowJobs, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    """Newest first."""
    rows = [JobRow.of(job, bench.user) for job in all_jobs(bench.lake.store)]
    table = to_arrow(JobRow, rows, bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def describe_job(statement: DescribeJob, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.job_id.span):
        details = job_details(statement.job_id.text, bench.lake.store, bench.user)
    return Result(LocalRows(info_table(details, bench.lake.settings.zone)))


def cancel_job(statement: CancelJob, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.job_id.span):
        find_job(statement.job_id.text, bench.lake.store)
    raise NotSupportedError(
        "CANCEL JOB requires a server",
        hint="use Ctrl-C or Connection.cancel() to cancel a statement of this process",
    )
