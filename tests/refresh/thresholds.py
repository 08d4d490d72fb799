"""Sizes from which on a refresh goes another way, drawn at random so that tiny tables go every way."""

from __future__ import annotations

from random import Random

import pytest

from headrace.lake import driver_memory
from headrace.refresh import increment

_CHOICES = {
    "LARGE": (increment.LARGE, increment.LARGE, 5, 10_000),
    "SMALL": (increment.SMALL, increment.SMALL, 6),
    "MOST_FOUND": (increment.MOST_FOUND, increment.MOST_FOUND, 8),
}


_SHARES = (driver_memory.SHARE, driver_memory.SHARE, 10**7)
"""Of the heap, for rows in the driver: one of the last fits a few rows."""


def draw_thresholds(rng: Random, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Until the end of the test; what was drawn, to be named by a failure."""
    drawn = {name: rng.choice(values) for name, values in _CHOICES.items()}
    for name, value in drawn.items():
        monkeypatch.setattr(increment, name, value)
    drawn["SHARE"] = rng.choice(_SHARES)
    monkeypatch.setattr(driver_memory, "SHARE", drawn["SHARE"])
    return drawn
