"""Iceberg's catalog in a SQLite file, as an embedded lake has it; and which kinds there are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from headrace.catalog.backends import open_backend
from headrace.catalog.database_engine import sqlite_url
from headrace.errors import LakeDamaged, NotSupportedError
from headrace.lake.table.metadata_files import missing_files
from headrace.model.names import TableName

from .backend_conformance import CREATE, CatalogBackendContract, entry, write
from .samples import name


@pytest.fixture
def catalog_url(url: str) -> str:
    return url


class TestSqlite(CatalogBackendContract):
    """The fixture is this module's."""


def test_closing_makes_the_file_whole(path: Path, catalog_url: str) -> None:
    jvm = sqlite3.connect(path, isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", CREATE, entry(name("t"), "file:/t/1")):
        jvm.execute(statement)
    log = path.with_name(path.name + "-wal")
    assert log.stat().st_size > 0
    heads = open_backend(catalog_url)
    assert heads.location(name("t"), "TABLE") == "file:/t/1"
    heads.close()
    assert log.stat().st_size == 0
    jvm.close()


def test_a_damaged_file(path: Path, catalog_url: str) -> None:
    path.write_bytes(b"This is no database. " * 1000)
    heads = open_backend(catalog_url)
    with pytest.raises(LakeDamaged, match="catalog of the lake cannot be read") as caught:
        heads.location(name("t"), "TABLE")
    assert caught.value.hint == "restore catalog.db from a backup"
    heads.close()


def test_reading_only_leaves_the_file_as_it_is(path: Path, catalog_url: str) -> None:
    write(catalog_url, CREATE, entry(name("t"), "file:/t/1"))
    before = path.read_bytes()
    path.chmod(0o444)
    assert entries(path) == {name("t"): "file:/t/1"}
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_how_the_jvm_reaches_it(path: Path, catalog_url: str) -> None:
    backend = open_backend(catalog_url)
    assert backend.spark_properties == {
        "type": "jdbc",
        "jdbc.schema-version": "V1",
        "uri": f"jdbc:sqlite:{path.as_uri()}?busy_timeout=30000&journal_mode=WAL&synchronous=FULL",
    }
    backend.close()


def test_a_kind_that_there_is_not() -> None:
    with pytest.raises(NotSupportedError, match="mysql is not supported as the catalog") as caught:
        open_backend("mysql://host/lake")
    assert "sqlite://, postgresql://" in (caught.value.hint or "")


def entries(path: Path) -> dict[TableName, str]:
    backend = open_backend(sqlite_url(path, read_only=True))
    found = backend.locations()
    backend.close()
    return found


def test_metadata_files_that_are_missing(tmp_path: Path) -> None:
    path, there = tmp_path / "catalog.db", tmp_path / "1.json"
    path.touch()
    assert entries(path) == {}
    there.touch()
    write(sqlite_url(path), CREATE, entry(name("a"), f"file:{there}"), entry(name("b"), "file:/nowhere"))
    found = entries(path)
    assert (len(found), missing_files(found)) == (2, ["lake.public.b"])
