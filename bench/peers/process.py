"""The process of a peer: started, given rounds, its memory read off."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

from bench.peers.conversation import RoundDone, RoundTask, answer_in

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Peer:
    name: str
    module: str
    packages: tuple[str, ...] = ()
    """Of an environment of its own; none: those of the benchmarks are enough."""

    @property
    def python(self) -> Path:
        return self.environment / "bin" / "python" if self.packages else Path(sys.executable)

    @property
    def environment(self) -> Path:
        return ROOT / ".tools" / "peers" / self.name.replace(" ", "-")

    @property
    def is_installed(self) -> bool:
        return self.python.exists()

    def install(self) -> None:
        subprocess.run([sys.executable, "-m", "venv", str(self.environment)], check=True)
        subprocess.run([str(self.python), "-m", "pip", "install", "--quiet", *self.packages], check=True)


class PeerProcess:
    def __init__(self, peer: Peer, directory: Path) -> None:
        """The peer may write what it likes into the directory, which does not exist yet."""
        log = directory.with_suffix(".log")
        start = time.perf_counter()
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [str(peer.python), "-m", peer.module, str(directory)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.peer, self._log = peer, log
        self._answer()
        self.start_seconds = time.perf_counter() - start

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait(timeout=60)

    def update(self, task: RoundTask) -> RoundDone:
        if self._process.stdin is None:
            raise RuntimeError(f"{self.peer.name} has no input")
        print(json.dumps(asdict(task)), file=self._process.stdin, flush=True)
        return RoundDone(**self._answer())

    def peak_bytes(self) -> int | None:
        """Of the process and those that it has started, added up; None if the system does not count."""
        if not psutil.LINUX:
            return None
        parent = psutil.Process(self._process.pid)
        return sum(_peak(process.pid) for process in (parent, *parent.children(recursive=True)))

    def _answer(self) -> Any:
        for line in self._process.stdout or ():
            found = answer_in(line)
            if found is not None:
                return found
        raise RuntimeError(f"{self.peer.name} has stopped: {self._log.read_text()[-2000:]}")


def _peak(pid: int) -> int:
    """0 for a process that has ended."""
    lines = (line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    kilobytes = {name: value.split() for name, value in lines}.get("VmHWM", ["0"])
    return 1024 * int(kilobytes[0])
