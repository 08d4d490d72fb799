"""One form of each value in JSON, for results, responses and ``--output json`` alike."""

from __future__ import annotations

import json
import math
import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from headrace.model.json_value import json_value


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: float
    colour: Colour
    inner: Point | None = None


NOON = datetime(2024, 6, 1, 12)  # noqa: DTZ001  (one without a zone)
SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2**70, 2**70),
        ("a", "a"),
        (0.5, 0.5),
        (-0.0, -0.0),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (Decimal("1570.00"), "1570.00"),
        (Decimal("1E+3"), "1000"),
        (Decimal("-0.000000001"), "-0.000000001"),
        (b"\x00\xff", "AP8="),
        (bytearray(b""), ""),
        (memoryview(b"\x0a"), "Cg=="),
        (NOON, "2024-06-01T12:00:00"),
        (NOON.replace(microsecond=5), "2024-06-01T12:00:00.000005"),
        (NOON.replace(tzinfo=UTC), "2024-06-01T12:00:00+00:00"),
        (NOON.replace(tzinfo=SHANGHAI), "2024-06-01T12:00:00+08:00"),
        (NOON.replace(tzinfo=timezone(timedelta(hours=-3.5))), "2024-06-01T12:00:00-03:30"),
        (datetime(1900, 1, 1, tzinfo=SHANGHAI), "1900-01-01T00:00:17+08:06"),
        (datetime(1, 1, 1, tzinfo=SHANGHAI), "0001-01-01T00:00:17+08:06"),
        (date(2024, 1, 2), "2024-01-02"),
        (time(1, 2, 3), "01:02:03"),
        (timedelta(), "PT0S"),
        (timedelta(seconds=1), "PT1S"),
        (timedelta(days=1), "P1D"),
        (timedelta(days=-1, microseconds=-20), "-P1DT0.00002S"),
        (timedelta(hours=26, minutes=3, seconds=4.5), "P1DT2H3M4.5S"),
        (timedelta(hours=1), "PT1H"),
        (Colour.RED, "red"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ({1: [Decimal("2.0"), -math.inf]}, {"1": ["2.0", "-Infinity"]}),
        ({True: 1, None: 2, NOON: 3}, {"true": 1, "null": 2, "2024-06-01T12:00:00": 3}),
        ((date(2024, 1, 2), (b"\x0a", None)), ["2024-01-02", ["Cg==", None]]),
        (Point(math.nan, Colour.RED), {"x": "NaN", "colour": "red", "inner": None}),
        (
            [Point(1.0, Colour.RED, Point(2.0, Colour.RED))],
            [{"x": 1.0, "colour": "red", "inner": {"x": 2.0, "colour": "red", "inner": None}}],
        ),
    ],
)
def test_each_kind_of_value(value: Any, expected: Any) -> None:
    assert json_value(value) == expected
    assert type(json_value(value)) is type(expected)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals(min_value=-(10**20), max_value=10**20, places=4)
    | st.text()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.binary()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCALARS, inner, max_size=3),
    max_leaves=6,
)


@given(VALUES)
def test_every_value_is_json(value: Any) -> None:
    json.dumps(json_value(value), allow_nan=False)


READ_BACK: list[tuple[type, st.SearchStrategy[Any]]] = [
    (timedelta, st.timedeltas()),
    (datetime, st.datetimes(timezones=st.none() | st.just(UTC) | st.just(SHANGHAI), allow_imaginary=False)),
    (Decimal, st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20)),
    (date, st.dates()),
    (time, st.times()),
]


@pytest.mark.parametrize(("kind", "values"), READ_BACK)
@given(data=st.data())
def test_the_declared_format_reads_it_back(
    kind: type, values: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    """What OpenAPI declares of a field is how pydantic reads that format."""
    value = data.draw(values)
    read = TypeAdapter(kind).validate_python(json_value(value))
    assert _moment(read) == _moment(value)


def _moment(value: Any) -> Any:
    """An hour that a zone has twice equals no time of another zone, even if it is the same moment."""
    if not isinstance(value, datetime) or (offset := value.utcoffset()) is None:
        return value
    return value.replace(tzinfo=None) - datetime(2000, 1, 1) - offset  # noqa: DTZ001
