"""What can be wrong with files: one clear message each, nothing half-done, and all rows once it is mended."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import Error, OperationalError
from tests.commands.test_bad_inputs import NOT_FOR_USERS
from tests.ingest.mistakes.files import FILE_MISTAKES, FileMistake
from tests.internals import files_up_to


@pytest.mark.parametrize("mistake", FILE_MISTAKES, ids=lambda mistake: mistake.what)
def test_files_that_cannot_be_loaded(lake: Connection, tmp_path: Path, mistake: FileMistake) -> None:
    _write(tmp_path, mistake.files)
    lake.sql(f"CREATE TABLE t ({mistake.columns}); {mistake.prepare}")
    tables = lake.sql("SHOW TABLES").fetchall()
    load = f"COPY INTO t {mistake.load.format(path=tmp_path)}"
    with pytest.raises(Error) as wrong:
        lake.sql(load)
    assert re.search(mistake.message, wrong.value.message), wrong.value.message
    assert not NOT_FOR_USERS.search(f"{wrong.value.message} {wrong.value.hint or ''}")
    assert lake.sql("SHOW TABLES").fetchall() == tables
    if mistake.repair:
        lake.sql(mistake.repair)
    assert lake.sql("SELECT count(*) FROM t").fetchall() == [(0,)]
    _write(tmp_path, mistake.mended)
    lake.sql(load if mistake.again is None else f"COPY INTO t {mistake.again.format(path=tmp_path)}")
    found = lake.sql("SELECT id FROM t ORDER BY id").fetchall()
    assert found == [(number,) for number in mistake.ids]


def test_a_full_disk(lake: Connection, tmp_path: Path) -> None:
    chance = random.Random(1)
    _write(tmp_path, {"a.csv": "".join(f"{n},{chance.getrandbits(256):x}\n" for n in range(10_000))})
    lake.sql("CREATE TABLE t (id INT, name STRING)")
    load = f"COPY INTO t FROM '{tmp_path}' USING CSV"
    with files_up_to(100_000, lake), pytest.raises(OperationalError) as full:
        lake.sql(load)
    assert full.value.message == "the disk is full"
    assert full.value.hint == "free some space and run the statement again; nothing was committed"
    assert lake.sql("SELECT count(*) FROM t").fetchall() == [(0,)]
    assert lake.sql(load).fetchall() == [(1, 0, 10_000, 0)]


def _write(directory: Path, files: object) -> None:
    assert isinstance(files, dict)
    for name, content in files.items():
        file = directory / name
        file.parent.mkdir(exist_ok=True)
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content.encode() if isinstance(content, str) else content)
