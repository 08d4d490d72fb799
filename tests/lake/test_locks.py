from __future__ import annotations

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
