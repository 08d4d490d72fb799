"""Columns, with their types as Spark writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from dbt.adapters.base.column import Column

from headrace.model.quoting import quote_identifier

_WIDER = {"int": ("bigint",), "float": ("double",)}
_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")


@dataclass
class HeadraceColumn(Column):
    TYPE_LABELS: ClassVar[dict[str, str]] = {
        "TEXT": "string",
        "STRING": "string",
        "INTEGER": "int",
        "BOOL": "boolean",
        "VARCHAR": "string",
        "CHARACTER VARYING": "string",
    }
    """Names of types that other databases have and Spark does not."""

    @property
    def quoted(self) -> str:
        return quote_identifier(self.column)

    @property
    def data_type(self) -> str:
        return self.translate_type(self.dtype)

    def is_string(self) -> bool:
        return self.dtype.lower().startswith(("string", "varchar", "char"))

    def is_integer(self) -> bool:
        return self.dtype.lower() in ("tinyint", "smallint", "int", "bigint")

    def is_float(self) -> bool:
        return self.dtype.lower() in ("float", "double")

    def is_numeric(self) -> bool:
        return self.dtype.lower().startswith("decimal")

    def can_expand_to(self, other_column: Column) -> bool:
        """Strings have no length."""
        return False

    def widens_to(self, data_type: str) -> bool:
        """Whether Iceberg can give the column that type in place."""
        if data_type in _WIDER.get(self.dtype, ()):
            return True
        old, new = _DECIMAL.fullmatch(self.dtype), _DECIMAL.fullmatch(data_type)
        return bool(old and new and old[2] == new[2] and int(new[1]) > int(old[1]))

    def literal(self, value: Any) -> str:
        return f"cast({value} as {self.dtype})"

    @classmethod
    def string_type(cls, size: int) -> str:
        return "string"
