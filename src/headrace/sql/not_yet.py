"""Statements known by name that this version cannot run."""

from __future__ import annotations

from headrace.sql.cursor import Cursor
from headrace.sql.statements import NotYet

_PREFIXES: tuple[tuple[str, ...], ...] = (
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

_NEED_A_NAME = frozenset({"VCLUSTER", "PIPE"})
"""Without one after them they are a name themselves: DESC vcluster, USE vcluster."""


def not_yet(cursor: Cursor) -> NotYet | None:
    for words in _PREFIXES:
        if cursor.at(*words) and _is_complete(cursor, words):
            return NotYet(" ".join(words), cursor.span_of(len(words)))
    return None


def _is_complete(cursor: Cursor, words: tuple[str, ...]) -> bool:
    following = cursor.ahead(len(words))
    return words[-1] not in _NEED_A_NAME or (following is not None and following.is_name)
