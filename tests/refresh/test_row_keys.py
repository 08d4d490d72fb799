"""By which columns rows can be found without reading the whole table."""

from __future__ import annotations

import pytest

from headrace.refresh.row_keys import is_findable, same_keys


@pytest.mark.parametrize(
    "kind",
    ["tinyint", "int", "bigint", "boolean", "string", "binary", "date", "timestamp_ntz", "decimal(10,2)"],
)
def test_types_whose_values_are_stored_alike_where_they_are_equal(kind: str) -> None:
    assert is_findable(kind)


@pytest.mark.parametrize(
    "kind", ["double", "float", "array<int>", "struct<a:int>", "string collate UTF8_LCASE"]
)
def test_types_whose_equal_values_may_be_stored_in_several_ways(kind: str) -> None:
    assert not is_findable(kind)


def test_null_is_the_same_key_as_null() -> None:
    assert same_keys("x", "y", ["a", "b`"]) == "x.`a` <=> y.`a` AND x.`b``` <=> y.`b```"
    assert same_keys("x", "y", []) == "true"
