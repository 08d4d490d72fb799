"""Bulk ingestion: the rows of one call are written by one commit, or not at all.

They are stored in a file as they come, and read from it when all are there, so the server holds a few
megabytes of them, and nothing is committed of a call that breaks off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from headrace.errors import AlreadyExists, Cancelled, NotFound, NotSupportedError, OperationalError
from headrace.ingest.stream_writers.targets import FoundTarget, Targets
from headrace.lake.staging import staging
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.model.role import Privilege
from headrace.server.flight.callers import FlightCaller
from headrace.server.flight.commands import refuse_transaction
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.flight.statement_execution import StatementExecution
from headrace.server.flight.storable_rows import Conversion, for_new_table, for_table
from headrace.server.rights import expect
from headrace.server.sessions import ClientSession
from headrace.server.statement_runner import SentRows
from headrace.server.statements import Statement

_GROUP_BYTES = 32 << 20
"""Of rows that are written to the file together."""
_Options = sql.CommandStatementIngest.TableDefinitionOptions


class FileRunner(Protocol):
    def submit_rows(self, session: ClientSession, rows: SentRows) -> Statement: ...


@dataclass(frozen=True)
class Ingestion:
    execution: StatementExecution
    runner: FileRunner
    targets: Targets
    staging: Path

    def ingest(
        self,
        command: sql.CommandStatementIngest,
        schema: pa.Schema,
        batches: Iterator[pa.RecordBatch],
        caller: FlightCaller,
        is_cancelled: Callable[[], bool],
    ) -> int:
        """How many rows were written."""
        refuse_transaction(command)
        expect(Privilege.MODIFY, caller.principal, "write rows")
        if command.temporary:
            raise NotSupportedError("temporary tables are not supported", hint="write to a table")
        session = self.execution.sessions.of(caller)
        name = TableName(
            command.catalog or session.workspace, command.schema or session.schema, command.table
        )
        target = self._target(name)
        action = _action(command.table_definition_options, name, target is not None)
        if action == "INSERT INTO" and target is not None:
            name = target.name
            stored, convert = for_table(schema, target.target.schema)
            columns = ", ".join(map(quote_identifier, stored.names))
            write = f"{action} {name.sql} ({columns})"
        else:
            stored, convert = for_new_table(schema)
            write = f"{action} {name.sql} AS"
        with self._file() as file:
            rows = _store(file, stored, convert, batches)
            if is_cancelled():
                raise Cancelled("the client has cancelled the request")
            sent = SentRows(write, tuple(stored.names), file, rows)
            self.execution.finish(self.runner.submit_rows(session, sent), is_cancelled)
        return rows

    def _target(self, name: TableName) -> FoundTarget | None:
        try:
            return self.targets.find(name)
        except NotFound:
            return None

    @contextmanager
    def _file(self) -> Iterator[Path]:
        try:
            with staging(self.staging) as directory:
                yield directory / "rows.parquet"
        except OSError as error:
            raise OperationalError(
                f"the rows cannot be stored in {self.staging}: {error.strerror or error}",
                hint="free some space on the machine of the server",
            ) from error


def _action(options: Any, name: TableName, exists: bool) -> str:
    """How the statement begins that writes the rows."""
    if not exists:
        if options.if_not_exist != _Options.TABLE_NOT_EXIST_OPTION_CREATE:
            raise NotFound(f"table {name} does not exist", hint="create it, or use the mode create_append")
        return "CREATE TABLE"
    match options.if_exists:
        case _Options.TABLE_EXISTS_OPTION_APPEND:
            return "INSERT INTO"
        case _Options.TABLE_EXISTS_OPTION_REPLACE:
            return "CREATE OR REPLACE TABLE"
    raise AlreadyExists(f"table {name} already exists", hint="use the mode append or replace")


def _store(file: Path, schema: pa.Schema, convert: Conversion, batches: Iterator[pa.RecordBatch]) -> int:
    """The number of rows."""
    rows = size = 0
    waiting: list[pa.Table] = []
    with pq.ParquetWriter(file, schema) as writer:
        for batch in batches:
            waiting.append(convert(batch))
            rows += batch.num_rows
            size += batch.nbytes
            if size >= _GROUP_BYTES:
                writer.write_table(pa.concat_tables(waiting))
                waiting, size = [], 0
        if waiting:
            writer.write_table(pa.concat_tables(waiting))
    return rows
