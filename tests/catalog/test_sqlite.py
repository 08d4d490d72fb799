"""SQLite keeps the contract, keeps what it acknowledged, and fails in plain words."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from sqlalchemy import event

from headrace.catalog import database_engine
from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.errors import Error, LakeDamaged, OperationalError

from .conformance import MetadataStoreContract, create
from .file_conformance import FileContract
from .operation_conformance import OperationsContract
from .position_conformance import PositionContract
from .samples import refresh, table

RECORDER = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from headrace.catalog.store import MetadataStore
from headrace.catalog.database_engine import sqlite_url
from headrace.model.history import *
from headrace.model.names import TableName

store = MetadataStore.open(sqlite_url(Path(sys.argv[1])))
name = TableName("lake", "public", "t")
for step in range(1_000_000):
    job_id = f"{sys.argv[2]}-{step}"
    state, trigger = RefreshState.SUCCEED, RefreshTrigger.MANUAL
    refresh = Refresh(job_id, "t", name, "default", datetime.now(UTC), state, trigger, (name,))
    store.refreshes.record(refresh, JobProfile(job_id, (Phase("x" * 2000, 1.0),)))
    print(job_id, flush=True)
"""


class TestSqlite(MetadataStoreContract, OperationsContract, FileContract, PositionContract):
    """The fixture is conftest's."""


def pragma(store: MetadataStore, name: str) -> object:
    with store._transactions._reads.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_sqlite_is_set_up_to_be_durable_and_shared(store: MetadataStore) -> None:
    names = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
    assert [pragma(store, name) for name in names] == ["wal", 2, 30_000, 1]


def test_a_definition_that_another_process_changes_is_read_again(store: MetadataStore) -> None:
    create(store, table("a", properties={"x": "1"}), table("b"))
    before = store.definitions.all()
    with sqlite3.connect(store._transactions._reads.url.database or "") as other:
        other.execute("""UPDATE dynamic_tables SET properties = '{"x": "2"}' WHERE id = 'a'""")
    other.close()
    after = store.definitions.all()
    assert [dict(each.properties) for each in after] == [{"x": "2"}, {}]
    assert after[1] is before[1]


@pytest.mark.parametrize(
    "acknowledged", [7, *(pytest.param(n, marks=pytest.mark.share(0.2)) for n in (1, 40))]
)
def test_what_was_acknowledged_survives_a_kill(path: Path, acknowledged: int) -> None:
    promised: list[str] = []
    for life in range(3):
        command = [sys.executable, "-c", RECORDER, str(path), str(life)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            promised += [child.stdout.readline().strip() for _ in range(acknowledged)]
            os.kill(child.pid, signal.SIGKILL)
            promised += child.stdout.read().split()
    store = MetadataStore.open(sqlite_url(path))
    found = {each.job_id for each in store.refreshes.history()}
    assert found >= set(promised)
    assert len(found) <= len(promised) + 3
    assert all(store.profiles.find(job_id) is not None for job_id in found)
    assert pragma(store, "integrity_check") == "ok"
    store.close()


def test_a_log_without_its_database_is_damage(path: Path, store: MetadataStore) -> None:
    store.refreshes.record(refresh("j"))
    copy = path.with_name("copy.db")
    copy.touch()
    log = copy.with_name("copy.db-wal")
    log.write_bytes(path.with_name(path.name + "-wal").read_bytes())
    with pytest.raises(LakeDamaged, match="end of the file is missing"):
        MetadataStore.open(sqlite_url(copy))
    assert log.stat().st_size > 0


def assert_plain(error: Error, said: str) -> None:
    assert said in error.message
    assert "\n" not in error.message
    assert error.hint
    shown = "".join(traceback.format_exception(error))
    assert "INSERT INTO" not in shown
    assert "sqlalche.me" not in shown


def test_a_full_disk(store: MetadataStore) -> None:
    pages = pragma(store, "page_count")
    event.listen(
        store._transactions._reads,
        "checkout",
        lambda raw, *_: raw.execute(f"PRAGMA max_page_count = {pages}"),
    )
    with pytest.raises(OperationalError) as caught:
        store.refreshes.record(refresh("j", error_message="x" * 1_000_000))
    assert_plain(caught.value, "the disk is full")
    assert store.refreshes.history() == []
    store.refreshes.record(refresh("small"))


def test_a_locked_database(path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_engine, "BUSY_SECONDS", 0.1)
    store = MetadataStore.open(url)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError) as caught:
        store.refreshes.record(refresh("j"))
    assert_plain(caught.value, "locked by another process")
    assert store.refreshes.history() == []
    holder.execute("ROLLBACK")
    holder.close()
    store.refreshes.record(refresh("j"))
    store.close()


def test_a_read_only_file(store: MetadataStore) -> None:
    store.refreshes.record(refresh("j"))
    event.listen(
        store._transactions._reads, "checkout", lambda raw, *_: raw.execute("PRAGMA query_only = ON")
    )
    with pytest.raises(OperationalError) as caught:
        store.refreshes.record(refresh("k"))
    assert_plain(caught.value, "read-only")
    assert store.refreshes.history() == [refresh("j")]


def test_a_url_that_is_none() -> None:
    with pytest.raises(OperationalError, match="the URL of the metadata database is not valid"):
        MetadataStore.open("nonsense")


def test_a_directory_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(OperationalError) as caught:
        MetadataStore.open(sqlite_url(tmp_path / "nowhere" / "metadata.db"))
    assert_plain(caught.value, "cannot be opened")


def test_overwritten_pages(path: Path, store: MetadataStore) -> None:
    store.lifecycle.begin_create(table("a"))
    store.lifecycle.finish_create("a")
    pragma(store, "wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    store._transactions._reads.dispose()
    with pytest.raises(LakeDamaged) as caught:
        store.definitions.all()
    assert_plain(caught.value, "damaged")


@pytest.mark.parametrize(
    "change", ["mode = 'SIDEWAYS'", "sources = '{['", "sources = '[{}]'", "created_at = 'x'"]
)
def test_a_row_that_makes_no_sense(path: Path, store: MetadataStore, change: str) -> None:
    store.lifecycle.begin_create(table("a"))
    store.lifecycle.finish_create("a")
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE dynamic_tables SET {change}")
    connection.close()
    with pytest.raises(LakeDamaged) as caught:
        store.definitions.all()
    assert_plain(caught.value, "a row of dynamic_tables is unreadable")
    store.lifecycle.begin_create(table("b"))
