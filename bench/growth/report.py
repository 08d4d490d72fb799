"""What was measured of a shape, the bounds it is held to, and both as a table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.growth.shop import Refreshed
from headrace.model.text_table import text_table

MOST_GROWTH = 1.3
LEAST_FACTOR = 1.0


@dataclass
class Sized:
    """A shape at one size."""

    rows: int
    refreshes: list[Refreshed] = field(default_factory=list)
    recomputed: list[float] = field(default_factory=list)
    verified: str = "not verified"

    @property
    def seconds(self) -> float:
        return statistics.median(refreshed.seconds for refreshed in self.refreshes)

    @property
    def factor(self) -> float:
        """How many times faster the refresh is than recomputing."""
        return statistics.median(self.recomputed) / self.seconds

    @property
    def worst(self) -> Refreshed:
        """The refresh that read most."""
        return max(self.refreshes, key=lambda refreshed: refreshed.rows_read)

    def broken(self) -> list[str]:
        broken = []
        other = sorted({refreshed.mode for refreshed in self.refreshes} - {"INCREMENTAL"})
        if other:
            broken.append(f"mode {', '.join(other)} at {short(self.rows)}")
        if self.verified != "exact":
            broken.append(f"{self.verified} at {short(self.rows)}")
        if any(refreshed.rows_read > refreshed.rows_allowed for refreshed in self.refreshes):
            broken.append(f"rows read at {short(self.rows)}")
        return broken


@dataclass
class Growth:
    """A shape at all sizes, the smallest first, under one kind of change."""

    shape: str
    kind: str
    sizes: list[Sized]

    @property
    def growth(self) -> float:
        return self.sizes[-1].seconds / self.sizes[0].seconds

    def broken(self) -> list[str]:
        """The bounds that do not hold, each with where."""
        broken = [bound for size in self.sizes for bound in size.broken()]
        if len(self.sizes) > 1 and self.growth > MOST_GROWTH:
            broken.append(f"growth {self.growth:.1f}")
        if self.sizes[-1].factor < LEAST_FACTOR:
            broken.append(f"factor {self.sizes[-1].factor:.2f}")
        return broken

    def facts(self) -> dict[str, Any]:
        sizes = [asdict(size) | {"seconds": size.seconds, "factor": size.factor} for size in self.sizes]
        return {
            "shape": self.shape,
            "changes": self.kind,
            "growth": self.growth,
            "sizes": sizes,
            "broken": self.broken(),
        }


def table(measured: Sequence[Growth]) -> str:
    """One kind of change: a line for each shape."""
    sizes = [short(size.rows) for size in measured[0].sizes]
    columns = [
        "shape",
        *(f"s at {size}" for size in sizes),
        "growth",
        *(f"rows at {size}" for size in sizes),
        f"allowed at {sizes[-1]}",
        *(f"bytes at {size}" for size in sizes),
        "Spark jobs",
        f"recompute at {sizes[-1]}",
        "factor",
        "bounds broken",
    ]
    return text_table(columns, map(_line, measured))


def summary(measured: Sequence[Growth]) -> str:
    """Every kind of change: seconds at the largest size and growth, a line for each shape."""
    kinds = list(dict.fromkeys(each.kind for each in measured))
    found = {(each.shape, each.kind): each for each in measured}
    shapes = dict.fromkeys(each.shape for each in measured)
    columns = ["shape", *(f"{kind}: {figure}" for kind in kinds for figure in ("s", "growth"))]
    lines = [[shape, *(cell for kind in kinds for cell in _pair(found[shape, kind]))] for shape in shapes]
    return text_table(columns, lines)


def short(rows: int) -> str:
    """1,000,000 as 1 M."""
    for unit, size in (("M", 1_000_000), ("k", 1000)):
        if rows >= size:
            return f"{rows / size:g} {unit}"
    return str(rows)


def _line(each: Growth) -> list[str]:
    last = each.sizes[-1]
    return [
        each.shape,
        *(f"{size.seconds:.2f}" for size in each.sizes),
        f"{each.growth:.2f}",
        *(f"{size.worst.rows_read:,}" for size in each.sizes),
        f"{last.worst.rows_allowed:,}",
        *(_megabytes(size.worst.bytes_read) for size in each.sizes),
        str(last.worst.spark_jobs),
        f"{statistics.median(last.recomputed):.2f}",
        f"{last.factor:.2f}",
        ", ".join(each.broken()),
    ]


def _pair(each: Growth) -> tuple[str, str]:
    return f"{each.sizes[-1].seconds:.2f}", f"{each.growth:.2f}"


def _megabytes(size: int | None) -> str:
    return "" if size is None else f"{size / 1_000_000:.1f} MB"
