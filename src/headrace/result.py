"""What a statement gave, on its way to the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pyarrow as pa

from headrace.errors import DataError, NotSupportedError
from headrace.model.text_table import text_table

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

T = TypeVar("T")

END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""Of Arrow's streaming format: a stream without it was cut off."""


class Through(Protocol):
    """Runs a part of the work of fetching rows."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


def _directly(work: Callable[[], T]) -> T:
    return work()


class Rows(Protocol):
    """Where a result's rows come from."""

    @property
    def types(self) -> list[tuple[str, str]]:
        """Name and Spark SQL type of each column."""

    def arrow(self) -> pa.Table:
        """All rows, in memory from then on."""

    def reader(self) -> pa.RecordBatchReader:
        """The rows as they come, from the first one on, whoever has read them before."""

    def spark(self) -> DataFrame: ...


class LocalRows:
    """Rows that Headrace itself has made."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(field.name, _spark_type(field.type)) for field in self._table.schema]

    def arrow(self) -> pa.Table:
        return self._table

    def reader(self) -> pa.RecordBatchReader:
        return self._table.to_reader()

    def spark(self) -> DataFrame:
        raise NotSupportedError("this statement's result is not a DataFrame", hint="use .df() or .arrow()")


class Result:
    """What a statement gave: rows, perhaps none, and notices."""

    def __init__(self, rows: Rows, notices: tuple[str, ...] = (), row_count: int | None = None) -> None:
        self.rows = rows
        self.notices = notices
        self.row_count = row_count
        """Of the rows that the statement wrote, changed or deleted; None if it is not known."""
        self._through: Through = _directly

    @property
    def columns(self) -> list[str]:
        return [name for name, _ in self.rows.types]

    @property
    def types(self) -> list[str]:
        """Spark SQL types, in the order of the columns."""
        return [kind for _, kind in self.rows.types]

    def through(self, run: Through) -> Result:
        """Rows may be fetched late; ``run`` is who does it then."""
        self._through = run
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        return _as_tuples(self.arrow())

    def arrow(self) -> pa.Table:
        """All rows, in memory."""
        return self._through(self.rows.arrow)

    def reader(self) -> pa.RecordBatchReader:
        """The rows as they come, batch by batch, without holding all of them in memory.

        Each call reads from the first row on.
        """
        reader = self._through(self.rows.reader)
        return pa.RecordBatchReader.from_batches(reader.schema, self._batches(reader))

    def _batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        while (batch := self._through(partial(_next_batch, reader))) is not None:
            yield batch

    def skip_rows(self) -> None:
        """Ends when the statement has: its errors come here, its rows nowhere."""
        for _ in self.reader():
            pass

    def df(self) -> pd.DataFrame:
        if find_spec("pandas") is None:
            raise NotSupportedError(".df() requires pandas", hint="pip install pandas, or use .arrow()")
        frame: pd.DataFrame = _python_objects(self.arrow().to_pandas)
        return frame

    def spark(self) -> DataFrame:
        """The result as a Spark DataFrame, nothing brought here."""
        return self.rows.spark()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for batch in self.reader():
            yield from _as_tuples(batch)

    def __len__(self) -> int:
        return int(self.arrow().num_rows)

    def __str__(self) -> str:
        return text_table(self.columns, self.fetchall()) if self.columns else "ok"

    __repr__ = __str__


NOTHING = LocalRows(pa.table({}))


def as_stream(table: pa.Table) -> bytes:
    """In Arrow's own format."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def from_stream(stream: bytes) -> pa.Table:
    with pa.ipc.open_stream(stream) as reader:
        return reader.read_all()


def _next_batch(reader: pa.RecordBatchReader) -> pa.RecordBatch | None:
    try:
        return reader.read_next_batch()
    except StopIteration:
        return None


def _as_tuples(rows: pa.Table | pa.RecordBatch) -> list[tuple[Any, ...]]:
    columns = [_python_objects(column.to_pylist) for column in rows.columns]
    return list(zip(*columns, strict=True))


def _python_objects(convert: Callable[..., Any]) -> Any:
    """Maps as dicts, or as pairs where a key is no key for a dict."""
    try:
        try:
            return convert(maps_as_pydicts="strict")
        except (TypeError, KeyError):
            return convert()
    except (OverflowError, ValueError) as error:
        raise DataError(
            f"a value cannot be represented in Python: {error}",
            hint="CAST it to STRING; Python's dates end at the year 9999",
        ) from None


def _spark_type(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "timestamp"
    if pa.types.is_duration(kind):
        return "interval day to second"
    return {"bool": "boolean", "int64": "bigint"}.get(str(kind), str(kind))
