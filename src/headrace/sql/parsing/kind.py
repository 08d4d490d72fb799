"""What kind of statement a text is, in one word that holds nothing of what a user wrote. Pure."""

from __future__ import annotations

import re

from headrace.features.families import STATEMENTS

_WORD = re.compile(r"[\s(]*([A-Za-z]+)")
_OF_SPARK = frozenset(
    (
        *("ALTER", "ANALYZE", "BEGIN", "CACHE", "CALL", "COMMENT", "COPY", "CREATE", "DECLARE", "DELETE"),
        *("DESC", "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "FROM", "GRANT", "INSERT", "MERGE", "REFRESH"),
        *("RESET", "REVOKE", "SELECT", "SET", "SHOW", "TABLE", "TRUNCATE", "UNCACHE", "UPDATE", "USE"),
        *("VALUES", "WITH"),
    )
)
_KINDS = _OF_SPARK | STATEMENTS.rules.words


def statement_kind(text: str) -> str:
    """Its first keyword, or OTHER, also where it begins with a comment."""
    found = _WORD.match(text)
    word = found.group(1).upper() if found else ""
    return word if word in _KINDS else "OTHER"
