"""Whether two texts are the same query."""

from __future__ import annotations

from headrace.sql.dialect import parse_query


def same_query(one: str, other: str) -> bool:
    """White space, comments and the case of keywords do not count."""
    return one == other or parse_query(one) == parse_query(other)
