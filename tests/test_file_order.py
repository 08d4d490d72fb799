"""Long files are started first, and each is run by one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import file_order
from tests.file_order import LONG_FILES

ROOT = Path(__file__).parents[1]
pytest_plugins = ["pytester"]


def test_long_files_exist() -> None:
    assert [file for file in LONG_FILES if not (ROOT / file).exists()] == []
    assert len(set(LONG_FILES)) == len(LONG_FILES)


def test_long_files_come_first(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_order, "LONG_FILES", ("late/test_longest.py", "late/test_long.py"))
    for path in ("early/test_short.py", "late/test_long.py", "late/test_longest.py"):
        file = pytester.path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text("def test_one(): pass\ndef test_two(): pass\n")
    collected = pytester.runpytest_inprocess(
        "-p", "tests.file_order", "--collect-only", "-q", "--import-mode=importlib"
    )
    collected.stdout.fnmatch_lines(
        [
            f"{file}.py::test_{number}"
            for file in ("late/test_longest", "late/test_long", "early/test_short")
            for number in ("one", "two")
        ],
        consecutive=True,
    )
