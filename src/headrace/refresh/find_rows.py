"""A condition that spares a merge from reading the whole table: the few keys that change, as literals.

Iceberg then leaves out files and row groups that hold none of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from headrace.model.dynamic_table import Column
from headrace.model.quoting import quote_identifier, string_literal

_MOST_LISTED = 100
"""More are looked up one by one for each row that is read, which costs more than it spares."""
_LISTABLE = re.compile(r"tinyint|smallint|int|bigint|string|date|decimal\(\d+,\d+\)")
"""Types whose values can be written as literals, and are equal just where those are."""


@dataclass(frozen=True)
class Key:
    column: str
    is_date: bool

    @property
    def expression(self) -> str:
        """Dates by number: not every date of Spark is one in Python."""
        name = quote_identifier(self.column)
        return f"unix_date({name})" if self.is_date else name

    def literal(self, value: int | str | Decimal) -> str:
        return f"date_from_unix_date({value})" if self.is_date else _literal(value)


def listable(columns: Sequence[Column], keys: Sequence[str]) -> list[Key]:
    """Those of ``keys`` that ``keys_in`` takes."""
    types = {column.name: column.type for column in columns}
    return [Key(key, types[key] == "date") for key in keys if _LISTABLE.fullmatch(types[key])]


def keys_in(keys: Sequence[Key], rows: Sequence[tuple[Any, ...]]) -> str:
    """Holds for each row of ``__hr_old`` whose keys are in ``rows``: the values of their ``expression``."""
    parts = [_one(key, {row[place] for row in rows}) for place, key in enumerate(keys)]
    return " AND ".join(filter(None, parts))


def same_row(keys: Sequence[str], listed: Sequence[Key], rows: Sequence[tuple[Any, ...]]) -> str:
    """Holds at least where a row of ``__hr_all`` has the ``keys`` of one of ``__hr_few``, which are ``rows``.

    One key alone is compared faster; if it tells most of the few apart, what else it lets through is little.
    """
    values = {key.column: {row[place] for row in rows} for place, key in enumerate(listed)}
    telling = [key for key, known in values.items() if None not in known and 2 * len(known) >= len(rows)]
    if not telling:
        return same_keys("__hr_all", "__hr_few", keys)
    name = quote_identifier(max(telling, key=lambda key: len(values[key])))
    return f"__hr_all.{name} = __hr_few.{name}"


def same_keys(one: str, other: str, keys: Sequence[str]) -> str:
    """A join condition on two aliases."""
    names = map(quote_identifier, keys)
    return " AND ".join(f"{one}.{name} <=> {other}.{name}" for name in names) or "true"


def _one(key: Key, values: set[Any]) -> str:
    column = f"__hr_old.{quote_identifier(key.column)}"
    known = values - {None}
    parts = []
    if known and len(known) <= _MOST_LISTED:
        parts.append(f"{column} IN ({', '.join(key.literal(value) for value in sorted(known))})")
    elif known:
        parts.append(f"{column} BETWEEN {key.literal(min(known))} AND {key.literal(max(known))}")
    if None in values:
        parts.append(f"{column} IS NULL")
    return f"({' OR '.join(parts)})" if parts else ""


def _literal(value: int | str | Decimal) -> str:
    match value:
        case str():
            return string_literal(value)
        case Decimal():
            return f"{value:f}BD"
    return f"{value}L" if abs(value) > 2**31 - 1 else str(value)
