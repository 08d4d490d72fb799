"""The condition by which a merge leaves out most of the table."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from headrace.refresh.find_rows import among


@pytest.mark.parametrize(
    ("values", "condition"),
    [
        ([3, 1, 3], "(__hr_old.`k` IN (1, 3))"),
        ([2**40], "(__hr_old.`k` IN (1099511627776L))"),
        ([-(2**31)], "(__hr_old.`k` IN (-2147483648L))"),
        (["it's", "b\\"], r"(__hr_old.`k` IN ('b\\', 'it\'s'))"),
        ([date(2024, 6, 1)], "(__hr_old.`k` IN (DATE '2024-06-01'))"),
        ([Decimal("1.50"), Decimal("-3")], "(__hr_old.`k` IN (-3BD, 1.50BD))"),
        ([1, None], "(__hr_old.`k` IN (1) OR __hr_old.`k` IS NULL)"),
        ([None], "(__hr_old.`k` IS NULL)"),
        ([1.5], ""),
        ([True], ""),
        ([datetime(2024, 6, 1)], ""),  # noqa: DTZ001
        ([b"x"], ""),
        (list(range(5000)), "(__hr_old.`k` BETWEEN 0 AND 4999)"),
    ],
)
def test_one_key(values: list[Any], condition: str) -> None:
    assert among(["k"], [(value,) for value in values]) == condition


def test_several_keys_hold_together() -> None:
    assert among(["a", "b`"], [(1, "x"), (2, "x")]) == (
        "(__hr_old.`a` IN (1, 2)) AND (__hr_old.`b``` IN ('x'))"
    )


def test_without_keys_or_rows() -> None:
    assert among([], [()]) == ""
    assert among(["k"], []) == ""
