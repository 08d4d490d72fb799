"""Rows on their way to the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import CalendarIntervalType, DataType, VariantType, YearMonthIntervalType

from headrace.errors import NotSupportedError
from headrace.lake.spark_errors import spark_errors
from headrace.model.text_table import text_table


class Rows(Protocol):
    """Where a result's rows come from."""

    @property
    def types(self) -> list[tuple[str, str]]:
        """Name and Spark SQL type of each column."""

    def arrow(self) -> pa.Table: ...

    def spark(self) -> DataFrame: ...


class SparkRows:
    """The rows of a DataFrame, brought here once, when first asked for."""

    def __init__(
        self, frame: DataFrame, text: str, fetching: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._frame = frame
        self._text = text
        self._fetching = fetching
        self._table: pa.Table | None = None

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(field.name, field.dataType.simpleString()) for field in self._frame.schema.fields]

    def arrow(self) -> pa.Table:
        if self._table is None:
            with self._fetching(), spark_errors(self._text):
                self._table = _collected(self._frame) if self.types else pa.table({})
        return self._table

    def spark(self) -> DataFrame:
        return self._frame


class LocalRows:
    """Rows that Headrace itself has made."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(field.name, _spark_type(field.type)) for field in self._table.schema]

    def arrow(self) -> pa.Table:
        return self._table

    def spark(self) -> DataFrame:
        raise NotSupportedError("this statement's result is not a DataFrame", hint="use .df() or .arrow()")


class Result:
    """What a statement gave: rows, perhaps none, and notices."""

    def __init__(self, rows: Rows, notices: tuple[str, ...] = ()) -> None:
        self._rows = rows
        self.notices = notices

    @property
    def columns(self) -> list[str]:
        return [name for name, _ in self._rows.types]

    @property
    def types(self) -> list[str]:
        """Spark SQL types, in the order of the columns."""
        return [kind for _, kind in self._rows.types]

    def fetchall(self) -> list[tuple[Any, ...]]:
        table = self._rows.arrow()
        columns = [column.to_pylist(maps_as_pydicts="strict") for column in table.columns]
        return list(zip(*columns, strict=True))

    def arrow(self) -> pa.Table:
        return self._rows.arrow()

    def df(self) -> pd.DataFrame:
        frame: pd.DataFrame = self._rows.arrow().to_pandas()
        return frame

    def spark(self) -> DataFrame:
        """The result as a Spark DataFrame, nothing brought here."""
        return self._rows.spark()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    def __len__(self) -> int:
        return int(self._rows.arrow().num_rows)

    def __str__(self) -> str:
        return text_table(self.columns, self.fetchall()) if self.columns else "ok"

    __repr__ = __str__


NOTHING = LocalRows(pa.table({}))


def _collected(frame: DataFrame) -> pa.Table:
    """Types that Arrow has no counterpart for travel as Spark's text of them."""
    fields = frame.schema.fields
    if not any(_needs_text(field.dataType) for field in fields):
        return frame.toArrow()
    places = [f"c{index}" for index in range(len(fields))]
    chosen = [
        f"CAST({place} AS STRING) AS {place}" if _needs_text(field.dataType) else place
        for place, field in zip(places, fields, strict=True)
    ]
    return frame.toDF(*places).selectExpr(*chosen).toArrow().rename_columns([field.name for field in fields])


def _needs_text(kind: DataType) -> bool:
    return isinstance(kind, YearMonthIntervalType | CalendarIntervalType | VariantType)


def _spark_type(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "timestamp"
    if pa.types.is_duration(kind):
        return "interval day to second"
    return {"bool": "boolean", "int64": "bigint"}.get(str(kind), str(kind))
