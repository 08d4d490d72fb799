"""Where in the user's text an error belongs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.errors import Error, Place
from headrace.sql.tokens.positions import Span, moved, place_of


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


@contextmanager
def pointing_by_words(text: str, sent: str) -> Iterator[None]:
    """Errors raised inside point into ``sent``, which says the same as ``text`` in another order."""
    try:
        yield
    except Error as error:
        if sent != text:
            error.place = same_words(error.place, text)
        raise


def same_words(place: Place | None, text: str) -> Place | None:
    """Where ``text`` has the words at ``place`` of another text; None unless just once."""
    if place is None:
        return None
    words = place.source_line[place.column - 1 :][: place.length]
    start = text.find(words)
    return place_of(text, Span(start, start + len(words))) if text.count(words) == 1 else None
