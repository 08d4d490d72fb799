"""Spark SQL's types in Arrow, as results have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError

_Kind = exp.DataType.Type
_PLAIN: Mapping[exp.DType, pa.DataType] = {
    _Kind.BOOLEAN: pa.bool_(),
    _Kind.TINYINT: pa.int8(),
    _Kind.SMALLINT: pa.int16(),
    _Kind.INT: pa.int32(),
    _Kind.BIGINT: pa.int64(),
    _Kind.FLOAT: pa.float32(),
    _Kind.DOUBLE: pa.float64(),
    _Kind.DATE: pa.date32(),
    _Kind.TIMESTAMP: pa.timestamp("us", tz="UTC"),
    _Kind.TIMESTAMPTZ: pa.timestamp("us", tz="UTC"),
    _Kind.TIMESTAMPLTZ: pa.timestamp("us", tz="UTC"),
    _Kind.TIMESTAMPNTZ: pa.timestamp("us"),
    _Kind.BINARY: pa.binary(),
}


def arrow_type(text: str) -> pa.DataType:
    """What Arrow has no type for is text, as it is in results."""
    try:
        return type_of(exp.DataType.build(text, dialect="spark"))
    except SqlglotError:
        return pa.string()


def type_of(kind: exp.DataType) -> pa.DataType:
    nested = _NESTED.get(kind.this)
    if nested is not None and kind.expressions:
        return nested(kind)
    return _PLAIN.get(kind.this, pa.string())


def _decimal(kind: exp.DataType) -> pa.DataType:
    numbers = [int(each.this.name) for each in kind.expressions]
    return pa.decimal128(numbers[0], numbers[1] if len(numbers) > 1 else 0)


def _list(kind: exp.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", _inner(kind.expressions[0])))


def _map(kind: exp.DataType) -> pa.DataType:
    return pa.map_(*(_inner(each) for each in kind.expressions))


def _struct(kind: exp.DataType) -> pa.DataType:
    return pa.struct([pa.field(each.name, _inner(each.args["kind"])) for each in kind.expressions])


def _inner(kind: exp.Expr) -> pa.DataType:
    return type_of(kind) if isinstance(kind, exp.DataType) else pa.string()


_NESTED: Mapping[exp.DType, Callable[[exp.DataType], pa.DataType]] = {
    _Kind.DECIMAL: _decimal,
    _Kind.ARRAY: _list,
    _Kind.LIST: _list,
    _Kind.MAP: _map,
    _Kind.STRUCT: _struct,
}
