"""A peer runs in its own process, with its own packages: one JSON line for each round, one as the answer.

The program of a peer imports only its packages and modules of this directory that need none, never Headrace,
unless it is Headrace's own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_MARK = "answer: "


@dataclass(frozen=True)
class RoundTask:
    """Bring the layers up to date with the sources, and write their rows to ``results``."""

    number: int
    rows: int
    """Orders that the shop has at first."""
    sources: str
    """A directory of Parquet files for each table, as it is after the change."""
    changes: str | None
    """Parquet files: rows of ``orders`` and their ``weight``, -1 for one that is gone and 1 for a new one.

    None in the first round, which fills the layers, and if no peer takes changes.
    """
    results: str

    def source(self, table: str) -> str:
        """A pattern of its files."""
        return str(Path(self.sources) / table / "*.parquet")

    def result(self, layer: str) -> Path:
        """A directory for Parquet files, or CSV files with a header."""
        return Path(self.results) / layer


@dataclass(frozen=True)
class RoundDone:
    seconds: float
    rows_read: int | None
    """None: the peer does not count them."""
    bytes_written: int


def answer(update: Callable[[RoundTask], RoundDone], servers: Sequence[int] = ()) -> None:
    """Runs in the process of a peer, from its start to the end of its input.

    Servers are processes of the peer that are not children of this one: the benchmark counts their memory
    and ends them if the peer does not.
    """
    _say({"servers": list(servers)})
    for line in sys.stdin:
        _say(asdict(update(RoundTask(**json.loads(line)))))


def answer_in(line: str) -> Any:
    """None if the line is other output of the peer's packages."""
    return json.loads(line.removeprefix(_MARK)) if line.startswith(_MARK) else None


def _say(value: dict[str, Any]) -> None:
    print(_MARK + json.dumps(value), flush=True)


def file_sizes(directory: Path) -> dict[Path, int]:
    return {file: file.stat().st_size for file in directory.rglob("*") if file.is_file()}


def bytes_written(before: Mapping[Path, int], after: Mapping[Path, int]) -> int:
    """Into files that are new or larger; files that are gone do not count."""
    return sum(max(size - before.get(file, 0), 0) for file, size in after.items())


def bytes_of(directory: Path) -> int:
    return sum(file_sizes(directory).values())
