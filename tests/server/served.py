"""A server in a process of its own, as a user starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue

import httpx
import psutil

import headrace
from headrace.connection import Connection

START_SECONDS = 60
PROGRAM = Path(sys.executable).with_name("headrace")


class Served:
    def __init__(self, lake: Path, *options: str, program: Path = PROGRAM) -> None:
        command = [str(program), "serve", "--lake", str(lake), "--port", "0", *options]
        self.lake = lake
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said: list[str] = []
        self._lines: Queue[str] = Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.url = self._address()

    def connect(self, token: str | None = None) -> Connection:
        return headrace.connect(self.url, token=token)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=30)

    def cluster_pid(self, name: str = "default") -> int | None:
        clusters = self.get("/api/v1/clusters").json()["items"]
        pid: int | None = next(each["process"] for each in clusters if each["name"] == name)
        return pid

    def processes(self) -> list[psutil.Process]:
        """The server's own and all below it."""
        with suppress(psutil.NoSuchProcess):
            own = psutil.Process(self.process.pid)
            return [own, *own.children(recursive=True)]
        return []

    def kill(self) -> None:
        """The server alone: its clusters find out."""
        self.process.kill()
        self.process.wait(30)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(90)

    def close(self) -> None:
        """Once all that write to its output have ended."""
        self.process.wait(30)
        self._listener.join(30)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def _address(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(Empty):
                line = self._lines.get(timeout=0.2)
                if found := re.search(r"at (http://\S+)", line):
                    return found.group(1)
        raise AssertionError(f"the server did not start: {self.said}")

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            self.said.append(line)
            self._lines.put(line)


def flight_address(served: Served) -> str:
    """Of a server with ``--flight-port``."""
    until(lambda: _flight_address(served), 30, "the start of Flight SQL")
    return _flight_address(served) or ""


def _flight_address(served: Served) -> str | None:
    found = re.search(r"Flight SQL at (grpc\S*)", "".join(served.said))
    return None if found is None else found.group(1)


@contextmanager
def serving(lake: Path, *options: str, program: Path = PROGRAM) -> Iterator[Served]:
    served = Served(lake, *options, program=program)
    try:
        yield served
    finally:
        below = served.processes()
        if served.process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                served.stop()
        for process in below:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        served.close()


def group_members(leader: int) -> list[int]:
    """Processes of a cluster: its Python and its JVM."""
    found = []
    for process in psutil.process_iter(["status"]):
        with suppress(ProcessLookupError):
            if process.info["status"] != psutil.STATUS_ZOMBIE and os.getpgid(process.pid) == leader:
                found.append(process.pid)
    return found


def until(condition: Callable[[], object], seconds: float = 60, what: str = "it") -> float:
    """How long it took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, f"{what} did not happen within {seconds} seconds"
        time.sleep(0.1)
    return time.monotonic() - start
