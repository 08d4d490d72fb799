from __future__ import annotations

import pytest

from dbt.adapters.headrace.column import HeadraceColumn


@pytest.mark.parametrize(
    ("before", "after", "widens"),
    [
        ("int", "bigint", True),
        ("bigint", "int", False),
        ("float", "double", True),
        ("decimal(10,2)", "decimal(12,2)", True),
        ("decimal(10,2)", "decimal(12,3)", False),
        ("decimal(10,2)", "decimal(9,2)", False),
        ("int", "string", False),
    ],
)
def test_types_that_widen(before: str, after: str, widens: bool) -> None:
    assert HeadraceColumn("c", before).widens_to(after) is widens


def test_kinds_of_types() -> None:
    assert HeadraceColumn("c", "decimal(10,2)").is_numeric()
    assert HeadraceColumn("c", "string").is_string()
    assert HeadraceColumn("c", "bigint").is_number()
    assert not HeadraceColumn("c", "array<string>").is_string()


def test_names_with_backticks() -> None:
    assert HeadraceColumn("a`b", "int").quoted == "`a``b`"
