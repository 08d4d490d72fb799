"""Keys by which rows of a table can be found without reading all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
