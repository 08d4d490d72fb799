"""Sizes from which on a refresh goes another way, drawn at random so that tiny tables go every way."""

from __future__ import annotations

from random import Random
from types import ModuleType

import pytest

from headrace.lake import driver_memory, small_result
from headrace.lake.change_scan import changes
from headrace.lake.lookup import key_lookup
from headrace.refresh import increment, maintenance, stored_groups

_CHOICES: tuple[tuple[ModuleType, str, tuple[int, ...]], ...] = (
    (increment, "LARGE", (increment.LARGE, increment.LARGE, 5, 10_000)),
    (increment, "SMALL", (increment.SMALL, increment.SMALL, 6)),
    (increment, "MOST_KEYS", (increment.MOST_KEYS, increment.MOST_KEYS, 6)),
    (increment, "MOST_FOUND", (increment.MOST_FOUND, increment.MOST_FOUND, 8)),
    (increment, "SMALL_TABLE", (increment.SMALL_TABLE, increment.SMALL_TABLE, 0, 5)),
    # all files of a test are small: with 0, their keys are not kept in memory
    (key_lookup, "SMALL_FILE", (key_lookup.SMALL_FILE, 0)),
    # with 0, an index is stored of every file in which rows are looked up
    (key_lookup, "FEW_ROWS", (key_lookup.FEW_ROWS, key_lookup.FEW_ROWS, 0, 3)),
    (changes, "SMALL", (changes.SMALL, changes.SMALL, 4)),
    (small_result, "FEW_ROWS", (small_result.FEW_ROWS, small_result.FEW_ROWS, 0, 12)),
    # a share of the heap of one part in 10 million fits a few rows
    (driver_memory, "SHARE", (driver_memory.SHARE, driver_memory.SHARE, 10**7)),
    # with 5, groups are stored after the first refresh that reads them again
    (stored_groups, "MANY_FOUND", (stored_groups.MANY_FOUND, 5)),
    (maintenance, "EVERY", (maintenance.EVERY, maintenance.EVERY, 2)),
)


def draw_thresholds(rng: Random, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Until the end of the test; what was drawn, to be named by a failure."""
    drawn = {}
    for module, name, values in _CHOICES:
        value = rng.choice(values)
        monkeypatch.setattr(module, name, value)
        drawn[f"{module.__name__.rpartition('.')[2]}.{name}"] = value
    return drawn
