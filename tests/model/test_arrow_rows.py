"""Rows in the types of a table: exactly, or not at all."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from headrace.errors import DataError, InterfaceError
from headrace.model.arrow_rows import as_table, rows_as_table
from headrace.model.client_positions import ENDED_SECONDS, KEPT_SECONDS, ClientPositions

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False),
        ("price", pa.decimal128(6, 2)),
        ("share", pa.float32()),
        ("sum", pa.float64()),
        ("name", pa.string()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("local", pa.timestamp("us")),
        ("tags", pa.list_(pa.field("element", pa.int64(), nullable=False))),
        ("place", pa.struct([pa.field("x", pa.int32(), nullable=False), pa.field("y", pa.string())])),
        ("counts", pa.map_(pa.string(), pa.int64())),
        ("raw", pa.binary()),
        ("yes", pa.bool_()),
    ]
)
VALUES: dict[str, Any] = {
    "id": 1,
    "price": Decimal("1.50"),
    "share": 0.25,
    "sum": 7,
    "name": "a",
    "day": date(2026, 1, 31),
    "at": NOON,
    "local": NOON.replace(tzinfo=None),
    "tags": [1, 2],
    "place": {"x": 1},
    "counts": {"a": 1},
    "raw": b"\x00",
    "yes": True,
}
JSON_VALUES = VALUES | {
    "price": Decimal("1.5"),
    "day": "2026-01-31",
    "at": "2026-01-31T13:00:00+01:00",
    "local": "2026-01-31T12:00:00",
    "raw": "AA==",
}


def test_values_of_python_and_json_are_the_same() -> None:
    rows = as_table([VALUES, {"id": 2}], SCHEMA)
    assert rows.schema == SCHEMA
    first, second = rows.to_pylist()
    assert first == VALUES | {"place": {"x": 1, "y": None}, "counts": [("a", 1)], "sum": 7.0}
    assert {key: value for key, value in second.items() if value is not None} == {"id": 2}
    assert rows_as_table([JSON_VALUES, {"id": 2}], SCHEMA, from_json=True).equals(rows)


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("id", "1", "a string"),
        ("id", True, "a boolean"),
        ("id", 1.0, "a number"),
        ("id", 2**31, "an integer out of its range"),
        ("price", 1.5, "a number"),
        ("price", Decimal("1.234"), "a number with 3 decimals"),
        ("price", Decimal(10000), "a number out of its range"),
        ("price", Decimal("NaN"), "not a finite number"),
        ("price", Decimal("1.10000000000000000000000000000000000000001"), "a number with 41 decimals"),
        ("price", Decimal("1E+9999999"), "a number out of its range"),
        ("share", 1e300, "a number out of its range"),
        ("sum", 2**53 + 1, "an integer that a floating-point number cannot hold"),
        ("sum", "1", "a string"),
        ("name", 1, "an integer"),
        ("name", b"a", "binary"),
        ("day", NOON, "a timestamp"),
        ("at", NOON.replace(tzinfo=None), "a timestamp without an offset from UTC"),
        ("at", pd.Timestamp("2026-01-31T12:00:00.123456789Z"), "a timestamp with more than 6 decimals"),
        ("local", NOON, "a timestamp with an offset from UTC"),
        ("tags", 1, "an integer"),
        ("tags", ["a"], "a string"),
        ("tags", [None], "one with NULL in element, which is NOT NULL"),
        ("place", {"x": 1, "z": 1}, "an object with the unknown field 'z'"),
        ("place", {"y": "a"}, "one with NULL in x, which is NOT NULL"),
        ("counts", [1], "a list of something else than pairs"),
        ("raw", "AA==", "a string"),
        ("yes", 1, "an integer"),
    ],
)
def test_a_value_that_does_not_fit(column: str, value: Any, what: str) -> None:
    with pytest.raises(DataError) as refused:
        as_table([VALUES, VALUES | {column: value}], SCHEMA)
    assert refused.value.message.startswith(f"row 2: column {column} is ")
    assert refused.value.message.endswith(f"the value is {what}")


def test_numbers_with_more_digits_than_they_need() -> None:
    prices = [Decimal("1.5" + "0" * 60), Decimal("0E-60"), Decimal("1E+2"), 7]
    rows = as_table([{"id": 1, "price": price} for price in prices], SCHEMA)
    assert rows.column("price").to_pylist() == [Decimal("1.5"), 0, 100, 7]
    with pytest.raises(DataError, match="column sum is DOUBLE, and the value is a number out of its range"):
        rows_as_table([{"id": 1, "sum": Decimal("1E+400")}], SCHEMA, from_json=True)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["a"]}, "row 1: column id is INT, and the value is of Arrow's type string"),
        (
            {"id": [1, 2**40]},
            "row 2: column id is INT, and the value is of Arrow's type int64 and does not fit",
        ),
        ({"id": [1, None]}, "row 2: column id is NOT NULL, and the row has no value for it"),
        ({"id": [1], "idd": [1]}, "the table has no column 'idd'"),
        ({"name": ["a"]}, "row 1: column id is NOT NULL, and the row has no value for it"),
        (
            {"id": [1], "at": [NOON.replace(tzinfo=None)]},
            "row 1: column at is TIMESTAMP, and the value is of Arrow's type timestamp[us]",
        ),
        (
            {"id": [1], "tags": [[None, 1]]},
            "column tags: a nested value is NULL where the table requires one",
        ),
        (
            {"id": [1], "place": [{"x": None, "y": "a"}]},
            "row 1: column place is STRUCT, and the value is of Arrow's type",
        ),
    ],
)
def test_arrow_that_does_not_fit(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as refused:
        as_table(pa.table(columns), SCHEMA)
    assert refused.value.message.startswith(message)


def test_frames_and_batches() -> None:
    wanted = [{"id": 1, "name": "a"}, {"id": 2, "name": None}]
    columns = {"id": [1, 2], "name": ["a", None]}
    frame = pd.DataFrame(columns, index=[7, 8])
    for data in (pa.table(columns), pa.record_batch(columns), frame, wanted):
        assert as_table(data, SCHEMA).select(["id", "name"]).to_pylist() == wanted
    with_gaps = pd.DataFrame({"id": [1.0, 2.0], "sum": [1.0, float("nan")]})
    assert as_table(with_gaps, SCHEMA).select(["id", "sum"]).to_pylist()[1] == {"id": 2, "sum": None}
    coded = pa.table({"id": [1], "name": pa.array(["a"]).dictionary_encode()})
    assert as_table(coded, SCHEMA).column("name").to_pylist() == ["a"]
    for data in ("text", 5, None):
        with pytest.raises(InterfaceError, match="cannot be written"):
            as_table(data, SCHEMA)
    with pytest.raises(DataError, match="row 1 is an integer, not an object"):
        as_table([1], SCHEMA)


def test_positions_of_clients() -> None:
    first = ClientPositions().after({"a": 3, "b": 1}, (), 100)
    assert ClientPositions.from_json(first.to_json()) == first
    assert (first.sequence_of("a"), first.sequence_of("c")) == (3, 0)
    later = first.after({"a": 4}, {"b"}, 200)
    assert later.sequence_of("b") == 1
    assert later.after({}, (), 200 + ENDED_SECONDS).clients.keys() == {"a"}
    assert later.after({}, (), 200 + KEPT_SECONDS).clients == {}
