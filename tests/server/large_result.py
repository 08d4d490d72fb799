"""How much memory a large result takes in each process that it passes through.

python -m tests.server.large_result 5000     # megabytes
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.server.served import Served, serving

_CLIENT = """
import sys, headrace
with headrace.connect(sys.argv[1]) as lake:
    rows = size = 0
    for batch in lake.sql(sys.argv[2]).reader():
        rows, size = rows + batch.num_rows, size + batch.nbytes
    status = open("/proc/self/status").read()
    print(rows, size, status.split("VmHWM:")[1].split()[0])
"""


@dataclass(frozen=True)
class Figures:
    rows: int
    megabytes: int
    seconds: float
    server_growth: int
    """Of the peak memory of a process over what it had taken before, in MB."""
    worker_growth: int
    server_peak: int
    worker_peak: int
    client_peak: int


def read_large_result(server: Served, megabytes: int) -> Figures:
    """By a client in a process of its own that keeps no batch."""
    with server.connect() as lake:
        lake.sql("SELECT id, repeat('x', 1000) AS s FROM range(10)").fetchall()
    worker = server.cluster_pid()
    assert worker is not None
    before = [peak_memory(server.process.pid), peak_memory(worker)]
    start = time.monotonic()
    query = f"SELECT id, repeat('x', 992) AS s FROM range({megabytes * 1000})"
    command = [sys.executable, "-c", _CLIENT, server.url, query]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=1800).stdout
    seconds = time.monotonic() - start
    rows, size, client = map(int, output.split())
    peaks = [peak_memory(server.process.pid), peak_memory(worker)]
    growth = [after - earlier for after, earlier in zip(peaks, before, strict=True)]
    return Figures(rows, size // 10**6, seconds, *growth, *peaks, client >> 10)


def peak_memory(pid: int) -> int:
    """The most memory that a process has had, in MB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found.group(1)) >> 10


def main() -> None:
    with tempfile.TemporaryDirectory() as directory, serving(Path(directory) / "lake") as server:
        print(read_large_result(server, int(sys.argv[1])))  # noqa: T201


if __name__ == "__main__":
    main()
