"""Rows that do not fit onto the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headrace.errors import OperationalError
from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.copy_file import write_rows
from headrace.ingest.sync_run import staging_errors
from headrace.lake.staging import staging


def test_a_full_disk_is_an_error_that_ends_by_itself() -> None:
    table = SourceTable("public", "t", (SourceColumn("id", "int", "CAST({} AS INT)", "int4"),), ("id",))
    with pytest.raises(OperationalError, match="No space left on device") as full, staging_errors():
        write_rows(iter([("1",)]), table, Path("/dev/full"))
    assert full.value.hint is not None and "the next run reads them again" in full.value.hint


def test_what_runs_have_left_behind_is_removed_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, file, new, gone = (tmp_path / name for name in ("run", "stream.arrow", "new", "gone"))
    (directory / "rows").mkdir(parents=True)
    file.touch()
    new.mkdir()
    for old in (directory, file):
        os.utime(old, (0, 0))
    there = list(tmp_path.iterdir())
    monkeypatch.setattr(Path, "iterdir", lambda _: iter([gone, *there]))
    with staging(tmp_path) as own:
        assert own.is_dir()
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == [new]
