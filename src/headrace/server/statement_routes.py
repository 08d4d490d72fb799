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
from headrace.server.asked import Served, User
from headrace.server.service import Service
from headrace.server.statements import Statement
from headrace.wire import ARROW_STREAM, decode_parameters, encode_error

LONGEST_WAIT = 60.0

routes = APIRouter(tags=["statements"])


class StatementAsked(BaseModel):
    session: str
    statement: str
    parameters: dict[str, Any] | list[Any] | None = None
    wait_seconds: float = Field(0, ge=0, le=LONGEST_WAIT)


@routes.post("/sessions", status_code=201, summary="Open a session")
def open_session(service: Served, user: User) -> dict[str, str]:
    """It is in a schema and uses a cluster, and has settings and temporary views of its own."""
    session = service.sessions.open(user)
    return {"session": session.id, "workspace": session.workspace, "schema": session.schema}


@routes.delete("/sessions/{session}", status_code=204, summary="Close a session")
def end_session(session: str, service: Served, user: User) -> None:
    service.end(service.sessions.find(session, user))


@routes.post("/statements", status_code=202, summary="Submit a statement")
async def submit_statement(asked: StatementAsked, service: Served, user: User) -> dict[str, Any]:
    """One statement; the answer comes when it has ended, or after ``wait_seconds``."""
    session = service.sessions.find(asked.session, user)
    parameters = decode_parameters(asked.parameters)
    statement = await asyncio.to_thread(service.submit, session, asked.statement, parameters)
    await _wait(statement, asked.wait_seconds)
    return await _state(statement, service)


@routes.get("/statements/{job_id}", summary="Show the state of a statement")
async def statement_state(
    job_id: str,
    service: Served,
    user: User,
    wait_seconds: Annotated[float, Query(ge=0, le=LONGEST_WAIT)] = 0,
) -> dict[str, Any]:
    statement = service.statements.find(job_id, user)
    await _wait(statement, wait_seconds)
    return await _state(statement, service)


@routes.post("/statements/{job_id}/cancel", status_code=202, summary="Cancel a statement")
def cancel_statement(job_id: str, service: Served, user: User) -> None:
    service.cancel(service.statements.find(job_id, user))


@routes.get("/statements/{job_id}/rows", summary="Fetch the rows of a statement")
def statement_rows(
    job_id: str, service: Served, user: User, accept: Annotated[str, Header()] = "application/json"
) -> Response:
    """As an Arrow stream where that is accepted, else as JSON."""
    statement = service.statements.find(job_id, user)
    if statement.error is not None:
        raise statement.error
    if statement.answer is None:
        raise InterfaceError(f"statement {job_id} has not ended yet")
    statement.fetched = True
    if ARROW_STREAM in accept:
        return Response(statement.answer.rows, media_type=ARROW_STREAM)
    return JSONResponse(_as_json(statement.answer.rows, statement.answer.types))


async def _state(statement: Statement, service: Service) -> dict[str, Any]:
    job, answer = statement.job, statement.answer
    ended = statement.ended.done()
    return {
        "job_id": job.job_id,
        "state": job.state,
        "ended": ended,
        "cluster": job.cluster,
        "progress": None if ended else await asyncio.to_thread(service.progress, statement),
        "types": answer.types if answer else [],
        "notices": answer.notices if answer else [],
        "row_count": answer.row_count if answer else None,
        "workspace": statement.session.workspace,
        "schema": statement.session.schema,
        "error": encode_error(statement.error) if statement.error else None,
    }


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
