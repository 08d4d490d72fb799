"""Results that are texts: plans, CREATE statements and logs, as they are, so that they can be pasted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from headrace.model.text_table import lines_of
from headrace.sql.tokens.lexer import tokenize, words_of

_ITEM_WIDTH = 20
_EXPLAIN_REFRESH = ("item", "detail")
_SQL = "sql"


def plain_text(statement: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str | None:
    """None for a result that is better shown as a table."""
    words = leading_words(statement)
    if words[:1] == ["EXPLAIN"] and tuple(columns) == _EXPLAIN_REFRESH:
        return "\n".join(_explained(rows))
    texts = [row[0] for row in rows if len(columns) == 1 and isinstance(row[0], str)]
    if not texts or len(texts) != len(rows):
        return None
    is_text = words[:1] == ["EXPLAIN"] or words[:2] == ["SHOW", "CREATE"]
    if is_text or (len(texts) == 1 and len(lines_of(texts[0])) > 1):
        return "\n".join(_safe(text) for text in texts)
    return None


def leading_words(statement: str) -> list[str]:
    """The first three, in upper case, without comments."""
    return words_of(tokenize(statement)[:3])


def _explained(rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """The statement comes without labels."""
    for item, details in groupby(rows, key=itemgetter(0)):
        if item == _SQL:
            yield f"{_SQL}:"
        for _, detail in details:
            yield _safe(detail) if item == _SQL else f"{item:<{_ITEM_WIDTH}}{_safe(detail)}"


def _safe(text: str) -> str:
    """Line breaks and tabs stay; what could steer a terminal is escaped."""
    return "\n".join(lines_of(text, keep_tabs=True))
