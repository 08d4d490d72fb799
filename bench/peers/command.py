"""``python -m bench peers``: the same layers, refreshed by Headrace and recomputed by others, in one run.

Every peer gets the same sources after each change, and its results must be those of Headrace.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from bench.peers.conversation import RoundDone, RoundTask
from bench.peers.layers import LAYERS
from bench.peers.process import Peer, PeerProcess
from bench.results import save
from headrace.model.text_table import text_table

HEADRACE = Peer("headrace", "bench.peers.headrace_refresh")
OTHERS = (
    Peer("spark recompute", "bench.peers.spark_recompute"),
    Peer("spark pipelines", "bench.peers.spark_pipelines", ("pyspark[pipelines]==4.1.3",)),
    Peer("duckdb recompute", "bench.peers.duckdb_recompute"),
)
FIRST_FILL, WARM_UP, ROUNDS = 1, 1, 3


@dataclass
class Measured:
    name: str
    start_seconds: float
    rounds: list[RoundDone] = field(default_factory=list)
    peak_bytes: int | None = None
    wrong: list[str] = field(default_factory=list)
    """Layers, with the round, whose rows are not those of Headrace."""

    @property
    def last(self) -> RoundDone:
        return self.rounds[-1]

    @property
    def seconds(self) -> float:
        return statistics.median(done.seconds for done in self.rounds[FIRST_FILL + WARM_UP :])


def peers(arguments: Sequence[str]) -> int:
    """0 if all results are equal, else 1."""
    parser = argparse.ArgumentParser(prog="python -m bench peers", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="orders of the shop")
    install = "creates the environments of the peers that have one, and exits"
    parser.add_argument("--install", action="store_true", help=install)
    options = parser.parse_args(arguments)
    if options.install:
        return install_peers()
    with tempfile.TemporaryDirectory() as directory:
        measured = run(Path(directory), options.rows, [HEADRACE, *installed()])
    print(_table(measured))
    figures = [asdict(each) | {"seconds": each.seconds} for each in measured]
    print(f"saved in {save({'peers': figures, 'rows': options.rows})}")
    wrong = [f"{each.name} differs: {layer}" for each in measured for layer in each.wrong]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def install_peers() -> int:
    for peer in OTHERS:
        if not peer.is_installed:
            peer.install()
    return 0


def installed() -> list[Peer]:
    for peer in OTHERS:
        if not peer.is_installed:
            print(f"{peer.name} is left out: python -m bench peers --install", file=sys.stderr)
    return [peer for peer in OTHERS if peer.is_installed]


def run(directory: Path, rows: int, peers: Sequence[Peer]) -> list[Measured]:
    with ExitStack() as stack:
        processes = [
            stack.enter_context(PeerProcess(peer, directory / f"peer_{place}"))
            for place, peer in enumerate(peers)
        ]
        measured = [Measured(process.peer.name, process.start_seconds) for process in processes]
        for number in range(FIRST_FILL + WARM_UP + ROUNDS):
            _run_round(directory / str(number), rows, number, processes, measured)
        for process, each in zip(processes, measured, strict=True):
            each.peak_bytes = process.peak_bytes()
    return measured


def _run_round(
    directory: Path, rows: int, number: int, processes: Sequence[PeerProcess], measured: Sequence[Measured]
) -> None:
    expected: dict[str, Any] = {}
    for place, (process, each) in enumerate(zip(processes, measured, strict=True)):
        results = directory / f"results_{place}"
        done = process.update(RoundTask(number, rows, str(directory / "sources"), str(results)))
        print(f"round {number}, {each.name}: {done.seconds:.2f} s", file=sys.stderr, flush=True)
        each.rounds.append(done)
        found = {layer: _fingerprint(results / layer) for layer in LAYERS}
        expected = expected or found
        each.wrong += [f"{layer} in round {number}" for layer in LAYERS if found[layer] != expected[layer]]


def _fingerprint(directory: Path) -> Any:
    """Of the rows in these files: equal whatever their order and the type of their numbers."""
    files = f"read_parquet('{directory}/*.parquet')"
    with duckdb.connect() as connection:
        columns = [name for name, *_ in connection.execute(f"DESCRIBE SELECT * FROM {files}").fetchall()]
        values = ", ".join(f"CAST({column} AS VARCHAR)" for column in columns)
        return connection.execute(f"SELECT count(*), sum(hash({values})) FROM {files}").fetchone()


def _table(measured: Sequence[Measured]) -> str:
    columns = ["peer", "cold start", "first fill", "refresh", "rows read", "MB written", "peak MB", "equal"]
    return text_table(columns, map(_line, measured))


def _line(each: Measured) -> list[str]:
    return [
        each.name,
        f"{each.start_seconds:.2f} s",
        f"{each.rounds[0].seconds:.2f} s",
        f"{each.seconds:.2f} s",
        "" if each.last.rows_read is None else f"{each.last.rows_read:,}",
        f"{each.last.bytes_written / 1_000_000:.1f}",
        "" if each.peak_bytes is None else f"{each.peak_bytes / 1_000_000:.0f}",
        "no" if each.wrong else "yes",
    ]
