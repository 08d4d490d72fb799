"""The types of columns follow from the types of fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo

import pyarrow as pa

from headrace.views.arrow import Milliseconds, to_arrow
from headrace.views.described import column_table, info_table

ZONE = ZoneInfo("Asia/Shanghai")
NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    a: int
    b: str | None


@dataclass(frozen=True)
class Base:
    text: str
    count: int | None


@dataclass(frozen=True)
class Row(Base):
    ratio: float
    flag: bool
    colour: Colour | None
    word: Literal["YES", "NO"]
    at: datetime
    at_millisecond: Milliseconds
    day: date
    took: timedelta | None
    names: tuple[str, ...]
    inner: tuple[Inner, ...]
    settings: Mapping[str, str]


ROW = Row(
    text="x",
    count=None,
    ratio=0.5,
    flag=True,
    colour=Colour.RED,
    word="NO",
    at=NOON,
    at_millisecond=NOON,
    day=date(2024, 6, 1),
    took=timedelta(seconds=1.5),
    names=("a", "b"),
    inner=(Inner(1, None),),
    settings={"k": "v"},
)


def test_columns_are_the_fields_in_their_order() -> None:
    table = to_arrow(Row, [], ZONE)
    inner = pa.struct([("a", pa.int64()), ("b", pa.string())])
    assert table.schema == pa.schema(
        [
            ("text", pa.string()),
            ("count", pa.int64()),
            ("ratio", pa.float64()),
            ("flag", pa.bool_()),
            ("colour", pa.string()),
            ("word", pa.string()),
            ("at", pa.timestamp("us", tz="Asia/Shanghai")),
            ("at_millisecond", pa.timestamp("ms", tz="Asia/Shanghai")),
            ("day", pa.date32()),
            ("took", pa.duration("us")),
            ("names", pa.list_(pa.string())),
            ("inner", pa.list_(inner)),
            ("settings", pa.string()),
        ]
    )


def test_values() -> None:
    (row,) = to_arrow(Row, [ROW], ZONE).to_pylist()
    assert row["at"] == row["at_millisecond"] == NOON
    assert (row["colour"], row["count"], row["took"]) == ("red", None, timedelta(seconds=1.5))
    assert (row["names"], row["inner"], row["settings"]) == (["a", "b"], [{"a": 1, "b": None}], '{"k": "v"}')


@dataclass(frozen=True)
class Described(Base):
    made_at: datetime
    took: timedelta
    names: tuple[str, ...]
    extra: str | None = None
    more: str | None = None


def test_desc_shows_every_field_as_text_but_defaults() -> None:
    view = Described("x", None, NOON, timedelta(seconds=90.5), ("a",), more="m")
    pairs = info_table(view, ZONE, {"p": "q"})
    assert pairs.column_names == ["info_name", "info_value"]
    assert [tuple(row.values()) for row in pairs.to_pylist()] == [
        ("text", "x"),
        ("count", None),
        ("made_at", "2024-06-01 20:00:00+08:00"),
        ("took", "90.5 seconds"),
        ("names", '["a"]'),
        ("more", "m"),
        ("p", "q"),
    ]


def test_desc_of_a_table() -> None:
    table = column_table([("a", "bigint"), ("heading", None)], ZONE)
    assert table.to_pylist() == [
        {"column_name": "a", "data_type": "bigint"},
        {"column_name": "heading", "data_type": None},
    ]
