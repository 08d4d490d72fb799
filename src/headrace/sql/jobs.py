"""SHOW JOBS, DESC JOB and CANCEL JOB."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.sql.cursor import Cursor
from headrace.sql.filters import read_limit, read_where
from headrace.sql.lexer import Kind
from headrace.sql.statements import Expression, Word

SHOW_JOBS_FORM = "SHOW JOBS [WHERE condition] [LIMIT n]"
DESCRIBE_JOB_FORM = "DESC JOB 'id'"
CANCEL_JOB_FORM = "CANCEL JOB 'id'"


@dataclass(frozen=True)
class ShowJobs:
    where: Expression | None = None
    limit: int | None = None


@dataclass(frozen=True)
class DescribeJob:
    job_id: Word


@dataclass(frozen=True)
class CancelJob:
    job_id: Word


JobStatement = ShowJobs | DescribeJob | CancelJob


def parse_job(cursor: Cursor) -> JobStatement | None:
    """None where the statement is about something else."""
    if cursor.take("SHOW", "JOBS"):
        cursor.hint = SHOW_JOBS_FORM
        return ShowJobs(read_where(cursor), read_limit(cursor))
    if cursor.at("CANCEL"):
        cursor.hint = CANCEL_JOB_FORM
        cursor.expect("CANCEL", "JOB")
        return CancelJob(_job_id(cursor))
    if _describes_job(cursor):
        cursor.hint = DESCRIBE_JOB_FORM
        cursor.next()
        cursor.expect("JOB")
        return DescribeJob(_job_id(cursor))
    return None


def _describes_job(cursor: Cursor) -> bool:
    """A word after JOB would be a column of a table called ``job``."""
    following = cursor.ahead(2)
    is_text = following is not None and following.kind is Kind.STRING
    return is_text and (cursor.at("DESC", "JOB") or cursor.at("DESCRIBE", "JOB"))


def _job_id(cursor: Cursor) -> Word:
    start = cursor.span
    job_id = cursor.quoted_word("the id of a job")
    if not job_id.text:
        raise cursor.error("the id of a job cannot be empty", start)
    cursor.expect_end()
    return job_id
