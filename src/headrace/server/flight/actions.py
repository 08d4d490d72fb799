"""What clients ask for beside rows: prepared statements, cancelling, options of the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from headrace.errors import InterfaceError, NotSupportedError
from headrace.server.flight.callers import FlightCaller
from headrace.server.flight.commands import (
    no_transactions,
    read_command,
    refuse_transaction,
    unsupported,
    write_command,
)
from headrace.server.flight.messages import Flight_pb2 as messages
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.flight.prepared_statements import PreparedStatements
from headrace.server.flight.session_options import close_session, get_options, set_options
from headrace.server.flight.statement_execution import StatementExecution

ACTIONS: Mapping[str, str] = {
    "CreatePreparedStatement": "Prepares a statement.",
    "ClosePreparedStatement": "Ends a prepared statement.",
    "CancelFlightInfo": "Cancels the statement of a FlightInfo.",
    "CancelQuery": "Cancels the statement of a FlightInfo.",
    "SetSessionOptions": "Sets catalog, schema or vcluster of the session.",
    "GetSessionOptions": "Shows catalog, schema and vcluster of the session.",
    "CloseSession": "Ends the session.",
}
T = TypeVar("T", bound=Message)
_TRANSACTIONS = frozenset({"BeginTransaction", "BeginSavepoint", "EndTransaction", "EndSavepoint"})


class Actions:
    def __init__(self, execution: StatementExecution, prepared: PreparedStatements) -> None:
        self._execution = execution
        self._prepared = prepared
        self._known: Mapping[str, Callable[[bytes, FlightCaller], bytes | None]] = {
            "CreatePreparedStatement": self._prepare,
            "ClosePreparedStatement": self._close_prepared,
            "CancelFlightInfo": self._cancel_flight_info,
            "CancelQuery": self._cancel_query,
            "SetSessionOptions": lambda body, caller: set_options(body, caller, execution),
            "GetSessionOptions": lambda _, caller: get_options(caller, execution),
            "CloseSession": lambda _, caller: close_session(caller, execution),
        }

    def run(self, kind: str, body: bytes, caller: FlightCaller) -> list[bytes]:
        if kind in _TRANSACTIONS:
            raise no_transactions()
        action = self._known.get(kind)
        if action is None:
            raise NotSupportedError(f"the action {kind} is not supported")
        try:
            answer = action(body, caller)
        except DecodeError:
            raise InterfaceError(f"the request of {kind} cannot be read") from None
        return [] if answer is None else [answer]

    def _prepare(self, body: bytes, caller: FlightCaller) -> bytes:
        request = _expected(body, sql.ActionCreatePreparedStatementRequest)
        refuse_transaction(request)
        prepared = self._prepared.prepare(request.query, caller)
        return write_command(
            sql.ActionCreatePreparedStatementResult(
                prepared_statement_handle=prepared.handle,
                dataset_schema=bytes(prepared.columns.serialize()),
                parameter_schema=bytes(prepared.parameters.serialize()),
            )
        )

    def _close_prepared(self, body: bytes, caller: FlightCaller) -> None:
        request = _expected(body, sql.ActionClosePreparedStatementRequest)
        self._prepared.close(request.prepared_statement_handle, caller)

    def _cancel_flight_info(self, body: bytes, caller: FlightCaller) -> bytes:
        info = messages.CancelFlightInfoRequest.FromString(body).info
        status = messages.CANCEL_STATUS_CANCELLED
        if not self._cancel(info, caller):
            status = messages.CANCEL_STATUS_NOT_CANCELLABLE
        return messages.CancelFlightInfoResult(status=status).SerializeToString()

    def _cancel_query(self, body: bytes, caller: FlightCaller) -> bytes:
        request = _expected(body, sql.ActionCancelQueryRequest)
        result = sql.ActionCancelQueryResult.CANCEL_RESULT_CANCELLED
        if not self._cancel(messages.FlightInfo.FromString(request.info), caller):
            result = sql.ActionCancelQueryResult.CANCEL_RESULT_NOT_CANCELLABLE
        return write_command(sql.ActionCancelQueryResult(result=result))

    def _cancel(self, info: messages.FlightInfo, caller: FlightCaller) -> bool:
        tickets = [read_command(each.ticket.ticket) for each in info.endpoint]
        jobs = [each.statement_handle for each in tickets if isinstance(each, sql.TicketStatementQuery)]
        cancelled = [self._execution.cancel(job.decode(errors="replace"), caller) for job in jobs]
        return any(cancelled)


def _expected(body: bytes, kind: type[T]) -> T:
    command = read_command(body)
    if not isinstance(command, kind):
        raise unsupported(command)
    return command
