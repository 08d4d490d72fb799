"""Sessions and statements."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from headrace.errors import InterfaceError
from headrace.model.json_value import json_value
from headrace.result import from_stream
from headrace.server.asked import (
    EndSession,
    Execution,
    OpenSessions,
    StatementExecution,
    SubmittedStatements,
    User,
)
from headrace.server.statement_views import CancelRequested, ResultRows, SessionView, StatementView
from headrace.server.statements import Statement
from headrace.server.view_route import ViewRoute
from headrace.wire import ARROW_STREAM, decode_parameters

LONGEST_WAIT = 60.0

routes = APIRouter(tags=["statements"], route_class=ViewRoute)


class StatementAsked(BaseModel):
    session: str
    statement: str
    parameters: dict[str, Any] | list[Any] | None = None
    wait_seconds: float = Field(0, ge=0, le=LONGEST_WAIT)


@routes.post("/sessions", status_code=201, summary="Open a session")
def open_session(sessions: OpenSessions, user: User) -> SessionView:
    """It is in a schema and uses a cluster, and has settings and temporary views of its own."""
    return SessionView.of(sessions.open(user))


@routes.delete("/sessions/{session}", status_code=204, summary="Close a session")
def end_session(session: str, sessions: OpenSessions, end: EndSession, user: User) -> None:
    end(sessions.find(session, user))


@routes.post("/statements", status_code=202, summary="Submit a statement")
async def submit_statement(
    asked: StatementAsked, sessions: OpenSessions, execution: Execution, user: User
) -> StatementView:
    """One statement; the answer comes when it has ended, or after ``wait_seconds``."""
    session = sessions.find(asked.session, user)
    parameters = decode_parameters(asked.parameters)
    statement = await asyncio.to_thread(execution.submit, session, asked.statement, parameters)
    await _wait(statement, asked.wait_seconds)
    return await _state(statement, execution)


@routes.get("/statements/{job_id}", summary="Show the state of a statement")
async def statement_state(
    job_id: str,
    statements: SubmittedStatements,
    execution: Execution,
    user: User,
    wait_seconds: Annotated[float, Query(ge=0, le=LONGEST_WAIT)] = 0,
) -> StatementView:
    statement = statements.find(job_id, user)
    await _wait(statement, wait_seconds)
    return await _state(statement, execution)


@routes.post("/statements/{job_id}/cancel", status_code=202, summary="Cancel a statement")
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
def statement_rows(
    job_id: str,
    statements: SubmittedStatements,
    user: User,
    accept: Annotated[str, Header()] = "application/json",
) -> Response:
    """As an Arrow stream where that is accepted, else as JSON."""
    statement = statements.find(job_id, user)
    if statement.error is not None:
        raise statement.error
    if statement.answer is None:
        raise InterfaceError(f"statement {job_id} has not ended yet")
    statement.fetched = True
    if ARROW_STREAM in accept:
        return Response(statement.answer.rows, media_type=ARROW_STREAM)
    return JSONResponse(_as_json(statement.answer.rows, statement.answer.types))


async def _state(statement: Statement, execution: StatementExecution) -> StatementView:
    is_running = not statement.ended.done()
    progress = await asyncio.to_thread(execution.progress, statement) if is_running else None
    return StatementView.of(statement, progress)


async def _wait(statement: Statement, seconds: float) -> None:
    if seconds > 0:
        await asyncio.wait([asyncio.wrap_future(statement.ended)], timeout=seconds)


def _as_json(stream: bytes, types: tuple[str, ...]) -> dict[str, Any]:
    table = from_stream(stream)
    columns = [column.to_pylist() for column in table.columns]
    named = zip(table.column_names, types, strict=True)
    return {
        "columns": [{"name": name, "type": kind} for name, kind in named],
        "rows": [[json_value(value) for value in row] for row in zip(*columns, strict=True)],
    }
