"""Flight SQL over gRPC: what a request asks for, and which part of this package answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.flight as flight
from google.protobuf.message import Message

from headrace.errors import InterfaceError, NotSupportedError
from headrace.server.flight.actions import ACTIONS, Actions
from headrace.server.flight.callers import CALLER, CallerFactory, FlightCaller, Handshake
from headrace.server.flight.commands import read_command, refuse_transaction, unsupported, write_command
from headrace.server.flight.errors import answers_errors
from headrace.server.flight.ingestion import Ingestion
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.flight.metadata_commands import metadata_rows, metadata_schema
from headrace.server.flight.object_tables import ObjectTables
from headrace.server.flight.prepared_statements import PreparedStatements
from headrace.server.flight.statement_execution import StatementExecution, row_count, schema_of
from headrace.server.statement_runner import parsed_alone
from headrace.server.statements import Statement


@dataclass(frozen=True)
class FlightParts:
    execution: StatementExecution
    prepared: PreparedStatements
    ingestion: Ingestion
    tables: ObjectTables


class FlightSqlServer(flight.FlightServerBase):  # type: ignore[misc]
    """Listens from its construction on."""

    def __init__(
        self,
        location: str,
        parts: FlightParts,
        callers: CallerFactory,
        certificates: list[tuple[bytes, bytes]],
    ) -> None:
        """``certificates``: a certificate and its key for TLS, or nothing."""
        self._execution = parts.execution
        self._prepared = parts.prepared
        self._ingestion = parts.ingestion
        self._tables = parts.tables
        self._actions = Actions(parts.execution, parts.prepared)
        super().__init__(
            location,
            auth_handler=Handshake(),
            tls_certificates=certificates or None,
            middleware={CALLER: callers},
        )

    @answers_errors
    def list_flights(self, context: Any, criteria: bytes) -> Iterator[Any]:
        raise NotSupportedError(
            "the server has no list of flights", hint="connect with a driver for Flight SQL"
        )

    @answers_errors
    def get_flight_info(self, context: Any, descriptor: Any) -> Any:
        command = read_command(_command_in(descriptor))
        schema = metadata_schema(command)
        if schema is not None:
            return _info(schema, descriptor, command, -1)
        statement = self._start(command, caller_of(context), context.is_cancelled)
        ticket = sql.TicketStatementQuery(statement_handle=statement.job.job_id.encode())
        return _info(schema_of(statement), descriptor, ticket, row_count(statement))

    @answers_errors
    def get_schema(self, context: Any, descriptor: Any) -> Any:
        """Of a statement that changes nothing: it is not run."""
        command = read_command(_command_in(descriptor))
        schema = metadata_schema(command)
        if schema is None:
            schema = self._result_schema(command, caller_of(context))
        return flight.SchemaResult(schema)

    @answers_errors
    def do_get(self, context: Any, ticket: Any) -> Any:
        command = read_command(ticket.ticket)
        if isinstance(command, sql.TicketStatementQuery):
            job = command.statement_handle.decode(errors="replace")
            return self._execution.rows(job, caller_of(context), context.is_cancelled)
        rows = metadata_rows(command, self._tables)
        if rows is None:
            raise unsupported(command)
        return flight.RecordBatchStream(rows)

    @answers_errors
    def do_put(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        caller, is_cancelled = caller_of(context), context.is_cancelled
        command = read_command(_command_in(descriptor))
        match command:
            case sql.CommandStatementUpdate():
                refuse_transaction(command)
                written = self._execution.run(command.query, None, caller, is_cancelled)
            case sql.CommandPreparedStatementUpdate():
                handle = command.prepared_statement_handle
                written = self._prepared.run(handle, batches_of(reader), caller, is_cancelled)
            case sql.CommandPreparedStatementQuery():
                handle = command.prepared_statement_handle
                self._prepared.bind(handle, batches_of(reader), caller)
                bound = sql.DoPutPreparedStatementResult(prepared_statement_handle=handle)
                writer.write(bound.SerializeToString())
                return
            case sql.CommandStatementIngest():
                written = self._ingestion.ingest(
                    command, reader.schema, batches_of(reader), caller, is_cancelled
                )
            case _:
                raise unsupported(command)
        writer.write(sql.DoPutUpdateResult(record_count=written).SerializeToString())

    def list_actions(self, context: Any) -> list[Any]:
        return [flight.ActionType(*each) for each in ACTIONS.items()]

    @answers_errors
    def do_action(self, context: Any, action: Any) -> list[bytes]:
        return self._actions.run(action.type, action.body.to_pybytes(), caller_of(context))

    def _start(self, command: Message, caller: FlightCaller, is_cancelled: Callable[[], bool]) -> Statement:
        match command:
            case sql.CommandStatementQuery():
                refuse_transaction(command)
                return self._execution.start(command.query, None, caller, is_cancelled)
            case sql.CommandPreparedStatementQuery():
                return self._prepared.start(command.prepared_statement_handle, caller, is_cancelled)
        raise unsupported(command)

    def _result_schema(self, command: Message, caller: FlightCaller) -> pa.Schema:
        match command:
            case sql.CommandStatementQuery():
                return self._prepared.result_columns(parsed_alone(command.query), caller)
            case sql.CommandPreparedStatementQuery():
                return self._prepared.find(command.prepared_statement_handle, caller).columns
        raise unsupported(command)


def caller_of(context: Any) -> FlightCaller:
    caller: FlightCaller = context.get_middleware(CALLER).caller
    return caller


def batches_of(reader: Any) -> Iterator[pa.RecordBatch]:
    """What the client sends, as it comes."""
    for chunk in reader:
        if chunk.data is not None:
            yield chunk.data


def _command_in(descriptor: Any) -> bytes:
    if descriptor.descriptor_type != flight.DescriptorType.CMD:
        raise InterfaceError("the server has no paths", hint="connect with a driver for Flight SQL")
    command: bytes = descriptor.command
    return command


def _info(schema: pa.Schema, descriptor: Any, ticket: Message, rows: int) -> Any:
    """The rows are fetched over the same connection."""
    endpoint = flight.FlightEndpoint(write_command(ticket), [])
    return flight.FlightInfo(schema, descriptor, [endpoint], rows, -1)
