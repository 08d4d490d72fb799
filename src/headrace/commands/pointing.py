"""Where in the user's text an error belongs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.errors import Error
from headrace.sql.text import Span, moved, place_of


@contextmanager
def pointing_at(text: str, span: Span | None) -> Iterator[None]:
    """Errors raised inside point at ``span`` of ``text``, unless they point somewhere already."""
    try:
        yield
    except Error as error:
        if span is not None:
            error.at(place_of(text, span))
        raise


@contextmanager
def pointing_into(text: str, part: str, offset: int) -> Iterator[None]:
    """Errors raised inside point into ``part``, which stands in ``text`` at ``offset``."""
    try:
        yield
    except Error as error:
        if error.place is not None:
            error.place = moved(error.place, part, text, offset)
        raise
