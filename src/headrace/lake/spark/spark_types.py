"""Spark's types as text that Spark reads again."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from headrace.model.quoting import show_identifier


def type_text(kind: DataType) -> str:
    """As in ``simpleString``, but with the names of fields in backticks where they need them."""
    match kind:
        case StructType():
            fields = (f"{show_identifier(field.name)}:{type_text(field.dataType)}" for field in kind.fields)
            return f"struct<{','.join(fields)}>"
        case ArrayType():
            return f"array<{type_text(kind.elementType)}>"
        case MapType():
            return f"map<{type_text(kind.keyType)},{type_text(kind.valueType)}>"
    return str(kind.simpleString())
