"""Sessions and statements."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response
from pydantic import BaseModel, Field

from headrace.errors import InterfaceError
from headrace.model.role import Privilege
from headrace.results.source import InlineRows, RowSource
from headrace.server.dependencies import (
    EndSession,
    Execution,
    OpenSessions,
    Sender,
    StatementExecution,
    SubmittedStatements,
    User,
)
from headrace.server.downloads import MEDIA_TYPES, FileFormat, check_parquet, csv_parts, parquet_parts
from headrace.server.error_responses import FAILURES_BESIDE_TEXT
from headrace.server.rights import requires
from headrace.server.row_stream import RowReading, RowStream, arrow_parts, json_parts
from headrace.server.statement_views import CancelRequested, ResultRows, SessionView, StatementView
from headrace.server.statements import Statement
from headrace.server.view_route import ViewRoute
from headrace.wire import ARROW_STREAM, decode_parameters

LONGEST_WAIT = 60.0
_BINARY = {"type": "string", "format": "binary"}

routes = APIRouter(tags=["statements"], route_class=ViewRoute)


class WaitFor(StrEnum):
    END = "end"
    ROWS = "rows"
    """The first rows of a large result, which can be fetched while the statement runs, or the end."""


class StatementAsked(BaseModel):
    session: str
    statement: str
    parameters: dict[str, Any] | list[Any] | None = None
    wait_seconds: float = Field(0, ge=0, le=LONGEST_WAIT)
    wait_for: WaitFor = WaitFor.END


@routes.post("/sessions", status_code=201, summary="Open a session", openapi_extra=requires(Privilege.SELECT))
def open_session(sessions: OpenSessions, sender: Sender) -> SessionView:
    """It is in a schema and uses a cluster, and has settings and temporary views of its own."""
    return SessionView.of(sessions.open(sender))


@routes.delete(
    "/sessions/{session}",
    status_code=204,
    summary="Close a session",
    openapi_extra=requires(Privilege.SELECT),
)
def end_session(session: str, sessions: OpenSessions, end: EndSession, sender: Sender) -> None:
    end(sessions.find(session, sender))


@routes.post(
    "/statements", status_code=202, summary="Submit a statement", openapi_extra=requires(Privilege.SELECT)
)
async def submit_statement(
    asked: StatementAsked, sessions: OpenSessions, execution: Execution, sender: Sender
) -> StatementView:
    """One statement; the answer comes when it has ended, or after ``wait_seconds``.

    With ``wait_for`` = ``rows`` it comes as soon as there are rows to fetch.
    """
    session = sessions.find(asked.session, sender)
    parameters = decode_parameters(asked.parameters)
    statement = await asyncio.to_thread(execution.submit, session, asked.statement, parameters)
    await _wait(statement, asked.wait_seconds, asked.wait_for)
    return await _state(statement, execution)


@routes.get("/statements/{job_id}", summary="Show the state of a statement")
async def statement_state(
    job_id: str,
    statements: SubmittedStatements,
    execution: Execution,
    user: User,
    wait_seconds: Annotated[float, Query(ge=0, le=LONGEST_WAIT)] = 0,
    wait_for: WaitFor = WaitFor.END,
) -> StatementView:
    statement = statements.find(job_id, user)
    await _wait(statement, wait_seconds, wait_for)
    return await _state(statement, execution)


@routes.post(
    "/statements/{job_id}/cancel",
    status_code=202,
    summary="Cancel a statement",
    openapi_extra=requires(Privilege.SELECT),
)
def cancel_statement(
    job_id: str, statements: SubmittedStatements, execution: Execution, user: User
) -> CancelRequested:
    execution.cancel(statements.find(job_id, user))
    return CancelRequested(job_id)


@routes.get(
    "/statements/{job_id}/rows",
    summary="Fetch the rows of a statement",
    response_model=ResultRows,
    responses={200: {"content": {ARROW_STREAM: {"schema": {"type": "string", "format": "binary"}}}}},
)
async def statement_rows(
    job_id: str,
    statements: SubmittedStatements,
    user: User,
    accept: Annotated[str, Header()] = "application/json",
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """As an Arrow stream where that is accepted, else as JSON; all rows, or a page of them.

    A response that is cut off is not complete. The rows of a large result can be fetched while the statement
    runs (``rows_ready``); if the client then disconnects, the statement is cancelled after a few seconds.
    """
    statement = statements.find(job_id, user)
    rows = _rows(statement)
    is_arrow = ARROW_STREAM in accept
    if is_arrow and isinstance(rows, InlineRows) and (offset, limit) == (0, None):
        statement.note_reading()
        return Response(rows.stream, media_type=ARROW_STREAM)
    reading = RowReading(statement, rows, offset, limit)
    await reading.begin()
    if is_arrow:
        return RowStream(reading, arrow_parts(reading), ARROW_STREAM)
    return RowStream(reading, json_parts(reading), "application/json")


@routes.get(
    "/statements/{job_id}/download",
    summary="Download the rows of a statement as a file",
    response_class=Response,
    responses={
        **FAILURES_BESIDE_TEXT,
        200: {"content": {media: {"schema": _BINARY} for media in MEDIA_TYPES.values()}},
    },
)
async def download(
    job_id: str,
    statements: SubmittedStatements,
    user: User,
    format_: Annotated[FileFormat, Query(alias="format")] = FileFormat.CSV,
) -> Response:
    """All rows. A response that is cut off is not complete."""
    statement = statements.find(job_id, user)
    reading = RowReading(statement, _rows(statement), 0, None)
    if format_ is FileFormat.PARQUET:
        check_parquet(reading.schema)
    await reading.begin()
    parts = csv_parts(reading) if format_ is FileFormat.CSV else parquet_parts(reading)
    headers = {"Content-Disposition": f'attachment; filename="{statement.job.job_id}.{format_}"'}
    return RowStream(reading, parts, MEDIA_TYPES[format_], headers)


def _rows(statement: Statement) -> RowSource:
    if statement.error is not None:
        raise statement.error
    if statement.rows is None:
        raise InterfaceError(f"statement {statement.job.job_id} has not ended yet")
    return statement.rows


async def _state(statement: Statement, execution: StatementExecution) -> StatementView:
    is_running = not statement.ended.done()
    progress = await asyncio.to_thread(execution.progress, statement) if is_running else None
    return StatementView.of(statement, progress)


async def _wait(statement: Statement, seconds: float, wait_for: WaitFor) -> None:
    awaited = statement.ended if wait_for is WaitFor.END else statement.readable
    if seconds > 0:
        await asyncio.wait([asyncio.wrap_future(awaited)], timeout=seconds)
