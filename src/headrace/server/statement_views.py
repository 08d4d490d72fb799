"""Sessions and statements as clients see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.job import JobState
from headrace.server.sessions import ClientSession
from headrace.server.statements import Statement
from headrace.wire import ErrorView, error_view


@dataclass(frozen=True)
class SessionView:
    session: str
    workspace: str
    schema: str

    @staticmethod
    def of(session: ClientSession) -> SessionView:
        return SessionView(session.id, session.workspace, session.schema)


@dataclass(frozen=True)
class StatementView:
    job_id: str
    state: JobState
    ended: bool
    rows_ready: bool
    """Whether rows can be fetched: of a large result before the statement has ended."""
    cluster: str
    progress: str | None
    types: tuple[str, ...]
    """Of the columns of the result, as Spark SQL has them."""
    notices: tuple[str, ...]
    row_count: int | None
    workspace: str
    schema: str
    error: ErrorView | None

    @staticmethod
    def of(statement: Statement, progress: str | None) -> StatementView:
        job, answer = statement.job, statement.answer
        return StatementView(
            job_id=job.job_id,
            state=job.state,
            ended=statement.ended.done(),
            rows_ready=statement.rows is not None and statement.error is None,
            cluster=job.cluster,
            progress=progress,
            types=statement.types,
            notices=answer.notices if answer else (),
            row_count=answer.row_count if answer else None,
            workspace=statement.session.workspace,
            schema=statement.session.schema,
            error=error_view(statement.error) if statement.error else None,
        )


@dataclass(frozen=True)
class ResultColumn:
    name: str
    type: str


@dataclass(frozen=True)
class ResultRows:
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class CancelRequested:
    job_id: str
    """The job ends soon, unless it has ended."""
