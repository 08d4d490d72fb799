"""What was measured of each peer, and the table of it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.peers.conversation import RoundDone
from headrace.model.text_table import text_table

FIRST_FILL = 1
COLUMNS = [
    "peer",
    "cold start s",
    "first fill s",
    "refresh s",
    "to headrace",
    "rows read",
    "MB written",
    "peak MB",
    "result",
]


@dataclass
class Measured:
    name: str
    warm_up: int
    start_seconds: float | None = None
    rounds: list[RoundDone] = field(default_factory=list)
    peak_bytes: int | None = None
    different: list[str] = field(default_factory=list)
    """Layers, with the round, whose rows are not those of Headrace."""
    failure: str | None = None

    @property
    def refreshes(self) -> list[RoundDone]:
        return self.rounds[FIRST_FILL + self.warm_up :]

    @property
    def seconds(self) -> float | None:
        """Of a refresh; None if none was measured."""
        return statistics.median(done.seconds for done in self.refreshes) if self.refreshes else None

    @property
    def result(self) -> str:
        if self.different:
            return f"DIFFERS: {', '.join(self.different)}"
        return self.failure or "equal"

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"seconds": self.seconds, "result": self.result}


def table(measured: Sequence[Measured]) -> str:
    """Headrace is the first."""
    return text_table(COLUMNS, [_line(each, measured[0].seconds) for each in measured])


def _line(each: Measured, of_headrace: float | None) -> list[str]:
    last = each.refreshes[-1] if each.refreshes else None
    written = last.bytes_written / 1_000_000 if last else None
    factor = each.seconds / of_headrace if each.seconds and of_headrace else None
    return [
        each.name,
        _shown(each.start_seconds, ".2f"),
        _shown(each.rounds[0].seconds if each.rounds else None, ".2f"),
        _shown(each.seconds, ".2f"),
        _shown(factor, ".2f"),
        _shown(last.rows_read if last else None, ",d"),
        _shown(written, ",.2f"),
        _shown(each.peak_bytes and each.peak_bytes / 1_000_000, ",.0f"),
        each.result,
    ]


def _shown(figure: float | None, form: str) -> str:
    return "" if figure is None else format(figure, form)
