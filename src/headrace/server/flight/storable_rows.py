"""Rows that a client has sent in types that a table can have."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from headrace.errors import DataError
from headrace.model.arrow_rows import fitted

_UNSIGNED = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
}
_LONGEST_DECIMAL = 38

Conversion = Callable[[pa.RecordBatch], pa.Table]


def for_new_table(schema: pa.Schema) -> tuple[pa.Schema, Conversion]:
    """The columns of a table for such rows, and how the rows come to be in them."""
    _expect_distinct(schema)
    stored = pa.schema([pa.field(each.name, _storable(each.type, each.name)) for each in schema])
    return stored, lambda batch: _cast(pa.Table.from_batches([batch]), stored)


def for_table(schema: pa.Schema, target: pa.Schema) -> tuple[pa.Schema, Conversion]:
    """Columns go by name, whatever its case; those that are not given are left to the table."""
    _expect_distinct(schema)
    known = {each.name.lower(): each for each in target}
    for name in schema.names:
        if name.lower() not in known:
            raise DataError(
                f"the table has no column {name!r}", hint=f"its columns are {', '.join(target.names)}"
            )
    given = pa.schema([known[name.lower()] for name in schema.names])
    return given, lambda batch: fitted(pa.Table.from_batches([batch]).rename_columns(given.names), given)


def _expect_distinct(schema: pa.Schema) -> None:
    if not schema.names:
        raise DataError("the rows have no columns")
    seen: set[str] = set()
    for name in schema.names:
        if not name or name.lower() in seen:
            raise DataError(f"column {name!r} is given twice" if name else "a column has no name")
        seen.add(name.lower())


def _storable(kind: pa.DataType, column: str) -> pa.DataType:
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _storable(kind.storage_type, column)
    if types.is_dictionary(kind):
        return _storable(kind.value_type, column)
    if types.is_timestamp(kind):
        return pa.timestamp("us", None if kind.tz is None else "UTC")
    if types.is_nested(kind):
        return _nested(kind, column)
    if types.is_null(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_large_binary(kind) or types.is_fixed_size_binary(kind) or types.is_binary_view(kind):
        return pa.binary()
    if types.is_time(kind) or types.is_duration(kind) or types.is_interval(kind):
        raise _refusal(kind, column)
    if types.is_decimal(kind):
        if kind.precision > _LONGEST_DECIMAL:
            raise _refusal(kind, column)
        return pa.decimal128(kind.precision, kind.scale)
    return _number(kind)


def _number(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_float16(kind):
        return pa.float32()
    return pa.date32() if pa.types.is_date64(kind) else _UNSIGNED.get(kind, kind)


def _nested(kind: pa.DataType, column: str) -> pa.DataType:
    types = pa.types
    if types.is_struct(kind):
        return pa.struct([pa.field(each.name, _storable(each.type, column)) for each in kind])
    if types.is_map(kind):
        return pa.map_(_storable(kind.key_type, column), _storable(kind.item_type, column))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.list_(_storable(kind.value_type, column))
    raise _refusal(kind, column)


def _cast(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = []
    for field, column in zip(schema, rows.columns, strict=True):
        try:
            columns.append(column.cast(field.type))
        except pa.ArrowException as error:
            reason = str(error).partition("\n")[0]
            raise DataError(f"column {field.name} does not fit into {field.type}: {reason}") from None
    return pa.table(columns, schema=schema)


def _refusal(kind: pa.DataType, column: str) -> DataError:
    return DataError(
        f"column {column} is of Arrow's type {kind}, which tables cannot have", hint="convert it"
    )
