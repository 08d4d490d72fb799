"""Iceberg's catalog in a SQLite file, as an embedded lake has it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from headrace.catalog.engine import sqlite_url
from headrace.catalog.heads import CatalogHeads, missing_metadata
from headrace.errors import LakeDamaged

from .heads_conformance import CREATE, HeadsContract, entry, write
from .samples import name


@pytest.fixture
def catalog_url(url: str) -> str:
    return url


class TestSqliteHeads(HeadsContract):
    """The fixture is this module's."""


def test_closing_makes_the_file_whole(path: Path, catalog_url: str) -> None:
    jvm = sqlite3.connect(path, isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", CREATE, entry(name("t"), "file:/t/1")):
        jvm.execute(statement)
    log = path.with_name(path.name + "-wal")
    assert log.stat().st_size > 0
    heads = CatalogHeads(catalog_url)
    assert heads.location(name("t"), "TABLE") == "file:/t/1"
    heads.close()
    assert log.stat().st_size == 0
    jvm.close()


def test_a_damaged_file(path: Path, catalog_url: str) -> None:
    path.write_bytes(b"This is no database. " * 1000)
    heads = CatalogHeads(catalog_url)
    with pytest.raises(LakeDamaged, match="catalog of the lake cannot be read") as caught:
        heads.location(name("t"), "TABLE")
    assert caught.value.hint == "restore catalog.db from a backup"
    heads.close()


def test_metadata_files_that_are_missing(tmp_path: Path) -> None:
    path, there = tmp_path / "catalog.db", tmp_path / "1.json"
    path.touch()
    assert missing_metadata(path) == (0, [])
    there.touch()
    write(sqlite_url(path), CREATE, entry(name("a"), f"file:{there}"), entry(name("b"), "file:/nowhere"))
    assert missing_metadata(path) == (2, ["lake.public.b"])
