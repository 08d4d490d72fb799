"""Rows that Spark has for the user."""

from __future__ import annotations

import threading
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
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

from headrace.errors import Error, InternalError
from headrace.lake.spark.row_transfer import transfer_rows
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.spark.spark_types import type_text
from headrace.results.budget import Unlimited
from headrace.results.spool import Spool, read_batches, write_table
from headrace.results.spools import Spools
from headrace.sql.tokens.positions import Rewritten


class SparkRows:
    """The rows of a DataFrame as they were when it was made; computed once, when first asked for."""

    def __init__(
        self,
        frame: DataFrame,
        text: str | Rewritten,
        fetching: Callable[[], AbstractContextManager[object]],
        spools: Spools,
    ) -> None:
        """``spools`` store what is read batch by batch."""
        self._frame = frame
        self._spools = spools
        self._spool: Spool | None = None
        self._table: pa.Table | None = None if frame.schema.fields else pa.table({})
        if self._table is None:
            self._query = _Query(_arrowable(frame), frame.schema.names, text, fetching)
            self._query.frame._jdf.queryExecution().executedPlan()

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(field.name, type_text(field.dataType)) for field in self._frame.schema.fields]

    def schema(self) -> pa.Schema:
        """Known before the rows are computed."""
        return self._query.schema() if self._table is None else self._table.schema

    def arrow(self) -> pa.Table:
        if self._table is None:
            spool = self._spool
            if spool is None or spool.error is not None:
                spool = Spool(Unlimited(), None)
                self._query.write_to(spool)
            self._table = pa.Table.from_batches(read_batches(spool), spool.schema)
        return self._table

    def reader(self) -> pa.RecordBatchReader:
        if self._table is not None:
            return self._table.to_reader()
        if self._spool is None or self._spool.error is not None:
            self._spool = self._start()
        return pa.RecordBatchReader.from_batches(self._spool.schema, self._batches(self._spool))

    def write_to(self, spool: Spool) -> None:
        """Returns when all rows are there."""
        if self._table is None:
            self._query.write_to(spool)
        else:
            write_table(self._table, spool)

    def spark(self) -> DataFrame:
        return self._frame

    def _start(self) -> Spool:
        """Computes the rows in another thread. They are stored as long as this object exists."""
        name = uuid.uuid4().hex
        spool = self._spools.open(name)
        weakref.finalize(self, self._spools.release, name)
        spool.begin(self._query.schema())
        threading.Thread(target=_fill, args=(spool, self._query), daemon=True).start()
        return spool

    def _batches(self, spool: Spool) -> Iterator[pa.RecordBatch]:
        """Whoever reads them keeps this object, and so the spool."""
        yield from read_batches(spool)


@dataclass(frozen=True)
class _Query:
    frame: DataFrame
    names: Sequence[str]
    text: str | Rewritten
    fetching: Callable[[], AbstractContextManager[object]]

    def write_to(self, spool: Spool) -> None:
        with self.fetching(), spark_errors(self.text):
            spool.begin(self.schema())
            transfer_rows(self.frame, spool, large_types=self._has_large_types)

    def schema(self) -> pa.Schema:
        """Batches fit it as they come from Spark: it differs from theirs in names and time zones only."""
        with spark_errors(self.text):
            zone = self.frame.sparkSession.conf.get("spark.sql.session.timeZone")
            found = to_arrow_schema(
                self.frame.schema,
                error_on_duplicated_field_names_in_struct=True,
                prefers_large_types=self._has_large_types,
            )
        named = [field.with_name(name) for field, name in zip(found, self.names, strict=True)]
        return pa.schema(_in_zone(named, zone or "UTC"))

    @property
    def _has_large_types(self) -> bool:
        conf: Any = self.frame.sparkSession._jconf
        return bool(conf.arrowUseLargeVarTypes())


def _fill(spool: Spool, query: _Query) -> None:
    try:
        query.write_to(spool)
    except Error as error:
        spool.fail(error)
    except Exception as error:  # noqa: BLE001  (whoever reads the rows must hear of it)
        spool.fail(InternalError(f"{type(error).__name__}: {error}"))


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


def _in_zone(fields: list[pa.Field], zone: str) -> list[pa.Field]:
    """Spark hands moments over in UTC; a user reads them in the time zone of the session."""
    try:
        pa.lib.string_to_tzinfo(zone)
    except (ValueError, KeyError, OSError):
        return fields
    return [field.with_type(_type_in_zone(field.type, zone)) for field in fields]


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
