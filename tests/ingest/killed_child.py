"""A process that runs a statement again and again, and what kills it or the server that it reads from."""

from __future__ import annotations

import queue
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import headrace
from tests.internals import set_chunk_rows
from tests.refresh.test_crash import kill_group

Outage = Callable[[], None]
"""Kills a server that is read from, or connections to it; the server is there again when it returns."""
CHUNK = 200
_BREAK_SECONDS = 0.3
_RECOVERY_SECONDS = 300
_LAYERS = "REFRESH DYNAMIC TABLE layer_1; REFRESH DYNAMIC TABLE layer_2"


def run_and_kill(
    lake: Path, statement: str, chance: random.Random, first_seconds: float, outage: Outage | None
) -> None:
    """The process and its JVM are killed, a while after the first run or after ``first_seconds``.

    With an outage, that comes at this moment, and the process is killed once a run has succeeded after it.
    """
    command = [sys.executable, "-m", __name__, str(lake), statement, "" if outage is None else "may fail"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=Path(__file__).parents[2]
    ) as process:
        try:
            runs = _runs_of(process)
            _wait(runs, first_seconds)
            time.sleep(chance.uniform(0.1, 3))
            assert process.poll() is None, f"{statement} failed"
            if outage is not None:
                outage()
                while _wait(runs, 0):
                    pass
                assert _wait(runs, _RECOVERY_SECONDS), f"{statement} has not recovered"
        finally:
            kill_group(process)


def _runs_of(process: subprocess.Popen[str]) -> queue.Queue[str]:
    runs: queue.Queue[str] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            runs.put(line)

    threading.Thread(target=read, daemon=True).start()
    return runs


def _wait(runs: queue.Queue[str], seconds: float) -> bool:
    """Whether there was a run."""
    try:
        runs.get(timeout=seconds) if seconds else runs.get_nowait()
    except queue.Empty:
        return False
    return True


def main(lake_path: str, statement: str, may_fail: str) -> None:
    set_chunk_rows(CHUNK)
    with headrace.connect(lake_path) as lake:
        while True:
            try:
                lake.sql(statement)
            except headrace.OperationalError:
                if not may_fail:
                    raise
                time.sleep(_BREAK_SECONDS)
                continue
            print("ran", flush=True)  # noqa: T201
            lake.sql(_LAYERS)


if __name__ == "__main__":
    main(*sys.argv[1:])
