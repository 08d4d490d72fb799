"""``headrace serve`` in a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import httpx


@dataclass
class RunningServer:
    lake: Path
    process: subprocess.Popen[str]
    url: str

    @classmethod
    def start(cls, lake: Path, *options: str) -> Self:
        command = [sys.executable, "-m", "headrace", "serve", "--lake", str(lake), "--port", "0", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"it did not start: {line!r}"
        return cls(lake, process, found.group())

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=30)

    def cluster_pid(self, name: str = "default") -> int | None:
        clusters = self.get("/api/v1/clusters").json()["clusters"]
        pid: int | None = next(each["process"] for each in clusters if each["name"] == name)
        return pid

    def end(self, how: signal.Signals = signal.SIGTERM, seconds: float = 60) -> int:
        self.process.send_signal(how)
        code = self.process.wait(seconds)
        if self.process.stdout:
            self.process.stdout.close()
        return code


def group_members(leader: int) -> list[int]:
    """Processes of a cluster: its Python and its JVM."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[2]) == leader and fields[0] != "Z":
                found.append(int(entry.name))
    return found
