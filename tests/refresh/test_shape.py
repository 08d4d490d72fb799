"""Which types of a query's columns still go into its table."""

from __future__ import annotations

import pytest

from headrace.refresh.shape import fits


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ("int", "int"),
        ("smallint", "int"),
        ("bigint", "int"),
        ("int", "bigint"),
        ("varchar(10)", "string"),
        ("decimal(12,2)", "decimal(10,2)"),
        ("array<tinyint>", "array<int>"),
        ("struct<a:char(3)>", "struct<a:string>"),
    ],
)
def test_fits(given: str, held: str) -> None:
    assert fits(given, held)


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ("double", "float"),
        ("decimal(10,4)", "decimal(10,2)"),
        ("decimal(10,2)", "int"),
        ("string", "int"),
        ("int", "string"),
        ("timestamp", "date"),
        ("timestamp", "timestamp_ntz"),
        ("struct<a:int,b:int>", "struct<a:int>"),
        ("array<bigint>", "array<int>"),
    ],
)
def test_does_not_fit(given: str, held: str) -> None:
    assert not fits(given, held)
