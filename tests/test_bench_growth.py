"""The benchmark of table sizes: which rows a round changes, and when a bound is broken."""

from __future__ import annotations

import re

import pytest
from bench.growth.changes import KINDS, ChangeKind, Round
from bench.growth.data import FACTS
from bench.growth.report import Growth, Sized, table
from bench.growth.shapes import SHAPES
from bench.growth.shop import Refreshed

ROWS = 1_000_000


def refreshed(seconds: float = 1.0, rows_read: int = 10, mode: str = "INCREMENTAL") -> Refreshed:
    return Refreshed(seconds, mode, "", rows_read, None, 1, rows_allowed=1000)


def sized(*refreshes: Refreshed, recomputed: float = 5.0, verified: str = "exact", rows: int = ROWS) -> Sized:
    return Sized(rows, list(refreshes), [recomputed], verified)


def ids_of(change: Round) -> dict[str, list[int]]:
    """The rows that each statement of a round names, by the words it starts with."""
    statements: list[str] = []

    class Lake:
        def run(self, statement: str) -> None:
            statements.append(statement)

    change.apply(Lake())  # type: ignore[arg-type]
    return {
        " ".join(statement.split()[:3]): [
            int(id_) for id_ in re.findall(r"\d+", re.findall(r"(?:array|IN )\((.+?)\)", statement)[-1])
        ]
        for statement in statements
    }


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_a_round_changes_as_many_rows_as_it_says(kind: ChangeKind) -> None:
    ids = ids_of(Round(ROWS, 3, kind))
    for fact in FACTS:
        assert sum(len({*found}) for words, found in ids.items() if fact in words.split()) == kind.rows


def test_spread_rows_reach_over_the_table_and_clustered_ones_are_recent() -> None:
    spread = ids_of(Round(ROWS, 0, KINDS["mixed-spread"]))["DELETE FROM orders"]
    recent = ids_of(Round(ROWS, 0, KINDS["mixed-clustered"]))["DELETE FROM orders"]
    assert min(spread) < 0.1 * ROWS < 0.9 * ROWS < max(spread)
    assert min(recent) > 0.99 * ROWS


def test_no_two_rounds_delete_the_same_rows() -> None:
    rounds = [
        ids_of(Round(ROWS, number, KINDS["mixed-spread"]))["DELETE FROM orders"] for number in range(20)
    ]
    assert len({id_ for ids in rounds for id_ in ids}) == 20 * 20


def test_a_table_that_is_too_small_for_the_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        ids_of(Round(10_000, 20, KINDS["mixed-spread"]))


def test_every_shape_has_a_table_of_its_own() -> None:
    assert len({shape.table for shape in SHAPES}) == len(SHAPES)
    assert all(shape.facts for shape in SHAPES)


@pytest.mark.parametrize(
    ("large", "broken"),
    [
        (sized(refreshed()), []),
        (sized(refreshed(1.31)), ["growth 1.3"]),
        (sized(refreshed(1.2), recomputed=1.1), ["factor 0.92"]),
        (sized(refreshed(), refreshed(rows_read=1001)), ["rows read at 1 M"]),
        (sized(refreshed(), refreshed(mode="FULL")), ["mode FULL at 1 M"]),
        (sized(refreshed(), verified="different"), ["different at 1 M"]),
    ],
)
def test_bounds(large: Sized, broken: list[str]) -> None:
    found = Growth("having", "mixed-spread", [sized(refreshed(), rows=100_000), large])
    assert found.broken() == broken
    assert all(bound in table([found]) for bound in broken)
