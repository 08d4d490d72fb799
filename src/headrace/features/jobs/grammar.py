"""SHOW JOBS, DESC JOB and CANCEL JOB."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.sql.parsing.filters import read_limit, read_where
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Expression, Statement, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

SHOW_JOBS_FORM = "SHOW JOBS [WHERE condition] [LIMIT n]"
DESCRIBE_JOB_FORM = "DESC JOB 'id'"
CANCEL_JOB_FORM = "CANCEL JOB 'id'"


@dataclass(frozen=True)
class ShowJobs(Statement):
    where: Expression | None = None
    limit: int | None = None


@dataclass(frozen=True)
class DescribeJob(Statement):
    job_id: Word


@dataclass(frozen=True)
class CancelJob(Statement):
    job_id: Word


def _show(cursor: TokenReader) -> ShowJobs:
    return ShowJobs(read_where(cursor), read_limit(cursor))


def _describe(cursor: TokenReader) -> DescribeJob | None:
    """A word after JOB would be a column of a table called ``job``."""
    is_text = cursor.token is not None and cursor.token.kind is Kind.STRING
    return DescribeJob(_job_id(cursor)) if is_text else None


def _cancel(cursor: TokenReader) -> CancelJob:
    cursor.expect("JOB")
    return CancelJob(_job_id(cursor))


def _job_id(cursor: TokenReader) -> Word:
    start = cursor.span
    job_id = cursor.quoted_word("the id of a job")
    if not job_id.text:
        raise cursor.error("the id of a job cannot be empty", start)
    cursor.expect_end()
    return job_id


RULES = (
    Rule("SHOW JOBS", SHOW_JOBS_FORM, _show),
    Rule("DESC JOB", DESCRIBE_JOB_FORM, _describe),
    Rule("DESCRIBE JOB", DESCRIBE_JOB_FORM, _describe),
    Rule("CANCEL", CANCEL_JOB_FORM, _cancel),
)
