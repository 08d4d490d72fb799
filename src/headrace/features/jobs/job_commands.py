"""SHOW JOBS, DESC JOB and CANCEL JOB: statements and runs that a server took, and refreshes of all kinds."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pyarrow as pa

from headrace.commands.job_rows import all_jobs, find_job, job_facts, job_row
from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotSupportedError
from headrace.features.jobs.grammar import CancelJob, DescribeJob, ShowJobs
from headrace.result import LocalRows, Result


def show_jobs(statement: ShowJobs, given: StatementInput, context: StatementContext) -> Result:
    """Newest first."""
    moment = pa.timestamp("us", tz=context.lake.settings.zone.key)
    shape = pa.schema(
        [
            ("job_id", pa.string()),
            ("kind", pa.string()),
            ("state", pa.string()),
            ("statement", pa.string()),
            ("virtual_cluster", pa.string()),
            ("creator", pa.string()),
            ("submitted_time", moment),
            ("start_time", moment),
            ("end_time", moment),
            ("duration", pa.duration("us")),
            ("rows", pa.int64()),
            ("cluster_seconds", pa.float64()),
            ("query_tag", pa.string()),
            ("error_message", pa.string()),
        ]
    )
    rows = [job_row(job, context.user) for job in all_jobs(context.lake.store)]
    table = pa.Table.from_pylist(rows, schema=shape)
    return selected(table, statement.where, statement.limit, given, context)


def describe_job(statement: DescribeJob, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.job_id.span):
        facts = job_facts(statement.job_id.text, context.lake.store, context.user)
    zone = context.lake.settings.zone

    def shown(value: Any) -> str | None:
        match value:
            case None:
                return None
            case datetime():
                return str(value.astimezone(zone))
            case list() | dict():
                return json.dumps(value)
        return str(value)

    return Result(
        LocalRows(
            pa.table({"info_name": list(facts), "info_value": [shown(value) for value in facts.values()]})
        )
    )


def cancel_job(statement: CancelJob, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.job_id.span):
        find_job(statement.job_id.text, context.lake.store)
    raise NotSupportedError(
        "CANCEL JOB requires a server",
        hint="use Ctrl-C or Connection.cancel() to cancel a statement of this process",
    )
