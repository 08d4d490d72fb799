"""Offsets into a statement's text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from headrace.errors import Place


@dataclass(frozen=True, order=True)
class Span:
    """Half-open range of character offsets."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}..{self.end}")

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def to(self, last: Span) -> Span:
        """From the start of this one to the end of ``last``."""
        return Span(self.start, last.end)

    def shifted(self, offset: int) -> Span:
        return Span(self.start + offset, self.end + offset)


def place_of(text: str, span: Span) -> Place:
    """The line of ``text`` where ``span`` starts, and how much of that line it covers."""
    start = min(span.start, len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    return Place(
        line=text.count("\n", 0, start) + 1,
        column=start - line_start + 1,
        source_line=text[line_start:line_end].rstrip("\r"),
        length=max(1, min(span.end, line_end) - start),
    )


def splice(text: str, replacements: Iterable[tuple[Span, str]]) -> str:
    """``text`` with each span replaced; spans may come in any order but must not overlap."""
    pieces: list[str] = []
    position = 0
    for span, replacement in sorted(replacements, key=lambda pair: pair[0]):
        if span.start < position or span.end > len(text):
            raise ValueError(f"overlapping or out of the text: {span}")
        pieces += [text[position : span.start], replacement]
        position = span.end
    return "".join([*pieces, text[position:]])


def moved(place: Place, inner: str, outer: str, offset: int) -> Place:
    """A place in ``inner`` as a place in ``outer``, in which ``inner`` stands at ``offset``."""
    lines = inner.split("\n")
    start = max(0, offset + sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1)
    return place_of(outer, Span(start, start + place.length))


Edit = tuple[Span, str]
"""A span of a text and what stands there instead; an empty span is an insertion."""


@dataclass(frozen=True)
class Rewritten:
    """A text as it was typed, and as it goes to Spark."""

    original: str
    edits: tuple[Edit, ...] = ()

    @cached_property
    def text(self) -> str:
        return splice(self.original, self.edits)

    def origin_of(self, span: Span) -> Span:
        """What of the original a span of the new text comes from."""
        starts, ends = self._origin(span.start), self._origin(max(span.start, span.end - 1))
        return Span(starts[0], max(starts[0], ends[1]))

    def whole(self, span: Span) -> Span:
        """A span of the original, with all of each replaced part that it runs into or out of."""
        touched = [
            edit
            for edit, _ in self.edits
            if edit.start < span.end and span.start < edit.end
            if not edit.start <= span.start <= span.end <= edit.end
        ]
        return Span(
            min([span.start, *(edit.start for edit in touched)]),
            max([span.end, *(edit.end for edit in touched)]),
        )

    def _origin(self, offset: int) -> tuple[int, int]:
        """Where the character at ``offset`` comes from: its own place, or the whole of what was replaced."""
        grown = 0
        for span, replacement in sorted(self.edits, key=lambda edit: edit[0]):
            if offset < span.start + grown:
                break
            if offset < span.start + grown + len(replacement):
                return span.start, span.end
            grown += len(replacement) - (span.end - span.start)
        return offset - grown, offset - grown + 1


def as_rewritten(text: str | Rewritten) -> Rewritten:
    return text if isinstance(text, Rewritten) else Rewritten(text)
