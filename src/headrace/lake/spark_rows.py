"""Rows that Spark has for the user."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    MapType,
    NullType,
    StructType,
    VariantType,
    YearMonthIntervalType,
)

from headrace.lake.spark_errors import spark_errors
from headrace.lake.types import type_text
from headrace.sql.text import Rewritten


class SparkRows:
    """The rows of a DataFrame as they were when it was made; brought here once, when first asked for."""

    def __init__(
        self, frame: DataFrame, text: str | Rewritten, fetching: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._frame = frame
        self._text = text
        self._fetching = fetching
        self._table: pa.Table | None = None if frame.schema.fields else pa.table({})
        if self._table is None:
            self._arrowable = _arrowable(frame)
            self._arrowable._jdf.queryExecution().executedPlan()

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(field.name, type_text(field.dataType)) for field in self._frame.schema.fields]

    def arrow(self) -> pa.Table:
        if self._table is None:
            with self._fetching(), spark_errors(self._text):
                table = self._arrowable.toArrow().rename_columns([name for name, _ in self.types])
                zone = self._frame.sparkSession.conf.get("spark.sql.session.timeZone")
            self._table = _in_zone(table, zone or "UTC")
        return self._table

    def spark(self) -> DataFrame:
        return self._frame


def _arrowable(frame: DataFrame) -> DataFrame:
    """Types that Arrow has no counterpart for travel as Spark's text of them."""
    fields = frame.schema.fields
    if not any(_needs_text(field.dataType) for field in fields):
        return frame
    places = [f"c{index}" for index in range(len(fields))]
    chosen = [
        f"CAST({place} AS STRING) AS {place}" if _needs_text(field.dataType) else place
        for place, field in zip(places, fields, strict=True)
    ]
    return frame.toDF(*places).selectExpr(*chosen)


def _needs_text(kind: DataType) -> bool:
    match kind:
        case YearMonthIntervalType() | CalendarIntervalType() | VariantType():
            return True
        case ArrayType():
            return _needs_text(kind.elementType) or isinstance(kind.elementType, NullType)
        case MapType():
            inner = (kind.keyType, kind.valueType)
            return any(_needs_text(part) or isinstance(part, NullType) for part in inner)
        case StructType():
            has_twins = len(set(kind.names)) < len(kind.names)
            return has_twins or any(_needs_text(field.dataType) for field in kind.fields)
    return False


def _in_zone(table: pa.Table, zone: str) -> pa.Table:
    """Spark hands moments over in UTC; a user reads them in the time zone of the session."""
    try:
        pa.lib.string_to_tzinfo(zone)
    except (ValueError, KeyError, OSError):
        return table
    fields = [field.with_type(_type_in_zone(field.type, zone)) for field in table.schema]
    return table.cast(pa.schema(fields))


def _type_in_zone(kind: pa.DataType, zone: str) -> pa.DataType:
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, zone)
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_type_in_zone(kind.value_type, zone)))
    if pa.types.is_map(kind):
        parts = (
            field.with_type(_type_in_zone(field.type, zone)) for field in (kind.key_field, kind.item_field)
        )
        return pa.map_(*parts)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_type_in_zone(field.type, zone)) for field in kind])
    return kind
