"""What of a backfill can begin, what is left out, and how it ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from tests.catalog.operation_samples import task
from tests.catalog.samples import NOON

from headrace.errors import DataError
from headrace.model.backfill import (
    Backfill,
    BackfillItem,
    BackfillState,
    dates_between,
    dependencies,
    with_downstream,
)
from headrace.model.task import RunState

A, B, C, D = task("A"), task("b", after=("a",)), task("c", after=("B", "x")), task("d")


def backfill(values: str, parallelism: int = 2) -> Backfill:
    chosen = [A, B, C]
    items = tuple(BackfillItem(each.name, value) for value in values.split() for each in chosen)
    return Backfill("id", "A", "bizdate", parallelism, "ann", NOON, items, dependencies(chosen))


def moved(found: Backfill, **states: RunState) -> Backfill:
    """``a1`` is task a for value 1."""
    for key, state in states.items():
        (item,) = (each for each in found.items if each.key == (key[0], key[1:]))
        found = found.with_item(replace(item, state=state))
    return found


def ready(found: Backfill) -> list[str]:
    return [f"{item.task.lower()}{item.value}" for item in found.ready()]


def test_tasks_run_after_each_other_and_values_side_by_side() -> None:
    found = backfill("1 2 3")
    assert ready(found) == ["a1", "a2"]
    found = moved(found, a1=RunState.RUNNING, a2=RunState.RUNNING)
    assert ready(found) == []
    found = moved(found, a1=RunState.SUCCEED)
    assert ready(found) == ["b1"]
    found = moved(found, b1=RunState.SUCCEED, a2=RunState.SUCCEED)
    assert ready(found) == ["c1", "b2"]


def test_what_comes_after_a_failure_is_skipped() -> None:
    found = moved(backfill("1 2"), a1=RunState.TIMEOUT, a2=RunState.SUCCEED).with_skipped()
    states = {f"{item.task.lower()}{item.value}": item.state for item in found.items}
    assert (states["b1"], states["c1"], states["b2"]) == (RunState.SKIPPED, RunState.SKIPPED, RunState.QUEUED)
    (skipped,) = (item for item in found.items if item.key == ("c", "1"))
    assert skipped.error_message == "task b did not succeed"


@pytest.mark.parametrize(
    ("states", "outcome"),
    [
        ((RunState.SUCCEED, RunState.SUCCEED, RunState.SUCCEED), BackfillState.SUCCEED),
        ((RunState.SUCCEED, RunState.FAILED, RunState.SKIPPED), BackfillState.FAILED),
        ((RunState.SUCCEED, RunState.CANCELLED, RunState.FAILED), BackfillState.CANCELLED),
    ],
)
def test_outcome(states: tuple[RunState, RunState, RunState], outcome: BackfillState) -> None:
    found = moved(backfill("1"), a1=states[0], b1=states[1], c1=states[2])
    assert (found.is_done, found.outcome) == (True, outcome)


def test_progress() -> None:
    found = moved(
        backfill("1 2"), a1=RunState.SUCCEED, b1=RunState.FAILED, c1=RunState.SKIPPED, a2=RunState.RUNNING
    )
    shown = found.progress
    assert (shown.runs, shown.running, shown.succeeded, shown.failed, shown.left_out) == (6, 1, 1, 1, 1)


def test_downstream() -> None:
    assert [each.name for each in with_downstream(A, [C, D, B, A])] == ["A", "b", "c"]
    assert [each.name for each in with_downstream(C, [C, D, B, A])] == ["c"]
    assert dependencies([B, C]) == {"b": (), "c": ("b",)}


def test_dates() -> None:
    assert dates_between(date(2024, 2, 28), date(2024, 3, 1)) == ["2024-02-28", "2024-02-29", "2024-03-01"]
    assert dates_between(date(2024, 1, 1), date(2024, 1, 14), 7) == ["2024-01-01", "2024-01-08"]
    with pytest.raises(DataError, match="before the first"):
        dates_between(date(2024, 1, 2), date(2024, 1, 1))
    with pytest.raises(DataError, match="at most 1000 dates, not 1001"):
        dates_between(date(2024, 1, 1), date(2026, 9, 27))


@pytest.mark.parametrize("parallelism", [0, 17])
def test_limits(parallelism: int) -> None:
    with pytest.raises(DataError, match="1 to 16 runs at the same time"):
        backfill("1", parallelism)
