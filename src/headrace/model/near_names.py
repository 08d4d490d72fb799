"""Names that a mistyped one may have been meant for. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from headrace.model.names import HIDDEN_SCHEMAS, TableName

_MOST = 3
_CLOSE = 0.7


def near_names(wanted: TableName, known: Iterable[TableName]) -> list[TableName]:
    """The same name elsewhere, and close ones; those in the same schema come first."""
    ranked = sorted(
        (_rank(wanted, name), name)
        for name in set(known)
        if name.schema not in HIDDEN_SCHEMAS and name != wanted and _likeness(wanted, name) >= _CLOSE
    )
    return [name for _, name in ranked[:_MOST]]


def did_you_mean(names: Iterable[TableName]) -> str | None:
    listed = " or ".join(map(str, names))
    return f"did you mean {listed}?" if listed else None


def _rank(wanted: TableName, name: TableName) -> tuple[bool, float]:
    return name.schema.lower() != wanted.schema.lower(), -_likeness(wanted, name)


def _likeness(wanted: TableName, name: TableName) -> float:
    return difflib.SequenceMatcher(None, wanted.table.lower(), name.table.lower()).ratio()
