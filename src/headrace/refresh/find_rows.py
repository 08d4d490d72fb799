"""A condition that spares a merge from reading the whole table: the few keys that change, as literals.

Iceberg then leaves out files and row groups that hold none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from headrace.model.quoting import quote_identifier, quote_string

_MOST_LISTED = 2_000


def among(keys: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> str:
    """Holds for each row of ``__hr_old`` whose key is in ``rows``; empty where that takes too many words."""
    parts = [
        _one(f"__hr_old.{quote_identifier(key)}", {row[place] for row in rows})
        for place, key in enumerate(keys)
    ]
    return " AND ".join(filter(None, parts))


def _one(column: str, values: set[Any]) -> str:
    known = values - {None}
    if not all(type(value) in (int, str, date, Decimal) for value in known):
        return ""
    parts = []
    if known and len(known) <= _MOST_LISTED:
        parts.append(f"{column} IN ({', '.join(_literal(value) for value in sorted(known))})")
    elif known:
        parts.append(f"{column} BETWEEN {_literal(min(known))} AND {_literal(max(known))}")
    if None in values:
        parts.append(f"{column} IS NULL")
    return f"({' OR '.join(parts)})" if parts else ""


def _literal(value: int | str | date | Decimal) -> str:
    match value:
        case str():
            return quote_string(value)
        case datetime():
            raise ValueError("timestamps depend on a time zone")
        case date():
            return f"DATE '{value.isoformat()}'"
        case Decimal():
            return f"{value:f}BD"
    return f"{value}L" if abs(value) > 2**31 - 1 else str(value)
