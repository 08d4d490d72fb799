"""The condition by which a merge leaves out most of the table."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from headrace.model.dynamic_table import Column
from headrace.refresh.find_rows import keys_in, listable


@pytest.mark.parametrize(
    ("kind", "values", "condition"),
    [
        ("int", [3, 1, 3], "(__hr_old.`k` IN (1, 3))"),
        ("bigint", [2**40], "(__hr_old.`k` IN (1099511627776L))"),
        ("bigint", [-(2**31)], "(__hr_old.`k` IN (-2147483648L))"),
        ("string", ["it's", "b\\"], r"(__hr_old.`k` IN ('b\\', 'it\'s'))"),
        ("string", ["${x}"], r"(__hr_old.`k` IN ('\u0024{x}'))"),
        ("date", [19875], "(__hr_old.`k` IN (date_from_unix_date(19875)))"),
        ("decimal(10,2)", [Decimal("1.50"), Decimal(-3)], "(__hr_old.`k` IN (-3BD, 1.50BD))"),
        ("int", [1, None], "(__hr_old.`k` IN (1) OR __hr_old.`k` IS NULL)"),
        ("int", [None], "(__hr_old.`k` IS NULL)"),
        ("int", list(range(5000)), "(__hr_old.`k` BETWEEN 0 AND 4999)"),
    ],
)
def test_one_key(kind: str, values: list[Any], condition: str) -> None:
    (key,) = listable([Column("k", kind)], ["k"])
    assert keys_in([key], [(value,) for value in values]) == condition


@pytest.mark.parametrize("kind", ["double", "boolean", "timestamp", "binary", "array<int>", "struct<a:int>"])
def test_types_that_are_not_listed(kind: str) -> None:
    assert listable([Column("k", kind)], ["k"]) == []


def test_several_keys_hold_together() -> None:
    keys = listable([Column("a", "int"), Column("b`", "string")], ["a", "b`"])
    assert keys_in(keys, [(1, "x"), (2, "x")]) == "(__hr_old.`a` IN (1, 2)) AND (__hr_old.`b``` IN ('x'))"


def test_without_keys_or_rows() -> None:
    assert keys_in([], [()]) == ""
    assert keys_in(listable([Column("k", "int")], ["k"]), []) == ""
