from __future__ import annotations

import threading
import time

import pytest
from tests.lake.locks_conformance import LocksConformance, held_elsewhere, killed_while_holding

from headrace.lake.locks import FileLocks, ThreadLocks

HOLDER = """
import sys, time
from pathlib import Path
from headrace.lake.locks import FileLocks
with FileLocks(Path(sys.argv[1])).hold("a", 0) as held:
    assert held
    print("held", flush=True)
    time.sleep(60)
"""


class TestThreadLocks(LocksConformance):
    @pytest.fixture
    def locks(self):
        return ThreadLocks()

    def test_who_waits_for_the_whole_is_not_overtaken_by_parts(self):
        locks, got = ThreadLocks(), []
        with locks.hold("a", 0, "p"):
            whole = threading.Thread(target=lambda: got.append(held_elsewhere(locks, "a", 10)))
            whole.start()
            while not locks._waiting["a"]:
                time.sleep(0.001)
            assert not held_elsewhere(locks, "a", 0, "q")
        whole.join(10)
        assert got == [True]
        assert held_elsewhere(locks, "a", 0, "q")


class TestFileLocks(LocksConformance):
    @pytest.fixture
    def locks(self, tmp_path):
        return FileLocks(tmp_path / "locks")

    def test_among_processes(self, tmp_path):
        ours = FileLocks(tmp_path / "locks")

        def look() -> None:
            assert not held_elsewhere(ours, "a", 0)
            assert held_elsewhere(ours, "b", 0)

        killed_while_holding(HOLDER, str(tmp_path / "locks"), look)
        assert held_elsewhere(ours, "a", 5)
