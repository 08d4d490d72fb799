"""Sizes from which on a refresh goes another way, drawn at random so that tiny tables go every way."""

from __future__ import annotations

from random import Random

import pytest

from headrace.lake import driver_memory
from headrace.lake.lookup import key_lookup
from headrace.refresh import increment

_CHOICES = {
    "LARGE": (increment.LARGE, increment.LARGE, 5, 10_000),
    "SMALL": (increment.SMALL, increment.SMALL, 6),
    "MOST_KEYS": (increment.MOST_KEYS, increment.MOST_KEYS, 6),
    "MOST_FOUND": (increment.MOST_FOUND, increment.MOST_FOUND, 8),
    "SMALL_TABLE": (increment.SMALL_TABLE, increment.SMALL_TABLE, 0, 5),
}


_SMALL_FILES = (key_lookup.SMALL_FILE, 0)
"""Rows of files whose keys stay in memory: all files of a test are small."""
_SHARES = (driver_memory.SHARE, driver_memory.SHARE, 10**7)
"""Of the heap, for rows in the driver: one of the last fits a few rows."""


def draw_thresholds(rng: Random, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Until the end of the test; what was drawn, to be named by a failure."""
    drawn = {name: rng.choice(values) for name, values in _CHOICES.items()}
    for name, value in drawn.items():
        monkeypatch.setattr(increment, name, value)
    drawn["SMALL_FILE"] = rng.choice(_SMALL_FILES)
    monkeypatch.setattr(key_lookup, "SMALL_FILE", drawn["SMALL_FILE"])
    drawn["SHARE"] = rng.choice(_SHARES)
    monkeypatch.setattr(driver_memory, "SHARE", drawn["SHARE"])
    return drawn
