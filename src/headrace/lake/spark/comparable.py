"""Values in a form that GROUP BY takes, equal just where the values are.

A map becomes its entries in order. A VARIANT becomes its type and its JSON, so that a date and a string that
reads like it stay two values.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from headrace.model.quoting import quote_identifier, quote_string


def comparable(expression: str, kind: DataType) -> str:
    return _form(expression, kind, (f"x{number}" for number in itertools.count(1)))


def _form(expression: str, kind: DataType, names: Iterator[str]) -> str:
    if not _needs_form(kind):
        return expression
    match kind:
        case VariantType():
            return f"named_struct('type', schema_of_variant({expression}), 'json', to_json({expression}))"
        case ArrayType():
            name = next(names)
            return f"transform({expression}, {name} -> {_form(name, kind.elementType, names)})"
        case MapType():
            name = next(names)
            key = _form(f"{name}.key", kind.keyType, names)
            value = _form(f"{name}.value", kind.valueType, names)
            entry = f"named_struct('key', {key}, 'value', {value})"
            return f"array_sort(transform(map_entries({expression}), {name} -> {entry}))"
        case StructType():
            parts = (
                f"{quote_string(field.name)}, "
                + _form(f"{expression}.{quote_identifier(field.name)}", field.dataType, names)
                for field in kind.fields
            )
            return f"IF({expression} IS NULL, NULL, named_struct({', '.join(parts)}))"
    raise ValueError(f"no comparable form of {kind}")


def _needs_form(kind: DataType) -> bool:
    match kind:
        case VariantType() | MapType():
            return True
        case ArrayType():
            return _needs_form(kind.elementType)
        case StructType():
            return any(_needs_form(field.dataType) for field in kind.fields)
    return False
