"""Of stream writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

COLUMNS = "id INT NOT NULL, name STRING, price DECIMAL(5,2), at TIMESTAMP, local TIMESTAMP_NTZ"
_NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@dataclass(frozen=True)
class StreamMistake:
    what: str
    rows: Sequence[Mapping[str, Any]]
    message: str
    table: str = "t"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the writer."""


STREAM_MISTAKES = (
    StreamMistake("a table that is not there", [{"id": 1}], "^table .*none does not exist", "none"),
    StreamMistake("a view", [{"id": 1}], "is a view", "seen"),
    StreamMistake("a dynamic table", [{"id": 1}], "is a dynamic table", "derived"),
    StreamMistake("a mode that is not there", [{"id": 1}], "is not a mode", options={"mode": "merge"}),
    StreamMistake("an upsert without a key", [{"id": 1}], "requires key", options={"mode": "upsert"}),
    StreamMistake(
        "a key that is no column",
        [{"id": 1}],
        "^key column number does not exist",
        options={"mode": "upsert", "key": ["number"]},
    ),
    StreamMistake(
        "NULL in a key",
        [{"id": 1, "name": None}],
        "^row 1: key column name is NULL",
        options={"mode": "upsert", "key": ["name"]},
    ),
    StreamMistake(
        "a column that is not there", [{"id": 1}, {"id": 2, "colour": "red"}], "^row 2: .*'colour'"
    ),
    StreamMistake("NULL for NOT NULL", [{"id": 1}, {"name": "x"}], "^row 2: column id is NOT NULL"),
    StreamMistake(
        "a text for a number", [{"id": 1}, {"id": "2"}], "^row 2: column id is INT, and the value is a string"
    ),
    StreamMistake("a number for a text", [{"id": 1, "name": 2}], "^row 1: column name is STRING"),
    StreamMistake("a number that is too large", [{"id": 1 << 31}], "^row 1: column id "),
    StreamMistake("a decimal with too many digits", [{"id": 1, "price": "12345.5"}], "^row 1: column price "),
    StreamMistake(
        "a moment without a zone", [{"id": 1, "at": _NOON.replace(tzinfo=None)}], "^row 1: column at "
    ),
    StreamMistake("a zone where none belongs", [{"id": 1, "local": _NOON}], "^row 1: column local "),
)
