"""SHOW KEY INDEXES."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.sql.parsing.filters import read_filters, read_plain_filters
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Listing, Name
from headrace.sql.parsing.token_reader import TokenReader

SHOW_KEY_INDEXES_FORM = (
    "SHOW KEY INDEXES [IN schema | FOR table] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
)


@dataclass(frozen=True)
class ShowKeyIndexes(Listing):
    table: Name | None = None


def _show(cursor: TokenReader) -> ShowKeyIndexes:
    if cursor.take("FOR"):
        table = cursor.name("the name of a table")
        return ShowKeyIndexes(None, *read_plain_filters(cursor), table=table)
    return ShowKeyIndexes(*read_filters(cursor))


RULES = (Rule("SHOW KEY INDEXES", SHOW_KEY_INDEXES_FORM, _show),)
