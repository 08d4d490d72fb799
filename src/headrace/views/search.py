"""Search as you type, over the names of everything in the lake. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class HitKind(StrEnum):
    TABLE = "table"
    DYNAMIC_TABLE = "dynamic table"
    VIEW = "view"
    STREAM = "stream"
    COLUMN = "column"
    TASK = "task"
    FILE = "file"
    CLUSTER = "cluster"


_ORDER = {kind: number for number, kind in enumerate(HitKind)}


@dataclass(frozen=True)
class SearchHit:
    kind: HitKind
    id: str
    """The full name of an object, of the object of a column, the name of a task, the id of a file."""
    name: str
    detail: str | None
    """Where it is: a schema, a path."""


@dataclass(frozen=True)
class SearchHits:
    items: tuple[SearchHit, ...]
    """The best first."""


def search(text: str, candidates: Iterable[SearchHit], limit: int) -> SearchHits:
    """All words must be part of the name or of its place; a name that begins with the text comes first."""
    words = text.lower().split()
    if not words:
        return SearchHits(())
    found = [(_rank(words, hit), hit) for hit in candidates if _matches(words, hit)]
    best = sorted(found, key=lambda each: (each[0], _ORDER[each[1].kind], each[1].name.lower(), each[1].id))
    return SearchHits(tuple(hit for _, hit in best[:limit]))


def _matches(words: list[str], hit: SearchHit) -> bool:
    text = f"{hit.id} {hit.name} {hit.detail or ''}".lower()
    return all(word in text for word in words)


def _rank(words: list[str], hit: SearchHit) -> int:
    name, text = hit.name.lower(), " ".join(words)
    if name == text:
        return 0
    if name.startswith(text):
        return 1
    if any(part.startswith(words[0]) for part in name.replace(".", "_").split("_")):
        return 2
    return 3 if words[0] in name else 4
