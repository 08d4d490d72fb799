"""SHOW JOBS, DESC JOB and CANCEL JOB: statements and runs that a server took, and refreshes of all kinds."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import selected
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotSupportedError
from headrace.features.jobs.grammar import CancelJob, DescribeJob, ShowJobs
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.described import info_table
from headrace.views.jobs import JobRow, all_jobs, find_job, job_details


def show_jobs(statement: ShowJobs, given: StatementInput, context: StatementContext) -> Result:
    """Newest first."""
    rows = [JobRow.of(job, context.user) for job in all_jobs(context.lake.store)]
    table = to_arrow(JobRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def describe_job(statement: DescribeJob, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.job_id.span):
        details = job_details(statement.job_id.text, context.lake.store, context.user)
    return Result(LocalRows(info_table(details, context.lake.settings.zone)))


def cancel_job(statement: CancelJob, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.job_id.span):
        find_job(statement.job_id.text, context.lake.store)
    raise NotSupportedError(
        "CANCEL JOB requires a server",
        hint="use Ctrl-C or Connection.cancel() to cancel a statement of this process",
    )
