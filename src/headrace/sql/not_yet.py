"""Statements known by name that this version cannot run."""

from __future__ import annotations

from headrace.sql.cursor import Cursor
from headrace.sql.statements import NotYet

_PREFIXES: tuple[tuple[str, ...], ...] = (
    ("CREATE", "PIPE"),
    ("CREATE", "OR", "REPLACE", "PIPE"),
    ("ALTER", "PIPE"),
    ("DROP", "PIPE"),
    ("SHOW", "PIPES"),
)

_NEED_A_NAME = frozenset({"PIPE"})


def not_yet(cursor: Cursor) -> NotYet | None:
    for words in _PREFIXES:
        if cursor.at(*words) and _is_complete(cursor, words):
            return NotYet(" ".join(words), cursor.span_of(len(words)))
    return None


def _is_complete(cursor: Cursor, words: tuple[str, ...]) -> bool:
    following = cursor.ahead(len(words))
    return words[-1] not in _NEED_A_NAME or (following is not None and following.is_name)
