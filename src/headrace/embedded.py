"""A lake opened by this process, with Spark inside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from headrace.commands.databases import reach
from headrace.commands.error_location import pointing_into
from headrace.commands.execute import execute
from headrace.commands.open_lake import acquire, release
from headrace.commands.statement_context import StatementContext
from headrace.connection import Connection, Parameters
from headrace.errors import InterfaceError
from headrace.ingest.stream_writers.embedded import open_writes, writes_of
from headrace.ingest.stream_writers.embedded_writer import EmbeddedWriter
from headrace.lake.directory import existing_lake
from headrace.lake.spark.engine import engine_needed
from headrace.lake.spark.interrupts import interruptible
from headrace.model.address import Database, Directory
from headrace.model.clock import Clock
from headrace.model.names import TableName
from headrace.result import Result
from headrace.sql.parsed import ParsedStatement
from headrace.sql.tokens.split import StatementText
from headrace.stream_writer import WriterTransport

T = TypeVar("T")


def directory_of(address: Directory | Database, create: bool) -> Path:
    """Where this machine keeps the lake, or what it needs to know of one that is in a database."""
    if isinstance(address, Database):
        return reach(address.url)
    if not create:
        existing_lake(address.path)
    return address.path


class EmbeddedConnection(Connection):
    def __init__(self, lake: Path, clock: Clock, progress: Callable[[str], None]) -> None:
        """Makes the lake first if the directory is missing or empty."""
        opened = acquire(lake, clock, progress)
        try:
            self._open_context: StatementContext | None = StatementContext(opened, opened.new_session())
        except BaseException:
            release(opened)
            raise

    def cancel(self) -> None:
        self._context.session.jobs.cancel()

    def progress(self) -> str | None:
        return self._context.session.jobs.progress()

    def _writer_transport(self, table: TableName) -> WriterTransport:
        return EmbeddedWriter(open_writes(self._context.lake), table)

    def table_names(self) -> list[str]:
        session = self._context.session
        here = session.workspace, session.schema
        return sorted([*session.catalog.tables(*here), *session.catalog.views(*here)])

    @property
    def lake_path(self) -> Path:
        return self._context.lake.directory.path

    @property
    def workspace(self) -> str:
        return self._context.session.workspace

    @property
    def schema(self) -> str:
        return self._context.session.schema

    def close(self) -> None:
        context, self._open_context = self._open_context, None
        if context is not None:
            release(context.lake)

    @property
    def _context(self) -> StatementContext:
        if self._open_context is None:
            raise InterfaceError("the connection is closed")
        return self._open_context

    def _expect_open(self) -> None:
        self._context  # noqa: B018  (it raises)

    def _execute(self, script: str, statement: StatementText, parameters: Parameters | None) -> Result:
        context = self._context

        def through(work: Callable[[], T]) -> T:
            def in_script() -> T:
                with (
                    engine_needed(),
                    context.session.jobs.group(),
                    pointing_into(script, statement.text, statement.offset),
                ):
                    return work()

            return interruptible(in_script, context.session.jobs.cancel)

        writes = writes_of(context.lake)
        notices = () if writes is None else through(writes.commit_all)
        result = through(lambda: execute(ParsedStatement.of(statement), parameters, context))
        result.notices = (*notices, *result.notices)
        return result.through(through)
