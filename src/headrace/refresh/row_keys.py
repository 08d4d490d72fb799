"""Keys by which rows of a table can be found without reading all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headrace.algebra.operators.scan import Scan
from headrace.delta.key_lookups import KeyFilter
from headrace.lake.table.pin import sql_type
from headrace.lake.table.tables import Table
from headrace.model.quoting import quote_identifier

_FINDABLE = re.compile(
    r"tinyint|smallint|int|bigint|boolean|string|binary|date|timestamp|timestamp_ntz|decimal\(\d+,\d+\)"
)
"""Types whose values are equal just where they are stored alike."""
_NUMBERS = ("float", "double")


def is_findable(type_: str) -> bool:
    """Whether rows can be found by a column of that type."""
    return _FINDABLE.fullmatch(type_) is not None


def is_flat(type_: str) -> bool:
    """Whether the driver can compare values of that type, as Spark does."""
    return is_findable(type_) or type_ in _NUMBERS


def same_keys(one: str, other: str, keys: Sequence[str]) -> str:
    """A join condition on two aliases."""
    names = map(quote_identifier, keys)
    return " AND ".join(f"{one}.{name} <=> {other}.{name}" for name in names) or "true"


def key_columns(scan: Scan, needed: KeyFilter, table: Table) -> tuple[tuple[str, str], ...]:
    """Those of the keys, and of the table, by which the rows of a scan can be found."""
    stored = _stored_names(scan, table)
    pairs = zip(needed.keys.columns, needed.columns, strict=True)
    keys = {stored[column]: key for key, column in pairs if column in stored}
    return tuple((key, column) for column, key in keys.items())


def _stored_names(scan: Scan, table: Table) -> dict[str, str]:
    """Of the scan's columns by which rows can be found."""
    types = {field.name.lower(): (field.name, sql_type(field.type)) for field in table.fields}
    known = [(column, types[name.lower()]) for column, name in scan.fields if name.lower() in types]
    return {column: name for column, (name, type_) in known if is_findable(type_)}
