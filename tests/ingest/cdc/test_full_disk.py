"""Rows that do not fit onto the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import OperationalError
from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.copy_file import write_rows
from headrace.ingest.sync_run import staging_errors


def test_a_full_disk_is_an_error_that_ends_by_itself() -> None:
    table = SourceTable("public", "t", (SourceColumn("id", "int", "CAST({} AS INT)", "int4"),), ("id",))
    with pytest.raises(OperationalError, match="No space left on device") as full, staging_errors():
        write_rows(iter([("1",)]), table, Path("/dev/full"))
    assert full.value.hint is not None and "the next run reads them again" in full.value.hint
