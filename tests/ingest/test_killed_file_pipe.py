"""File pipes under SIGKILL."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.connection import Connection
from tests.ingest.killed_pipe import KILLS, LAYERS, assert_complete, run_and_kill
from tests.sampling import fresh_seeds


class FileWriter(threading.Thread):
    """Puts files into a directory, each in one step, until it is stopped."""

    def __init__(self, directory: Path, seed: int) -> None:
        super().__init__(daemon=True)
        self.written: dict[int, tuple[int, int]] = {}
        self._directory = directory
        self._chance = random.Random(seed)
        self._stopping = threading.Event()

    def run(self) -> None:
        while not self._stopping.wait(0.25):
            rows = {
                len(self.written) + number: (self._chance.randrange(5), self._chance.randrange(-2, 100))
                for number in range(self._chance.randrange(1, 20))
            }
            name = f"{min(rows):08}.csv"
            draft = self._directory / f"_{name}"
            draft.write_text("".join(f"{key},{k},{v}\n" for key, (k, v) in rows.items()))
            moment = time.time() - 60
            os.utime(draft, (moment, moment))
            draft.rename(self._directory / name)
            self.written |= rows

    def stop(self) -> None:
        self._stopping.set()
        self.join()


@pytest.mark.kills
@pytest.mark.parametrize("seed", fresh_seeds("ingest/file pipes killed", 10, share=0.1))
def test_every_row_once(new_lake: Callable[..., Connection], tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    mode = chance.choice(("LIST_KEEP", "LIST_PURGE"))
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    with new_lake() as lake:
        lake.sql(f"CREATE TABLE t (id INT, k INT, v INT); {LAYERS}")
        lake.sql(f"CREATE PIPE p INGEST_MODE = '{mode}' AS COPY INTO t FROM '{incoming}' USING CSV")
        home = lake.lake_path
    writer = FileWriter(incoming, seed)
    writer.start()
    for _ in range(KILLS):
        run_and_kill(home, chance)
    writer.stop()
    with new_lake() as lake:
        assert_complete(lake, writer.written)
        left = [each for each in incoming.iterdir() if not each.name.startswith("_")]
        assert (left == []) == (mode == "LIST_PURGE")
