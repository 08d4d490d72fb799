"""The public API: PEP 249, and what is pleasant beyond it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, Self

from headrace import errors
from headrace.errors import InterfaceError, NotSupportedError
from headrace.model.names import TableName
from headrace.model.parameters import Parameters as Parameters
from headrace.result import Result
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.sql.tokens.split import StatementText, split
from headrace.stream_writer import StreamWriter, WriterTransport
from headrace.stream_writer import WriteMode as WriteMode

Description = tuple[str, str, None, None, None, None, bool]


class Connection(ABC):
    """Any number of threads may use one; each statement is committed when it returns."""

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def sql(self, text: str, parameters: Parameters | None = None) -> Result:
        """Runs one or many statements; the rows of the last one are fetched when asked for."""
        statements = split(text)
        if not statements:
            raise InterfaceError("the text contains no statement")
        if parameters and len(statements) > 1:
            raise InterfaceError("parameters can be used with a single statement only, not with a script")
        for statement in statements[:-1]:
            self._execute(text, statement, None).skip_rows()
        return self._execute(text, statements[-1], parameters)

    def run(self, statement: str, parameters: Parameters | None = None) -> Result:
        """Runs exactly one statement and fetches its rows."""
        result = self._execute(statement, StatementText(statement, 0), parameters)
        result.arrow()
        return result

    def cursor(self) -> Cursor:
        self._expect_open()
        return Cursor(self)

    def commit(self) -> None:
        """Nothing to do: each statement commits by itself."""
        self._expect_open()

    def rollback(self) -> None:
        raise NotSupportedError("each statement is committed automatically; rollback is not supported")

    def stream(
        self,
        table: str,
        mode: WriteMode = "append",
        *,
        key: Sequence[str] = (),
        client: str | None = None,
        retry_seconds: float = 120.0,
    ) -> StreamWriter:
        """A writer of rows into a table, each kept once, whatever is killed meanwhile.

        Mode ``upsert`` replaces the rows that have the same values in the ``key`` columns: by default those
        that identify a row of the table. ``client`` names the writer, so that a program that was restarted
        finds out by ``.sequence`` how far it had come; a writer without a name is a new one each time.
        """
        parts = dotted_parts(table)
        if parts is None or len(parts) > 3:
            raise InterfaceError(f"{table!r} is not the name of a table", hint="write schema.table")
        name = TableName.resolve(parts, self.workspace, self.schema)
        return StreamWriter(self._writer_transport(name), mode, key, client, retry_seconds)

    @abstractmethod
    def _writer_transport(self, table: TableName) -> WriterTransport: ...

    @abstractmethod
    def cancel(self) -> None:
        """Stops the statements that other threads are running here."""

    @abstractmethod
    def progress(self) -> str | None:
        """What Spark is doing for this connection, in a few words."""

    @abstractmethod
    def table_names(self) -> list[str]:
        """Tables and views of the current schema."""

    @property
    @abstractmethod
    def workspace(self) -> str: ...

    @property
    @abstractmethod
    def schema(self) -> str: ...

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _expect_open(self) -> None:
        """A closed connection is an error."""

    @abstractmethod
    def _execute(self, script: str, statement: StatementText, parameters: Parameters | None) -> Result:
        """Errors point into the script, also those that come when rows are fetched."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class BufferedRows:
    """The next rows of a result. The first ones are fetched at once: most results have no others, and are
    then known to the end, with their errors."""

    _AT_ONCE = 10_000

    def __init__(self, rows: Iterable[tuple[Any, ...]] = ()) -> None:
        self._rows = iter(rows)
        self._ready = deque(islice(self._rows, self._AT_ONCE))
        self._fetched = len(self._ready)
        self._is_complete = self._fetched < self._AT_ONCE

    @property
    def count(self) -> int:
        """Of all rows; -1 as long as there may be more."""
        return self._fetched if self._is_complete else -1

    def take(self, size: int | None) -> list[tuple[Any, ...]]:
        """The next ones; None: all that are left."""
        wanted = len(self._ready) if size is None else min(size, len(self._ready))
        taken = [self._ready.popleft() for _ in range(wanted)]
        if not self._is_complete and (size is None or len(taken) < size):
            more = list(islice(self._rows, None if size is None else size - len(taken)))
            self._fetched += len(more)
            self._is_complete = size is None or len(taken) + len(more) < size
            taken += more
        return taken


class Cursor:
    """Not to be shared between threads; connections are."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: list[Description] | None = None
        self.notices: tuple[str, ...] = ()
        self._rows = BufferedRows()
        self._changed: int | None = None
        self._closed = False

    @property
    def rowcount(self) -> int:
        """Of the rows returned, or of those written, changed or deleted; -1 if it is not known.

        Of a large result it is not known before all rows were fetched.
        """
        if self.description is not None:
            return self._rows.count
        return -1 if self._changed is None else self._changed

    def execute(self, operation: str, parameters: Parameters | None = None) -> Self:
        self._expect_open()
        self._forget()
        result = self.connection.sql(operation, parameters)
        self._rows = BufferedRows(result)
        self.notices = result.notices
        self._changed = result.row_count
        if result.columns:
            pairs = zip(result.columns, result.types, strict=True)
            self.description = [(name, kind, None, None, None, None, True) for name, kind in pairs]
        return self

    def executemany(self, operation: str, parameter_sets: Iterable[Parameters]) -> Self:
        self._expect_open()
        for parameters in parameter_sets:
            self.execute(operation, parameters)
        self._forget()
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        self._expect_rows()
        return self._rows.take(max(0, self.arraysize if size is None else size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        self._expect_rows()
        return self._rows.take(None)

    def _forget(self) -> None:
        self.description, self._rows = None, BufferedRows()
        self.notices, self._changed = (), None

    def close(self) -> None:
        self._closed = True
        self._rows = BufferedRows()

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """PEP 249 lets it do nothing."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """PEP 249 lets it do nothing."""

    def _expect_open(self) -> None:
        self.connection._expect_open()
        if self._closed:
            raise InterfaceError("the cursor is closed")

    def _expect_rows(self) -> None:
        self._expect_open()
        if self.description is None:
            raise InterfaceError("there are no rows to fetch: the last statement returned none")

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        while (row := self.fetchone()) is not None:
            yield row

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
