"""What kind of statement a text is, in one word that holds nothing of what a user wrote. Pure."""

from __future__ import annotations

import re

_WORD = re.compile(r"[\s(]*([A-Za-z]+)")
_KINDS = frozenset(
    (
        *("ALTER", "ANALYZE", "BEGIN", "CACHE", "CALL", "CANCEL", "COMMENT", "COPY", "CREATE", "DECLARE"),
        *("DELETE", "DESC", "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "FROM", "GRANT", "INSERT", "MERGE"),
        *("OPTIMIZE", "REFRESH", "RESET", "RESTORE", "REVOKE", "SELECT", "SET", "SHOW", "TABLE", "TRUNCATE"),
        *("UNCACHE", "UNDROP", "UPDATE", "USE", "VACUUM", "VALUES", "VERIFY", "WITH"),
    )
)


def statement_kind(text: str) -> str:
    """Its first keyword, or OTHER, also where it begins with a comment."""
    found = _WORD.match(text)
    word = found.group(1).upper() if found else ""
    return word if word in _KINDS else "OTHER"
