from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from headrace.model.text_table import show_value, text_table


def test_a_table_as_the_manual_prints_it() -> None:
    rows = [("Electronics", 2, 5), ("Clothing", 1, 5)]
    assert text_table(["category", "order_cnt", "total_quantity"], rows) == "\n".join(
        [
            "+-------------+-----------+----------------+",
            "| category    | order_cnt | total_quantity |",
            "+-------------+-----------+----------------+",
            "| Electronics | 2         | 5              |",
            "| Clothing    | 1         | 5              |",
            "+-------------+-----------+----------------+",
        ]
    )


def test_no_rows_and_no_columns() -> None:
    assert text_table(["a"], []) == "+---+\n| a |\n+---+\n+---+"
    assert text_table([], []) == ""


def test_wide_characters_take_two_cells() -> None:
    assert text_table(["名"], [("电子产品",), ("a",)]).splitlines()[3:5] == ["| 电子产品 |", "| a        |"]


def test_line_breaks_and_escape_sequences_stay_in_their_cell() -> None:
    assert text_table(["a\nb"], [("x\r\ty\x1b[31m\u2028",)]).splitlines()[1::2] == [
        "| a\\nb                 |",
        "| x\\r\\ty\\x1b[31m\\u2028 |",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (12, "12"),
        (0.1, "0.1"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (Decimal("1570.00"), "1570.00"),
        (Decimal("0E-6"), "0.000000"),
        ("two\nlines", "two\nlines"),
        (datetime(2024, 5, 17, 11, 33, 15, tzinfo=UTC), "2024-05-17 11:33:15"),
        (datetime(2024, 5, 17, 11, 33, 15, 512000, tzinfo=UTC), "2024-05-17 11:33:15.512"),
        (datetime(2024, 5, 17, 11, 33, 15, 512001, tzinfo=UTC), "2024-05-17 11:33:15.512001"),
        (date(2024, 5, 17), "2024-05-17"),
        (time(11, 33), "11:33:00"),
        (timedelta(milliseconds=327), "0 00:00:00.327000000"),
        (timedelta(days=2, hours=25, microseconds=1), "3 01:00:00.000001000"),
        (-timedelta(seconds=90), "-0 00:01:30.000000000"),
        (b"\x00\xff", "00ff"),
        ([1, None, "a"], '[1,null,"a"]'),
        ({"k": Decimal("1.50"), "d": date(2024, 1, 2)}, '{"k":1.50,"d":"2024-01-02"}'),
        ((True, {"é": [b"\x01"]}), '[true,{"é":["01"]}]'),
    ],
)
def test_show_value(value: Any, text: str) -> None:
    assert show_value(value) == text


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals(min_value=-(10**20), max_value=10**20, places=4)
    | st.text()
    | st.datetimes()
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.binary()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(st.text(), min_size=width, max_size=width),
        st.lists(st.tuples(*[VALUES] * width), max_size=5),
    )
)


@given(TABLES)
def test_every_table_is_a_rectangle(table: tuple[list[str], list[tuple[Any, ...]]]) -> None:
    columns, rows = table
    lines = text_table(columns, rows).split("\n")
    assert len(lines) == len(rows) + 4
    assert lines[0] == lines[2] == lines[-1]
    assert {cell_len(line) for line in lines} == {len(lines[0])}
