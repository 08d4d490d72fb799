"""The process of a peer: started, given rounds within a time limit, measured, and ended in any case."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import psutil

from bench.peers.conversation import RoundDone, RoundTask, answer_in
from bench.peers.install import python_of
from bench.peers.registry import ROOT, Peer
from headrace.install.java import require_java

_SAMPLE_S = 0.5
_END_LIMIT_S = 60
_KILL_LIMIT_S = 10


class PeerFailed(Exception):
    """The message says why, in one line."""


class PeerProcess:
    def __init__(self, peer: Peer, directory: Path, limit_seconds: float) -> None:
        """The peer may write what it likes into the directory, which does not exist yet."""
        self.peer, self._limit_seconds = peer, limit_seconds
        self.peak_bytes: int | None = None
        self._log = directory.with_suffix(".log")
        start = time.perf_counter()
        with self._log.open("w") as errors:
            self._process = subprocess.Popen(
                [str(python_of(peer)), "-m", peer.module, str(directory)],
                cwd=ROOT,
                env=os.environ | {"JAVA_HOME": str(require_java().home)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,  # Ctrl-C reaches the benchmark alone, which then ends its peers
            )
        self._seen = {self._process.pid: psutil.Process(self._process.pid)}
        self._lines = _lines_of(self._process.stdout)
        try:
            self._seen |= {pid: psutil.Process(pid) for pid in self._answer()["servers"]}
        except BaseException:
            self.kill()
            raise
        self.start_seconds = time.perf_counter() - start

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._end_of_input()
        self.kill()

    def update(self, task: RoundTask) -> RoundDone:
        try:
            print(json.dumps(asdict(task)), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise PeerFailed(reason_in(self._log.read_text())) from None
        return RoundDone(**self._answer())

    def kill(self) -> None:
        """The process, those that it has started and its servers; nothing if they have ended."""
        processes = self._processes()
        for process in processes:
            _signal(process, "terminate")
        _, alive = psutil.wait_procs(processes, timeout=_KILL_LIMIT_S)
        for process in alive:
            _signal(process, "kill")
        self._process.wait(timeout=_KILL_LIMIT_S)
        self._close_input()

    def _end_of_input(self) -> None:
        self._close_input()
        try:
            self._process.wait(timeout=_END_LIMIT_S)
        except subprocess.TimeoutExpired:
            return

    def _close_input(self) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.close()
        except BrokenPipeError:  # the peer has ended before it read all
            return

    def _answer(self) -> Any:
        deadline = time.monotonic() + self._limit_seconds
        while True:
            self._sample_memory()
            try:
                line = self._lines.get(timeout=_SAMPLE_S)
            except queue.Empty:
                if self._process.poll() is not None:  # a child may still have the pipe open
                    raise PeerFailed(reason_in(self._log.read_text())) from None
                if time.monotonic() > deadline:
                    raise PeerFailed(f"no answer within {self._limit_seconds:g} s") from None
                continue
            if line is None:
                raise PeerFailed(reason_in(self._log.read_text()))
            found = answer_in(line)
            if found is not None:
                self._sample_memory()
                return found

    def _sample_memory(self) -> None:
        if psutil.LINUX:
            own_programs = [each.pid for each in self._processes() if not is_fork(each)]
            found = peak_of(Path(f"/proc/{pid}/status") for pid in own_programs)
            self.peak_bytes = max(self.peak_bytes or 0, found)

    def _processes(self) -> list[psutil.Process]:
        """Of the peer, that run: also those whose parent has ended, if they were seen before."""
        for process in list(self._seen.values()):
            try:
                self._seen |= {child.pid: child for child in process.children(recursive=True)}
            except psutil.NoSuchProcess:
                del self._seen[process.pid]
        return list(self._seen.values())


def peak_of(status_files: Iterable[Path]) -> int:
    """The largest resident memory of each of these processes, added up; memory that they share counts once.

    0 for a process that has ended.
    """
    memory = [_kilobytes(file) for file in status_files]
    own = sum(each.get("VmHWM", 0) - each.get("RssShmem", 0) for each in memory)
    return 1024 * (own + max((each.get("RssShmem", 0) for each in memory), default=0))


def reason_in(log: str) -> str:
    """The last line that names an error, which stands before the stack of a Java exception."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [
        line for line in lines if re.match(r"(Caused by: )?[\w.$]*(Error|Exception|NotInstalled)\b", line)
    ]
    return f"ended: {(errors or lines or ['without a message'])[-1][:300]}"


def _kilobytes(status: Path) -> dict[str, int]:
    try:
        text = status.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return {name: int(size) for name, size in re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE)}


def _lines_of(stream: IO[str] | None) -> queue.Queue[str | None]:
    """Filled by a thread, so that there is a limit to waiting; None after the last line."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        if stream:
            with stream:
                for line in stream:
                    lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def is_fork(process: psutil.Process) -> bool:
    """Of its parent, whose memory it shows until it starts a program of its own; or has ended."""
    try:
        parent = process.parent()
        return parent is not None and process.cmdline() == parent.cmdline()
    except psutil.NoSuchProcess:
        return True


def _signal(process: psutil.Process, name: str) -> None:
    try:
        getattr(process, name)()
    except psutil.NoSuchProcess:
        return
