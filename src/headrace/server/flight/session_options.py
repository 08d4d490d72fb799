"""What drivers set for a connection: the workspace, the schema and the virtual cluster of its session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.errors import ProgrammingError
from headrace.model.names import DEFAULT_SCHEMA
from headrace.model.quoting import quote_identifier
from headrace.server.flight.callers import FlightCaller
from headrace.server.flight.messages import Flight_pb2 as messages
from headrace.server.flight.statement_execution import StatementExecution

CATALOG, SCHEMA, VCLUSTER = "catalog", "schema", "vcluster"
_NAMES = (CATALOG, SCHEMA, VCLUSTER)


def set_options(body: bytes, caller: FlightCaller, execution: StatementExecution) -> bytes:
    """Each that could not be set is in the answer."""
    execution.sessions.expect_session(caller, "SetSessionOptions")
    asked = messages.SetSessionOptionsRequest.FromString(body).session_options
    answer = messages.SetSessionOptionsResult()
    values = {name: value.string_value for name, value in asked.items()}
    for name in values.keys() - set(_NAMES):
        answer.errors[name].value = messages.SetSessionOptionsResult.INVALID_NAME
    for names, statement in _statements(values):
        try:
            execution.run(statement, None, caller, lambda: False)
        except ProgrammingError:
            for name in names:
                answer.errors[name].value = messages.SetSessionOptionsResult.INVALID_VALUE
    return answer.SerializeToString()


def get_options(caller: FlightCaller, execution: StatementExecution) -> bytes:
    session = execution.sessions.of(caller)
    answer: Any = messages.GetSessionOptionsResult()
    answer.session_options[CATALOG].string_value = session.workspace
    answer.session_options[SCHEMA].string_value = session.schema
    answer.session_options[VCLUSTER].string_value = session.cluster
    return bytes(answer.SerializeToString())


def close_session(caller: FlightCaller, execution: StatementExecution) -> bytes:
    """Of a client without one there is nothing to close."""
    execution.sessions.close(caller)
    return messages.CloseSessionResult(status=messages.CloseSessionResult.CLOSED).SerializeToString()


def _statements(values: Mapping[str, str]) -> list[tuple[list[str], str]]:
    """The statements that set the options, with the names of these."""
    found = []
    names = [name for name in (CATALOG, SCHEMA) if name in values]
    if names:
        parts = (
            [values[CATALOG], values.get(SCHEMA, DEFAULT_SCHEMA)] if CATALOG in values else [values[SCHEMA]]
        )
        found.append((names, f"USE {'.'.join(map(quote_identifier, parts))}"))
    if VCLUSTER in values:
        found.append(([VCLUSTER], f"USE VCLUSTER {quote_identifier(values[VCLUSTER])}"))
    return found
