"""Prepared statements: a text, the columns it gives, and the values that were bound last."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

import pyarrow as pa

from headrace.errors import (
    DataError,
    Error,
    InterfaceError,
    NotFound,
    NotSupportedError,
    ProgrammingError,
    Refused,
    SqlSyntaxError,
)
from headrace.model.parameters import Parameters
from headrace.server.flight.callers import FlightCaller
from headrace.server.flight.parameter_types import LakeColumns, parameter_schema
from headrace.server.flight.parameters import MOST_ROWS, bound_rows, markers_of
from headrace.server.flight.statement_execution import StatementExecution
from headrace.server.statement_runner import parsed_alone
from headrace.server.statements import Statement
from headrace.sql.parsed import ParsedStatement

_MOST_KEPT = 10_000
"""Of all users; of more those go that were used longest ago."""
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM", "("})
_READS = frozenset({"SHOW", "DESC", "DESCRIBE", "EXPLAIN"})
_RUNS_WITH_ROWS = frozenset(
    {"REFRESH", "VERIFY", "VACUUM", "OPTIMIZE", "COPY", "TEST", "CALL", "SET", "EXECUTE"}
)
UNKNOWN_COLUMNS = pa.schema([pa.field("result", pa.string())])
"""Of a statement with rows that has to run before its columns are known. What it gives then has its own."""


class Answer(Enum):
    """What a statement answers with, and when its columns are known."""

    QUERY = auto()
    RUN_FOR_ROWS = auto()
    COUNT = auto()


def answer_of(parsed: ParsedStatement) -> Answer:
    word = parsed.tokens[0].upper
    if (word in _QUERIES and not parsed.effects) or word in _READS:
        return Answer.QUERY
    return Answer.RUN_FOR_ROWS if word in _RUNS_WITH_ROWS or parsed.is_block else Answer.COUNT


@dataclass
class Prepared:
    handle: bytes
    user: str
    text: str
    markers: tuple[str, ...]
    columns: pa.Schema
    parameters: pa.Schema
    bound: list[Parameters] = field(default_factory=list)


class PreparedStatements:
    """Any thread may use it. A handle is of use to the user who has it alone."""

    def __init__(self, execution: StatementExecution, columns: LakeColumns) -> None:
        self._execution = execution
        self._columns = columns
        self._kept: OrderedDict[bytes, Prepared] = OrderedDict()
        self._lock = threading.Lock()

    def prepare(self, text: str, caller: FlightCaller) -> Prepared:
        parsed = parsed_alone(text)
        markers = markers_of(parsed)
        prepared = Prepared(
            secrets.token_bytes(18),
            caller.user,
            text,
            markers,
            self.result_columns(parsed, caller),
            parameter_schema(parsed, markers, self._columns),
        )
        with self._lock:
            self._kept[prepared.handle] = prepared
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return prepared

    def find(self, handle: bytes, caller: FlightCaller) -> Prepared:
        with self._lock:
            found = self._kept.get(handle)
            if found is None or found.user != caller.user:
                raise NotFound("the prepared statement no longer exists", hint="prepare it again")
            self._kept.move_to_end(handle)
            return found

    def close(self, handle: bytes, caller: FlightCaller) -> None:
        found = self.find(handle, caller)
        with self._lock:
            self._kept.pop(found.handle, None)

    def bind(self, handle: bytes, batches: Iterator[pa.RecordBatch], caller: FlightCaller) -> Prepared:
        prepared = self.find(handle, caller)
        prepared.bound = bound_rows(_few(batches), prepared.markers)
        return prepared

    def start(self, handle: bytes, caller: FlightCaller, is_cancelled: Callable[[], bool]) -> Statement:
        prepared = self.find(handle, caller)
        if len(prepared.bound) > 1:
            raise InterfaceError("a query takes one row of parameters", hint="run it once for each row")
        return self._execution.start(prepared.text, _values(prepared), caller, is_cancelled)

    def run(
        self,
        handle: bytes,
        batches: Iterator[pa.RecordBatch],
        caller: FlightCaller,
        is_cancelled: Callable[[], bool],
    ) -> int:
        """Once for each row of parameters; the rows that were written by all."""
        prepared = self.find(handle, caller)
        given = bound_rows(_few(batches), prepared.markers) or prepared.bound
        rows: Sequence[Parameters | None] = given or [_values(prepared)]
        written = 0
        for done, values in enumerate(rows):
            try:
                written += self._execution.run(prepared.text, values, caller, is_cancelled)
            except Error as error:
                if len(rows) > 1:
                    error.message = f"row {done + 1} of the parameters: {error.message}"
                    error.hint = error.hint or f"{done} of {len(rows)} rows are committed"
                raise
        return written

    def result_columns(self, parsed: ParsedStatement, caller: FlightCaller) -> pa.Schema:
        """Nothing is run that changes anything."""
        markers = markers_of(parsed)
        match answer_of(parsed):
            case Answer.COUNT:
                return pa.schema([])
            case Answer.RUN_FOR_ROWS:
                return UNKNOWN_COLUMNS
            case Answer.QUERY if markers:
                return self._columns_with_parameters(parsed, markers, caller)
        return self._execution.describe(parsed, None, caller)

    def _columns_with_parameters(
        self, parsed: ParsedStatement, markers: tuple[str, ...], caller: FlightCaller
    ) -> pa.Schema:
        """With NULL for each; some queries cannot be planned with it."""
        nothing = [None for _ in markers]
        named = nothing if set(markers) == {"?"} else dict(zip(markers, nothing, strict=True))
        try:
            return self._execution.describe(parsed, named, caller)
        except (NotFound, SqlSyntaxError, Refused):
            raise
        except (DataError, ProgrammingError, NotSupportedError):
            return UNKNOWN_COLUMNS


def _values(prepared: Prepared) -> Parameters | None:
    if prepared.bound:
        return prepared.bound[0]
    if prepared.markers:
        raise InterfaceError(
            f"the statement has {len(prepared.markers)} parameters, and no values were given",
            hint="give one value for each",
        )
    return None


def _few(batches: Iterator[pa.RecordBatch]) -> list[pa.RecordBatch]:
    found: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if rows > MOST_ROWS:
            raise InterfaceError(
                f"a statement takes {MOST_ROWS:,} rows of parameters at most",
                hint="write more rows with bulk ingestion: in ADBC cursor.adbc_ingest",
            )
        if batch.num_rows:
            found.append(batch)
    return found
