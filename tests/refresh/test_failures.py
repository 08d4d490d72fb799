"""A failed refresh leaves the old rows and a FAILED row with the reason, and the next one works."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError

import headrace
from headrace.connection import Connection
from headrace.errors import RefreshFailed
from headrace.lake import measure, small_result
from headrace.model.history import RefreshState
from tests import internals
from tests.oracle import last_refresh
from tests.refresh.helpers import assert_same_bag, bag, before_computing, failing, profile, refresh, stats


@pytest.fixture
def tables(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 1)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT a,\n  100 / b AS ratio FROM t")
    refresh(lake, "d")
    return lake


QUERY = "SELECT a, 100 / b FROM t"


def files(lake: Connection, table: str, of: str) -> list[Path]:
    """Data or metadata files of a table, newest last."""
    column, system = {"data": ("file_path", "files"), "metadata": ("file", "metadata_log_entries")}[of]
    found = lake.sql(f"SELECT {column} FROM {lake.schema}.{table}.{system}").fetchall()
    return [Path(path.removeprefix("file:")) for (path,) in found]


@contextlib.contextmanager
def damaged(file: Path, content: bytes | None) -> Iterator[None]:
    """The file is gone, or holds something else, for a while; Hadoop's checksum of it too."""
    checksum = file.with_name(f".{file.name}.crc")
    kept = {path: path.read_bytes() for path in (file, checksum) if path.exists()}
    for path in kept:
        path.unlink()
    if content is not None:
        file.write_bytes(content)
    yield
    for path, before in kept.items():
        path.write_bytes(before)


@pytest.mark.incremental
def test_a_row_that_cannot_be_computed(tables: Connection) -> None:
    tables.sql("UPDATE t SET b = 0 WHERE a = 1")
    with failing(
        tables, "d", "division by zero, in its query at line 2, column 3\n    100 / b AS ratio FROM t"
    ):
        refresh(tables, "d")
    row = last_refresh(tables, "d")
    assert (row["refresh_mode"], row["error_message"]) == ("INCREMENTAL", "division by zero")
    assert str(row["refresh_mode_reason"]).startswith("1 row inserted and 1 deleted in lake.")
    tables.sql("UPDATE t SET b = 50 WHERE b = 0")
    assert refresh(tables, "d")["state"] == "SUCCEED"
    assert_same_bag(tables, "d", QUERY)


def test_a_data_file_is_gone(tables: Connection) -> None:
    tables.sql("INSERT INTO t VALUES (2, 2)")
    (file, *_) = files(tables, "t", "data")
    with damaged(file, None), failing(tables, "d", "a file is missing", file.name):
        refresh(tables, "d")
    refresh(tables, "d")
    assert_same_bag(tables, "d", QUERY)


def test_a_data_file_is_garbage(tables: Connection) -> None:
    tables.sql("INSERT INTO t VALUES (2, 2)")
    (file, *_) = files(tables, "t", "data")
    garbage = b"garbage!" * (file.stat().st_size // 8 + 1)
    with (
        damaged(file, garbage[: file.stat().st_size]),
        failing(tables, "d", "a file of the table is damaged", file.name),
    ):
        refresh(tables, "d")
    refresh(tables, "d")
    assert_same_bag(tables, "d", QUERY)


def test_the_metadata_of_a_source_is_gone(tables: Connection) -> None:
    tables.sql("INSERT INTO t VALUES (2, 2)")
    *_, file = files(tables, "t", "metadata")
    with damaged(file, None), failing(tables, "d", "a file is missing", file.name):
        refresh(tables, "d")
    assert last_refresh(tables, "d")["refresh_mode"] is None
    refresh(tables, "d")
    assert_same_bag(tables, "d", QUERY)


@pytest.mark.incremental
def test_an_inserted_row_that_cannot_be_computed(tables: Connection) -> None:
    tables.sql("INSERT INTO t VALUES (2, 0)")
    with failing(tables, "d", "division by zero"):
        refresh(tables, "d")
    row = last_refresh(tables, "d")
    assert (row["refresh_mode"], row["error_message"]) == ("INCREMENTAL", "division by zero")
    assert str(row["refresh_mode_reason"]).startswith("1 row inserted into lake.")
    tables.sql("UPDATE t SET b = 50 WHERE b = 0")
    refresh(tables, "d")
    assert_same_bag(tables, "d", QUERY)


def test_the_table_itself_was_dropped_by_another_program(tables: Connection) -> None:
    internals.spark(tables).sql(f"DROP TABLE lake.{tables.schema}.d")
    with pytest.raises(RefreshFailed, match="another program dropped its Iceberg table") as caught:
        refresh(tables, "d")
    assert caught.value.hint == f"DROP DYNAMIC TABLE lake.{tables.schema}.d and create it again"
    assert last_refresh(tables, "d")["state"] == "FAILED"


def test_rows_that_another_program_wrote_are_put_right(tables: Connection) -> None:
    internals.spark(tables).sql(f"INSERT INTO lake.{tables.schema}.d (a, ratio) VALUES (9, 9.0)")
    row = refresh(tables, "d")
    assert (row["refresh_mode"], stats(row)) == ("FULL", (0, 1))
    assert_same_bag(tables, "d", QUERY)


def test_another_program_writes_meanwhile(tables: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    tables.sql("INSERT INTO t VALUES (2, 2)")

    def intrude() -> None:
        internals.spark(tables).sql(f"INSERT INTO lake.{tables.schema}.d (a, ratio) VALUES (9, 9.0)")

    with (
        before_computing(tables, monkeypatch, intrude),
        pytest.raises(RefreshFailed, match="another program wrote to the table at the same time"),
    ):
        refresh(tables, "d")
    assert last_refresh(tables, "d")["state"] == "FAILED"
    assert refresh(tables, "d")["refresh_mode"] == "FULL"
    assert_same_bag(tables, "d", QUERY)


def test_figures_that_cannot_be_had(tables: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise Py4JError("the listeners are late")

    def measured(statement: str, _: Any, earlier: Any = ()) -> measure.Execution:
        return measure.measured(statement, fail, earlier)

    monkeypatch.setattr(small_result, "measured", measured)
    tables.sql("INSERT INTO t VALUES (2, 2)")
    row = refresh(tables, "d")
    assert (row["state"], stats(row)) == ("SUCCEED", (1, 0))
    assert profile(tables, row).plans == ("not known",)


def test_the_end_of_a_refresh_could_not_be_written(
    tables: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = internals.store(tables)
    record = store.refreshes.record

    def record_beginnings(refresh: Any, *rest: Any) -> None:
        if refresh.state is not RefreshState.RUNNING:
            raise headrace.OperationalError("the metadata database cannot grow: the disk is full")
        record(refresh, *rest)

    tables.sql("INSERT INTO t VALUES (2, 2)")
    with monkeypatch.context() as patch:
        patch.setattr(store.refreshes, "record", record_beginnings)
        with pytest.raises(headrace.OperationalError) as caught:
            refresh(tables, "d")
    assert caught.value.message == (
        f"lake.{tables.schema}.d was refreshed, but its history could not be written: "
        "the metadata database cannot grow: the disk is full"
    )
    assert last_refresh(tables, "d")["state"] == "RUNNING"
    assert refresh(tables, "d")["refresh_mode"] == "NO_DATA"
    states = tables.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR d").df()
    assert list(states["state"]) == ["SUCCEED"] * 3
    assert list(states["stats"])[1] == '{"rows_deleted":"0","rows_inserted":"1"}'
    assert_same_bag(tables, "d", QUERY)


class SmallDisk:
    """A disk that can be filled to the last byte: a file system of its own where we may mount one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"
        path.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(path)]
        self._mounted = os.geteuid() == 0 and subprocess.run(mount, check=False).returncode == 0

    @contextlib.contextmanager
    def with_free(self, free: int, jvm: int) -> Iterator[None]:
        if not self._mounted:
            with _no_file_larger_than(free // 4, jvm):
                yield
            return
        state = os.statvfs(self.path)
        self._filler.write_bytes(b"x" * max(0, state.f_bavail * state.f_frsize - free))
        try:
            yield
        finally:
            self._filler.unlink()

    def close(self) -> None:
        if self._mounted:
            subprocess.run(["umount", "--lazy", str(self.path)], check=True)


@contextlib.contextmanager
def _no_file_larger_than(size: int, *processes: int) -> Iterator[None]:
    before = {process: resource.prlimit(process, resource.RLIMIT_FSIZE) for process in processes}
    for process, (_, hard) in before.items():
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        for process, limits in before.items():
            resource.prlimit(process, resource.RLIMIT_FSIZE, limits)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "disk")
    yield disk
    disk.close()


def test_a_full_disk(small_disk: SmallDisk, new_lake: Callable[..., Connection]) -> None:
    lake = new_lake(str(small_disk.path.relative_to(small_disk.path.parent) / "lake"))
    query = "SELECT a, sha2(CAST(a AS STRING), 256) AS h FROM t"
    lake.sql("CREATE TABLE t (a BIGINT); INSERT INTO t SELECT id FROM range(20000)")
    lake.sql(f"CREATE DYNAMIC TABLE d AS {query}")
    refresh(lake, "d")
    lake.sql("INSERT INTO t SELECT id + 20000 FROM range(20000)")
    before = bag(lake, "SELECT count(*), sum(hash(a, h)) FROM d")
    gateway: Any = internals.gateway(internals.spark(lake))
    for free in (0, 150_000, 400_000):
        with small_disk.with_free(free, gateway.proc.pid), pytest.raises(headrace.OperationalError) as caught:
            refresh(lake, "d")
        assert "the disk is full" in str(caught.value)
        assert "free some space and run the statement again" in str(caught.value)
        assert bag(lake, "SELECT count(*), sum(hash(a, h)) FROM d") == before
    assert refresh(lake, "d")["state"] == "SUCCEED"
    assert bag(lake, "SELECT count(*), sum(hash(a, h)) FROM d") == bag(
        lake, f"SELECT count(*), sum(hash(a, h)) FROM ({query})"
    )
    states = lake.sql(
        "SELECT DISTINCT state FROM information_schema.dynamic_table_refresh_history"
    ).fetchall()
    assert {state for (state,) in states} == {"SUCCEED", "FAILED"}
