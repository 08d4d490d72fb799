"""A peer runs in its own process, with its own packages: one JSON line for each round, one as the answer.

The program of a peer imports only its packages and this module, never Headrace, unless it is Headrace's own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_MARK = "answer: "


@dataclass(frozen=True)
class RoundTask:
    """Bring the layers up to date with the Parquet files in ``sources``, and write theirs to ``results``."""

    number: int
    rows: int
    sources: str
    results: str

    def source(self, table: str) -> str:
        """A pattern of its files."""
        return str(Path(self.sources) / table / "*.parquet")

    def result(self, layer: str) -> Path:
        return Path(self.results) / layer


@dataclass(frozen=True)
class RoundDone:
    seconds: float
    rows_read: int | None
    """None: the peer does not count them."""
    bytes_written: int


def answer(update: Callable[[RoundTask], RoundDone]) -> None:
    """Runs in the process of a peer, from its start to the end of its input."""
    _say({})
    for line in sys.stdin:
        _say(asdict(update(RoundTask(**json.loads(line)))))


def answer_in(line: str) -> Any:
    """None if the line is other output of the peer's packages."""
    return json.loads(line.removeprefix(_MARK)) if line.startswith(_MARK) else None


def _say(value: dict[str, Any]) -> None:
    print(_MARK + json.dumps(value), flush=True)


def bytes_of(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())
