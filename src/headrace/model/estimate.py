"""What a refresh would take either way."""

from __future__ import annotations

from dataclasses import dataclass

_WORTH_IT = 0.5
"""Seconds that FULL must save: for less, rows that stay in place are worth more to those who read them."""
_SERVED = 5
"""Refreshes that an index serves, at least: one bears so much of what it takes to make it."""
_FELT = 0.05


@dataclass(frozen=True)
class Estimate:
    """In seconds."""

    incremental: float
    full: float
    once: float = 0.0
    """Of ``incremental``: to make indexes, by which later refreshes find rows, too."""

    def prefers_full(self, margin: float) -> bool:
        """INCREMENTAL is left only where FULL is cheaper by the margin, and by what is felt."""
        incremental = self.incremental - self.once + self.once / _SERVED
        return self.full * margin < incremental and self.full + _WORTH_IT < incremental

    def __str__(self) -> str:
        once = f" ({_seconds(self.once)} to make indexes)" if self.once >= _FELT else ""
        return f"estimated {_seconds(self.incremental)}{once}, FULL {_seconds(self.full)}"


def _seconds(figure: float) -> str:
    return f"{figure:.1f} s" if figure < 100 else f"{figure:.0f} s"
