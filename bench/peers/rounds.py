"""Peers that take turns: in each round the sources change, every peer brings its layers up to date."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import duckdb

from bench.peers.conversation import RoundTask
from bench.peers.fingerprint import Fingerprint, fingerprint, write_changes
from bench.peers.install import NotInstalled
from bench.peers.layers import LAYER_COLUMNS
from bench.peers.process import PeerFailed, PeerProcess
from bench.peers.registry import Peer
from bench.peers.report import Measured

Fingerprints = dict[str, Fingerprint | None]


class Comparison:
    def __init__(self, directory: Path, rows: int, warm_up: int, limit_seconds: float) -> None:
        self.measured: list[Measured] = []
        self._directory, self._rows = directory, rows
        self._warm_up, self._limit_seconds = warm_up, limit_seconds
        self._running: list[tuple[PeerProcess, Measured]] = []
        self._processes = ExitStack()
        self._number = 0

    def __enter__(self) -> Comparison:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.__exit__(kind, error, trace)

    def start(self, peers: Sequence[Peer]) -> None:
        """The first writes the sources, and its rows are expected of all: without it nothing is compared."""
        self._first = peers[0]
        for peer in peers:
            measured = Measured(peer.name, self._warm_up)
            self.measured.append(measured)
            try:
                process = PeerProcess(peer, self._directory / peer.option, self._limit_seconds)
            except (NotInstalled, PeerFailed) as error:
                self._failed(peer, measured, error)
                continue
            self._processes.enter_context(process)
            measured.start_seconds = process.start_seconds
            _progress(f"{peer.name} has started: {process.start_seconds:.2f} s")
            self._running.append((process, measured))

    def run_round(self) -> None:
        expected: Fingerprints = {}
        for process, measured in list(self._running):
            peer, task = process.peer, self._task(process.peer)
            try:
                done = process.update(task)
            except PeerFailed as error:
                process.kill()
                self._running.remove((process, measured))
                self._failed(peer, measured, error)
                continue
            found = _fingerprints(task)
            expected = expected or found
            measured.rounds.append(done)
            measured.peak_bytes = process.peak_bytes
            measured.different += [f"{layer} in round {self._number}" for layer in differing(found, expected)]
            _progress(f"round {self._number}, {peer.name}: {done.seconds:.2f} s, {measured.result}")
            if peer == self._first:
                self._write_changes()
        self._number += 1

    def _task(self, peer: Peer) -> RoundTask:
        directory = self._round(self._number)
        changes = str(directory / "changes" / "*.parquet") if self._number and peer.takes_changes else None
        results = str(directory / peer.option)
        return RoundTask(self._number, self._rows, str(directory / "sources"), changes, results)

    def _write_changes(self) -> None:
        """From the sources of the round before, which are then removed."""
        if not self._number:
            return
        before, after = self._round(self._number - 1), self._round(self._number)
        if any(process.peer.takes_changes for process, _ in self._running):
            orders = "sources/orders/*.parquet"
            write_changes(str(before / orders), str(after / orders), after / "changes")
        shutil.rmtree(before)

    def _round(self, number: int) -> Path:
        return self._directory / f"round_{number}"

    def _failed(self, peer: Peer, measured: Measured, error: Exception) -> None:
        measured.failure = str(error)
        _progress(f"{peer.name}: {error}")
        if peer == self._first:
            raise PeerFailed(f"{peer.name}: {error}") from error


def differing(found: Fingerprints, expected: Fingerprints) -> list[str]:
    """Layers; one that cannot be read differs from everything."""
    return [layer for layer in found if found[layer] is None or found[layer] != expected[layer]]


def _fingerprints(task: RoundTask) -> Fingerprints:
    """Of the layers, whose files are then removed."""
    found = {layer: _fingerprint(task.result(layer), types) for layer, types in LAYER_COLUMNS.items()}
    shutil.rmtree(task.results)
    return found


def _fingerprint(directory: Path, types: Mapping[str, str]) -> Fingerprint | None:
    """None if there are no rows of these columns and types."""
    try:
        return fingerprint(directory, types)
    except duckdb.Error as error:
        _progress(f"{directory.name} cannot be read: {error}")
        return None


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
