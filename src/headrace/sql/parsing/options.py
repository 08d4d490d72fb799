"""Options of a statement, ``NAME = value``, in any order and each at most once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headrace.sql.parsing.token_reader import TokenReader

Options = Mapping[str, tuple[str, Callable[[TokenReader], Any]]]
"""The field of each option, and the function that reads its value."""
_WITHOUT_SIGN = ("COMMENT", "LOCATION", "SCHEDULE")


def read_options(cursor: TokenReader, what: str, options: Options) -> dict[str, Any]:
    """To the end of the statement; the values by field. ``what`` has the options; some need no ``=``."""
    given: dict[str, Any] = {}
    while cursor.token:
        start, word = cursor.span, cursor.next().upper
        if word not in options:
            message = f"{what} has no option {start.of(cursor.text)}"
            raise cursor.error(message, start, f"options: {', '.join(options)}")
        field, read = options[word]
        if field in given:
            raise cursor.error(f"{word} is given twice", start)
        cursor.take("=") if word in _WITHOUT_SIGN else cursor.expect("=")
        given[field] = read(cursor)
    return given
