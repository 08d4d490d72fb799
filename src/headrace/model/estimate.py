"""What a refresh would take either way."""

from __future__ import annotations

from dataclasses import dataclass

_WORTH_IT = 0.5
"""Seconds that FULL must save: for less, rows that stay in place are worth more to those who read them."""


@dataclass(frozen=True)
class Estimate:
    """In seconds."""

    incremental: float
    full: float

    def prefers_full(self, margin: float) -> bool:
        """INCREMENTAL is left only where FULL is cheaper by the margin, and by what is felt."""
        return self.full * margin < self.incremental and self.full + _WORTH_IT < self.incremental

    def __str__(self) -> str:
        return f"estimated {_seconds(self.incremental)}, FULL {_seconds(self.full)}"


def _seconds(figure: float) -> str:
    return f"{figure:.1f} s" if figure < 100 else f"{figure:.0f} s"
