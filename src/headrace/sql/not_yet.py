"""Statements known by name that this version cannot run."""

from __future__ import annotations

from headrace.sql.cursor import Cursor
from headrace.sql.statements import NotYet

_PREFIXES: tuple[tuple[str, ...], ...] = (
    ("UNDROP", "TABLE"),
    ("UNDROP", "DYNAMIC", "TABLE"),
    ("RESTORE", "TABLE"),
    ("RESTORE", "DYNAMIC", "TABLE"),
    ("SHOW", "TABLES", "HISTORY"),
    ("DESC", "HISTORY"),
    ("DESCRIBE", "HISTORY"),
    ("CREATE", "TABLE", "STREAM"),
    ("CREATE", "OR", "REPLACE", "TABLE", "STREAM"),
    ("DROP", "TABLE", "STREAM"),
    ("DESC", "TABLE", "STREAM"),
    ("DESCRIBE", "TABLE", "STREAM"),
    ("SHOW", "TABLE", "STREAMS"),
    ("CREATE", "VCLUSTER"),
    ("ALTER", "VCLUSTER"),
    ("DROP", "VCLUSTER"),
    ("USE", "VCLUSTER"),
    ("DESC", "VCLUSTER"),
    ("DESCRIBE", "VCLUSTER"),
    ("SHOW", "VCLUSTERS"),
    ("CREATE", "PIPE"),
    ("CREATE", "OR", "REPLACE", "PIPE"),
    ("ALTER", "PIPE"),
    ("DROP", "PIPE"),
    ("SHOW", "PIPES"),
    ("SHOW", "TASKS"),
    ("SHOW", "JOBS"),
)

_NEED_A_NAME = frozenset({"STREAM", "VCLUSTER", "PIPE"})
"""Without one after them they are the name of a table: DESC TABLE stream, USE vcluster, DESC history."""


def not_yet(cursor: Cursor) -> NotYet | None:
    for words in _PREFIXES:
        if cursor.at(*words) and _is_complete(cursor, words):
            return NotYet(" ".join(words), cursor.span_of(len(words)))
    return None


def _is_complete(cursor: Cursor, words: tuple[str, ...]) -> bool:
    following = cursor.ahead(len(words))
    needs_a_name = words[-1] in _NEED_A_NAME or words[0] in ("DESC", "DESCRIBE")
    return not needs_a_name or (following is not None and following.is_name)
