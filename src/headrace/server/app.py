"""The server's HTTP API."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pyarrow as pa
from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

import headrace
from headrace.errors import (
    AccessDenied,
    AlreadyExists,
    Error,
    InterfaceError,
    InternalError,
    NotFound,
    NotSupportedError,
    OperationalError,
)
from headrace.server.access import Access
from headrace.server.limits import SizeLimit
from headrace.server.service import Service
from headrace.server.statements import Statement
from headrace.wire import ARROW_STREAM, decode_parameters, encode_error, json_value

LONGEST_WAIT = 60.0

_STATUS: list[tuple[type[Error], int]] = [
    (AccessDenied, 401),
    (NotFound, 404),
    (AlreadyExists, 409),
    (NotSupportedError, 501),
    (InternalError, 500),
    (OperationalError, 503),
    (InterfaceError, 400),
    (Error, 400),
]


class StatementAsked(BaseModel):
    session: str
    statement: str
    parameters: dict[str, Any] | list[Any] | None = None
    wait_seconds: float = Field(0, ge=0, le=LONGEST_WAIT)


def make_app(service: Service, access: Access) -> FastAPI:
    app = FastAPI(title="Headrace", version=headrace.__version__)
    app.add_middleware(SizeLimit)
    app.add_exception_handler(Error, _told)
    app.include_router(_routes(service, access), prefix="/api/v1")
    return app


async def _told(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, Error):
        raise error
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    return JSONResponse({"error": encode_error(error)}, status)


def _routes(service: Service, access: Access) -> APIRouter:
    User = Annotated[str, Depends(access.user)]  # noqa: N806  (a type)
    routes = APIRouter()

    @routes.post("/sessions", status_code=201)
    def open_session(user: User) -> dict[str, str]:
        session = service.sessions.open(user)
        return {"session": session.id, "workspace": session.workspace, "schema": session.schema}

    @routes.delete("/sessions/{session}", status_code=204)
    def end_session(session: str, user: User) -> None:
        service.end(service.sessions.find(session, user))

    @routes.post("/statements", status_code=202)
    async def submit(asked: StatementAsked, user: User) -> dict[str, Any]:
        """Runs a statement; waits for its end as long as asked for."""
        session = service.sessions.find(asked.session, user)
        parameters = decode_parameters(asked.parameters)
        statement = await asyncio.to_thread(service.submit, session, asked.statement, parameters)
        await _wait(statement, asked.wait_seconds)
        return await _state(statement)

    @routes.get("/statements/{job_id}")
    async def state(
        job_id: str, user: User, wait_seconds: Annotated[float, Query(ge=0, le=LONGEST_WAIT)] = 0
    ) -> dict[str, Any]:
        statement = service.statements.find(job_id, user)
        await _wait(statement, wait_seconds)
        return await _state(statement)

    @routes.post("/statements/{job_id}/cancel", status_code=202)
    def cancel(job_id: str, user: User) -> None:
        service.cancel(service.statements.find(job_id, user))

    @routes.get("/statements/{job_id}/rows")
    def rows(job_id: str, user: User, accept: Annotated[str, Header()] = "application/json") -> Response:
        """As an Arrow stream where that is accepted, else as JSON."""
        statement = service.statements.find(job_id, user)
        if statement.error is not None:
            raise statement.error
        if statement.answer is None:
            raise InterfaceError(f"statement {job_id} has not ended yet")
        if ARROW_STREAM in accept:
            return Response(statement.answer.rows, media_type=ARROW_STREAM)
        return JSONResponse(_as_json(statement.answer.rows, statement.answer.types))

    async def _state(statement: Statement) -> dict[str, Any]:
        job, answer = statement.job, statement.answer
        ended = statement.ended.done()
        progress = None if ended else await asyncio.to_thread(service.progress, statement)
        return {
            "job_id": job.job_id,
            "state": job.state,
            "ended": ended,
            "cluster": job.cluster,
            "progress": progress,
            "types": answer.types if answer else [],
            "notices": answer.notices if answer else [],
            "workspace": statement.session.workspace,
            "schema": statement.session.schema,
            "error": encode_error(statement.error) if statement.error else None,
        }

    return routes


async def _wait(statement: Statement, seconds: float) -> None:
    if seconds > 0:
        await asyncio.wait([asyncio.wrap_future(statement.ended)], timeout=seconds)


def _as_json(stream: bytes, types: tuple[str, ...]) -> dict[str, Any]:
    with pa.ipc.open_stream(stream) as reader:
        table = reader.read_all()
    columns = [column.to_pylist() for column in table.columns]
    return {
        "columns": [
            {"name": name, "type": kind} for name, kind in zip(table.column_names, types, strict=True)
        ],
        "rows": [[json_value(value) for value in row] for row in zip(*columns, strict=True)],
    }
