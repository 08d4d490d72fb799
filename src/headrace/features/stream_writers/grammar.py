"""SHOW STREAM WRITERS. A table stream is something else: see ``streams``."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.sql.parsing.filters import read_limit, read_pattern
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Statement
from headrace.sql.parsing.token_reader import TokenReader

SHOW_STREAM_WRITERS_FORM = "SHOW STREAM WRITERS [LIKE 'pattern'] [LIMIT n]"


@dataclass(frozen=True)
class ShowStreamWriters(Statement):
    like: str | None = None
    """Of the name of a table."""
    limit: int | None = None


def _show(cursor: TokenReader) -> ShowStreamWriters:
    return ShowStreamWriters(read_pattern(cursor), read_limit(cursor))


RULES = (Rule("SHOW STREAM WRITERS", SHOW_STREAM_WRITERS_FORM, _show),)
