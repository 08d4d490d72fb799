"""Transactions of the metadata database, in which every store reads and writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, Select, Table

from headrace.catalog.database_engine import writing
from headrace.catalog.database_errors import database_errors, row_errors
from headrace.catalog.rows import Row
from headrace.errors import InterfaceError


class Transactions:
    """Any thread may use it. What was written is on disk when a transaction has ended."""

    def __init__(self, engine: Engine) -> None:
        self._reads = engine
        self._writes = writing(engine)
        self._one_writer: AbstractContextManager[object] = (
            Lock() if engine.dialect.name == "sqlite" else nullcontext()
        )
        self._closed = False

    @contextmanager
    def write(self) -> Iterator[Connection]:
        self._expect_open()
        with database_errors(), self._one_writer, self._writes.begin() as connection:
            yield connection

    @contextmanager
    def read(self, table: Table, query: Select[Any]) -> Iterator[Iterator[Row]]:
        """The rows of a query, to be converted inside the block."""
        self._expect_open()
        with database_errors(), self._reads.connect() as connection, row_errors(table.name):
            yield iter(connection.execute(query).mappings())

    def close(self) -> None:
        self._closed = True
        self._reads.dispose()

    def _expect_open(self) -> None:
        if self._closed:
            raise InterfaceError("the metadata store is closed")
