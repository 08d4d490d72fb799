"""Rows that a program gives, as Arrow of the types that a table has: exactly, or not at all.

A number is never made a string or a string a number; a value that would be cut off or rounded is refused.
Only a FLOAT takes the nearest value of a number. Errors name the row, counted from 1, and the column.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headrace.errors import DataError, InterfaceError

FIELD_ID = b"PARQUET:field_id"
_MICROSECONDS = re.compile(r"[.,]\d{7}")
_LARGEST_EXACT = 2**53


class _Misfit(Exception):
    """Why a value is not of a type."""


def as_table(data: Any, schema: pa.Schema) -> pa.Table:
    """What a program gives as rows: dicts, one dict, a DataFrame, or anything of Arrow."""
    match data:
        case Mapping():
            return rows_as_table([data], schema)
        case pa.RecordBatch():
            return fitted(pa.Table.from_batches([data]), schema)
        case pa.Table():
            return fitted(data, schema)
        case _ if hasattr(data, "__arrow_c_stream__"):
            return fitted(_named(pa.table(data)), schema)
        case _ if type(data).__module__.startswith("pandas"):
            return fitted(_named(pa.Table.from_pandas(data, preserve_index=False)), schema)
        case Sequence() if not isinstance(data, str | bytes):
            return rows_as_table(data, schema)
    raise InterfaceError(
        f"a value of type {type(data).__name__} cannot be written",
        hint="write a dict, a list of dicts, a DataFrame or an Arrow table",
    )


def _named(table: pa.Table) -> pa.Table:
    """Without the index that pandas adds to what it hands over."""
    kept = [name for name in table.column_names if not name.startswith("__index_level_")]
    return table.select(kept)


def rows_as_table(
    rows: Sequence[Mapping[str, Any]], schema: pa.Schema, *, from_json: bool = False
) -> pa.Table:
    """``from_json``: dates, timestamps and binary values are strings there."""
    _expect_rows(rows, schema)
    columns = []
    for field in schema:
        values = [row.get(field.name) for row in rows]
        columns.append(_column(values, field, from_json=from_json))
    return pa.table(columns, schema=schema)


def _expect_rows(rows: Sequence[Any], schema: pa.Schema) -> None:
    known = set(schema.names)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise DataError(f"row {number} is {_kind(row)}, not an object of columns and values")
        if not row.keys() <= known:
            unknown = next(name for name in row if name not in known)
            raise DataError(
                f"row {number}: the table has no column {unknown!r}",
                hint=f"its columns are {', '.join(schema.names)}",
            )


def _column(values: list[Any], field: pa.Field, *, from_json: bool) -> pa.Array:
    kinds = set(map(type, values)) - {type(None)}
    converted = values
    try:
        if from_json or not _is_plain(kinds, field.type, values):
            converted = [_converted(value, field.type, from_json) for value in values]
        array = pa.array(converted, pa.float64() if _is_single(field.type) else field.type)
    except (_Misfit, pa.ArrowException, OverflowError, ValueError, TypeError):
        raise _misfit_in(values, field, from_json) from None
    if _is_single(field.type):
        array = _cast(array, field)
    _expect_no_null(array, field)
    return array


def _misfit_in(values: list[Any], field: pa.Field, from_json: bool) -> DataError:
    for number, value in enumerate(values, 1):
        try:
            pa.array([_converted(value, field.type, from_json)], field.type)
        except _Misfit as misfit:
            return _refusal(number, field, str(misfit))
        except (pa.ArrowException, OverflowError, ValueError, TypeError):
            return _refusal(number, field, f"{_kind(value)} that does not fit")
    return DataError(f"column {field.name} cannot be {_type_name(field.type)}")


def _is_plain(kinds: set[type], wanted: pa.DataType, values: list[Any]) -> bool:
    """Whether Arrow takes values of these classes as they are, or refuses them."""
    if pa.types.is_timestamp(wanted):
        aware = wanted.tz is not None
        return kinds <= {datetime} and all(
            value is None or (value.tzinfo is not None) == aware for value in values
        )
    return kinds <= _plain_kinds(wanted)


def _plain_kinds(wanted: pa.DataType) -> set[type]:
    types = pa.types
    if types.is_boolean(wanted):
        return {bool}
    if types.is_integer(wanted):
        return {int}
    if types.is_floating(wanted):
        return {float}
    if types.is_string(wanted):
        return {str}
    if types.is_date(wanted):
        return {date}
    return {bytes} if types.is_binary(wanted) else set()


def _converted(value: Any, wanted: pa.DataType, from_json: bool) -> Any:
    """As Arrow takes it for this type, or ``_Misfit``."""
    types = pa.types
    if hasattr(value, "item") and hasattr(value, "dtype") and not getattr(value, "shape", ()):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if types.is_boolean(wanted):
        return _one_of(value, bool)
    if types.is_integer(wanted):
        return _integer(value, wanted)
    if types.is_floating(wanted):
        return _double(value, from_json)
    if types.is_decimal(wanted):
        return _decimal(value, wanted)
    if types.is_string(wanted):
        return _one_of(value, str)
    if types.is_date(wanted):
        return _date(value, from_json)
    if types.is_timestamp(wanted):
        return _timestamp(value, wanted, from_json)
    if types.is_binary(wanted):
        return _binary(value, from_json)
    return _nested(value, wanted, from_json)


def _nested(value: Any, wanted: pa.DataType, from_json: bool) -> Any:
    types = pa.types
    if types.is_list(wanted):
        items = value.tolist() if hasattr(value, "tolist") else value
        listed = list(_one_of(items, list, tuple))
        return [_inner(each, wanted.value_field, from_json) for each in listed]
    if types.is_struct(wanted):
        return _struct(value, wanted, from_json)
    return _map(value, wanted, from_json)


def _one_of(value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds):
        raise _Misfit(_kind(value))
    return value


def _integer(value: Any, wanted: pa.DataType) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Misfit(_kind(value))
    limit = 1 << (wanted.bit_width - 1)
    if not -limit <= value < limit:
        raise _Misfit("an integer out of its range")
    return int(value)


def _double(value: Any, from_json: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        if from_json and value in ("NaN", "Infinity", "-Infinity"):
            return float(value)
        raise _Misfit(_kind(value))
    if isinstance(value, Decimal) and not from_json:
        raise _Misfit(_kind(value))
    if isinstance(value, int) and abs(value) > _LARGEST_EXACT and int(float(value)) != value:
        raise _Misfit("an integer that a floating-point number cannot hold")
    found = float(value)
    if isinstance(value, Decimal) and math.isinf(found):
        raise _Misfit("a number out of its range")
    return found


def _decimal(value: Any, wanted: pa.DataType) -> Decimal:
    """Arrow gets no more digits than it can hold: of some with more it makes zero."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _Misfit(_kind(value))
    found = Decimal(value)
    sign, digits, exponent = found.as_tuple()
    if not isinstance(exponent, int):
        raise _Misfit("not a finite number")
    if not found:
        return Decimal(0)
    significant = "".join(map(str, digits)).rstrip("0")
    decimals = max(0, len(significant) - len(digits) - exponent)
    if decimals > wanted.scale:
        raise _Misfit(f"a number with {decimals} decimals")
    if found.adjusted() + 1 > wanted.precision - wanted.scale:
        raise _Misfit("a number out of its range")
    surplus = max(0, -exponent - wanted.scale)
    return Decimal((sign, digits[: len(digits) - surplus], exponent + surplus))


def _date(value: Any, from_json: bool) -> date:
    if from_json:
        day: date = _parsed(value, date.fromisoformat, "a string that is not a date such as 2026-01-31")
        return day
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _Misfit(_kind(value))
    given: date = value
    return given


def _timestamp(value: Any, wanted: pa.DataType, from_json: bool) -> datetime:
    found: Any
    if from_json:
        found = _parsed(value, datetime.fromisoformat, "a string that is not an ISO 8601 timestamp")
        if _MICROSECONDS.search(value):
            raise _Misfit("a timestamp with more than 6 decimals")
    else:
        found = _one_of(value, datetime)
        if getattr(found, "nanosecond", 0):
            raise _Misfit("a timestamp with more than 6 decimals")
    if wanted.tz is not None and found.tzinfo is None:
        raise _Misfit("a timestamp without an offset from UTC")
    if wanted.tz is None and found.tzinfo is not None:
        raise _Misfit("a timestamp with an offset from UTC")
    moment: datetime = found.to_pydatetime() if hasattr(found, "to_pydatetime") else found
    return moment


def _parsed(value: Any, parse: Callable[[str], Any], otherwise: str) -> Any:
    text = _one_of(value, str)
    try:
        return parse(text)
    except ValueError:
        raise _Misfit(otherwise) from None


def _binary(value: Any, from_json: bool) -> bytes:
    if not from_json:
        return bytes(_one_of(value, bytes, bytearray, memoryview))
    try:
        return base64.b64decode(_one_of(value, str), validate=True)
    except binascii.Error:
        raise _Misfit("a string that is not base64") from None


def _inner(value: Any, field: pa.Field, from_json: bool) -> Any:
    found = _converted(value, field.type, from_json)
    if found is None and not field.nullable:
        raise _Misfit(f"one with NULL in {field.name}, which is NOT NULL")
    return found


def _struct(value: Any, wanted: pa.DataType, from_json: bool) -> dict[str, Any]:
    given = _one_of(value, Mapping)
    names = {field.name for field in wanted}
    unknown = [name for name in given if name not in names]
    if unknown:
        raise _Misfit(f"an object with the unknown field {unknown[0]!r}")
    return {field.name: _inner(given.get(field.name), field, from_json) for field in wanted}


def _map(value: Any, wanted: pa.DataType, from_json: bool) -> list[tuple[Any, Any]]:
    pairs = value.items() if isinstance(value, Mapping) else _one_of(value, list, tuple)
    found = []
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise _Misfit("a list of something else than pairs")
        key = _inner(pair[0], wanted.key_field, from_json)
        found.append((key, _inner(pair[1], wanted.item_field, from_json)))
    return found


def fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The same rows in the types of the table; columns go by name."""
    for name in table.column_names:
        if name not in schema.names:
            raise DataError(
                f"the table has no column {name!r}", hint=f"its columns are {', '.join(schema.names)}"
            )
        if table.column_names.count(name) > 1:
            raise DataError(f"column {name} is given twice")
    return pa.table([_fitted_column(table, field) for field in schema], schema=schema)


def _fitted_column(table: pa.Table, field: pa.Field) -> pa.Array:
    if field.name not in table.column_names:
        column = pa.nulls(table.num_rows, field.type)
    else:
        column = table.column(field.name).combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if column.type != field.type:
            column = _cast(column, field)
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], field.type)
    _expect_no_null(column, field)
    return column


def _cast(column: pa.Array, field: pa.Field) -> pa.Array:
    if not _is_alike(column.type, field.type):
        first = pc.index(pc.is_valid(column), True).as_py()
        if first < 0:
            return pa.nulls(len(column), field.type)
        raise _refusal(first + 1, field, f"of Arrow's type {column.type}")
    try:
        cast = column.cast(field.type)
    except pa.ArrowException:
        row = _first_that_fails(column, field.type)
        raise _refusal(row + 1, field, f"of Arrow's type {column.type} and does not fit") from None
    if _is_single(field.type):
        overflow = pc.and_(pc.is_inf(cast), pc.invert(pc.is_inf(column.cast(pa.float64()))))
        if (first := pc.index(overflow, True).as_py()) >= 0:
            raise _refusal(first + 1, field, "a number out of its range")
    return cast


def _is_single(kind: pa.DataType) -> bool:
    return bool(pa.types.is_float32(kind))


def _first_that_fails(column: pa.Array, wanted: pa.DataType) -> int:
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            column.slice(low, middle - low).cast(wanted)
            low = middle
        except pa.ArrowException:
            high = middle
    return low


def _is_alike(given: pa.DataType, wanted: pa.DataType) -> bool:
    types = pa.types
    if types.is_null(given):
        return True
    if types.is_integer(wanted):
        return bool(types.is_integer(given) or types.is_floating(given))
    if types.is_floating(wanted):
        return bool(types.is_integer(given) or types.is_floating(given))
    if types.is_decimal(wanted):
        return bool(types.is_integer(given) or types.is_decimal(given))
    if types.is_timestamp(wanted):
        return bool(types.is_timestamp(given) and (given.tz is None) == (wanted.tz is None))
    if types.is_list(wanted):
        is_list = types.is_list(given) or types.is_large_list(given) or types.is_fixed_size_list(given)
        return bool(is_list and _is_alike(given.value_type, wanted.value_type))
    if types.is_struct(wanted):
        alike = types.is_struct(given) and [f.name for f in given] == [f.name for f in wanted]
        return alike and all(_is_alike(f.type, w.type) for f, w in zip(given, wanted, strict=True))
    if types.is_map(wanted):
        return bool(
            types.is_map(given)
            and _is_alike(given.key_type, wanted.key_type)
            and _is_alike(given.item_type, wanted.item_type)
        )
    return any(is_kind(given) and is_kind(wanted) for is_kind in (_is_text, _is_bytes, types.is_date))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _expect_no_null(column: pa.Array, field: pa.Field) -> None:
    if column.null_count and not field.nullable:
        row = pc.index(pc.is_null(column), True).as_py()
        raise DataError(f"row {row + 1}: column {field.name} is NOT NULL, and the row has no value for it")
    if _has_null_inside(column):
        raise DataError(f"column {field.name}: a nested value is NULL where the table requires one")


def _has_null_inside(column: pa.Array) -> bool:
    return any(
        (inner.null_count > 0 and not field.nullable) or _has_null_inside(inner)
        for inner, field in _inside(column)
    )


def _inside(column: pa.Array) -> list[tuple[pa.Array, pa.Field]]:
    """Of nested values, those of each part of them."""
    if pa.types.is_struct(column.type):
        return list(zip(column.drop_null().flatten(), column.type, strict=True))
    if pa.types.is_list(column.type):
        return [(column.flatten(), column.type.value_field)]
    if pa.types.is_map(column.type):
        entries = column.drop_null()
        return [(entries.keys, column.type.key_field), (entries.items, column.type.item_field)]
    return []


def _refusal(row: int, field: pa.Field, what: str) -> DataError:
    return DataError(f"row {row}: column {field.name} is {_type_name(field.type)}, and the value is {what}")


_NAMES = {
    "bool": "BOOLEAN",
    "int32": "INT",
    "int64": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "date32[day]": "DATE",
    "timestamp[us]": "TIMESTAMP_NTZ",
    "timestamp[us, tz=UTC]": "TIMESTAMP",
}


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if pa.types.is_nested(kind):
        return "ARRAY" if pa.types.is_list(kind) else "MAP" if pa.types.is_map(kind) else "STRUCT"
    return _NAMES.get(str(kind), str(kind).upper())


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float() | Decimal():
            return "a number"
        case str():
            return "a string"
        case datetime():
            return "a timestamp"
        case date():
            return "a date"
        case bytes() | bytearray():
            return "binary"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
    return f"of type {type(value).__name__}"
