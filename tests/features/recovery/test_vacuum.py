"""VACUUM deletes what is past its retention, and never a file that someone still reads."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headrace import errors
from headrace.connection import Connection
from headrace.features.recovery.store import DroppedObjects
from headrace.lake.table.tables import TableCatalog
from tests import internals
from tests.features.recovery.dropping import (
    Killed,
    directory_of,
    files_of,
    history,
    killed_after,
    killed_before,
)

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)
FILLED = "CREATE TABLE {0} (a INT); INSERT INTO {0} VALUES (1), (2); DELETE FROM {0} WHERE a = 1"


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def clocked(new_lake: Callable[..., Connection], clock: Clock) -> Connection:
    return new_lake(clock=clock)


def test_not_before_and_not_the_others(clocked: Connection, clock: Clock) -> None:
    """Two of the same name dropped, a third one living: each has files of its own."""
    directories = []
    for day in (1, 2):
        clocked.sql(FILLED.format("t"))
        directories.append(directory_of(clocked, "t"))
        clock.now = NOON + timedelta(days=day, hours=-1)
        clocked.sql("DROP TABLE t")
    clocked.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (7)")
    clocked.sql("CREATE TABLE week (a INT) TBLPROPERTIES ('data_retention_days' = '7'); DROP TABLE week")
    assert len({*directories, directory_of(clocked, "t")}) == 3
    before = [files_of(directory) for directory in directories]

    clock.now = NOON + timedelta(days=2, hours=-1, microseconds=-1)
    assert clocked.sql("VACUUM").fetchall() == []
    assert [files_of(directory) for directory in directories] == before

    clock.now += timedelta(microseconds=1)
    result = clocked.sql("VACUUM")
    (row,) = result.fetchall()
    removed = dict(zip(result.columns, row, strict=True))
    assert removed["dropped_time"] == NOON + timedelta(days=1, hours=-1)
    assert removed.pop("bytes") > 0
    assert {key: removed[key] for key in ("schema_name", "table_name", "kind", "rows")} == {
        "schema_name": "public",
        "table_name": "t",
        "kind": "TABLE",
        "rows": 1,
    }
    assert [files_of(directory) for directory in directories] == [[], before[1]]
    assert clocked.sql("SELECT * FROM t").fetchall() == [(7,)]
    clocked.sql("INSERT INTO t VALUES (8); ALTER TABLE t RENAME TO living; UNDROP TABLE t")
    assert clocked.sql("SELECT * FROM t").fetchall() == [(2,)]
    assert len(clocked.sql("SELECT * FROM living")) == 2
    clocked.sql("DROP TABLE t")
    clock.now += timedelta(days=30)
    assert sorted(name for _, name, *_ in clocked.sql("VACUUM").fetchall()) == ["t", "week"]
    assert files_of(directories[1]) == []
    assert internals.store(clocked).dropped.all() == []
    assert len(clocked.sql("SELECT * FROM living")) == 2
    with pytest.raises(errors.NotFound, match=r"dropped table lake.public.t does not exist"):
        clocked.sql("UNDROP TABLE t")


def test_of_one_name(clocked: Connection, clock: Clock) -> None:
    clocked.sql("CREATE TABLE a (x INT); DROP TABLE a; CREATE TABLE b (x INT); DROP TABLE b")
    (notice,) = clocked.sql("VACUUM a").notices
    assert notice == "lake.public.a, dropped at 2024-06-01 12:00:00, is kept until 2024-06-02 12:00:00"
    clock.now += timedelta(days=1)
    assert [name for _, name, *_ in clocked.sql("VACUUM a").fetchall()] == ["a"]
    assert [dropped.name.table for dropped in internals.store(clocked).dropped.all()] == ["b"]
    clocked.sql("CREATE TABLE living (x INT)")
    assert clocked.sql("VACUUM living").fetchall() == []
    for name in ("a", "missing"):
        with pytest.raises(
            errors.NotFound, match=f"table lake.public.{name} does not exist, and no dropped table"
        ):
            clocked.sql(f"VACUUM {name}")


def test_a_dynamic_table(clocked: Connection, clock: Clock) -> None:
    clocked.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS a; REFRESH DYNAMIC TABLE d")
    directory = directory_of(clocked, "d")
    clocked.sql("DROP DYNAMIC TABLE d; CREATE DYNAMIC TABLE d AS SELECT 2 AS a; REFRESH DYNAMIC TABLE d")
    clock.now += timedelta(days=1)
    assert [kind for _, _, kind, *_ in clocked.sql("VACUUM d").fetchall()] == ["DYNAMIC TABLE"]
    assert files_of(directory) == []
    assert clocked.sql("SELECT * FROM d").fetchall() == [(2,)]
    assert len(clocked.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR d")) == 2


def test_the_directory_of_a_dropped_table_is_free_after_vacuum(
    clocked: Connection, clock: Clock, tmp_path: Path
) -> None:
    """Until then the dropped table has files there, and UNDROP can restore it."""
    shared = f"LOCATION '{tmp_path}/shared'"
    clocked.sql(f"CREATE TABLE t (a INT) {shared}; INSERT INTO t VALUES (1); DROP TABLE t")
    with pytest.raises(errors.Refused, match="overlaps with that of the table"):
        clocked.sql(f"CREATE TABLE t (a INT) {shared}")
    clock.now += timedelta(days=1)
    assert len(clocked.sql("VACUUM")) == 1
    clocked.sql(f"CREATE TABLE t (a INT) {shared}; INSERT INTO t VALUES (2)")
    assert clocked.sql("SELECT * FROM t").fetchall() == [(2,)]


def test_a_table_made_before_locations_were_unique(clocked: Connection, clock: Clock) -> None:
    """Its directory has the plain name; what comes after it does not."""
    location = f"{clocked.lake_path}/warehouse/public/t"
    clocked.sql(f"CREATE TABLE t (a INT) LOCATION '{location}'; INSERT INTO t VALUES (1); DROP TABLE t")
    clocked.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (2)")
    assert directory_of(clocked, "t") != location
    clock.now += timedelta(days=1)
    clocked.sql("VACUUM")
    assert files_of(location) == []
    assert clocked.sql("SELECT * FROM t").fetchall() == [(2,)]


class TestKilled:
    @pytest.mark.parametrize(
        ("kill", "owner", "step"),
        [
            (killed_after, DroppedObjects, "begin_purge"),
            (killed_after, TableCatalog, "purge"),
            (killed_before, DroppedObjects, "forget"),
        ],
    )
    @pytest.mark.parametrize("reopened", [False, True])
    def test_between_steps(
        self,
        clocked: Connection,
        clock: Clock,
        new_lake: Callable[..., Connection],
        monkeypatch: pytest.MonkeyPatch,
        kill: Callable[..., None],
        owner: type,
        step: str,
        reopened: bool,
    ) -> None:
        clocked.sql(FILLED.format("t"))
        directory = directory_of(clocked, "t")
        clocked.sql("DROP TABLE t; CREATE TABLE t (a INT); INSERT INTO t VALUES (7)")
        clock.now += timedelta(days=1)
        with monkeypatch.context() as patch, pytest.raises(Killed):
            kill(patch, owner, step)
            clocked.sql("VACUUM")
        assert history(clocked) == []
        if reopened:
            clocked.close()
            clocked = new_lake(clock=clock)
        else:
            assert len(clocked.sql("VACUUM t")) == 1
        assert internals.store(clocked).dropped.unfinished() == []
        assert files_of(directory) == []
        assert clocked.sql("SELECT * FROM t").fetchall() == [(7,)]

    @pytest.mark.parametrize("gone", ["data", "metadata/*.avro", "metadata/snap-*.avro", "metadata"])
    def test_among_the_files(self, clocked: Connection, clock: Clock, gone: str) -> None:
        """In whatever order they went, the rest goes too."""
        clocked.sql(FILLED.format("t"))
        directory = Path(directory_of(clocked, "t"))
        clocked.sql("DROP TABLE t")
        clock.now += timedelta(days=1)
        for path in list(directory.glob(gone)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if gone in ("metadata/*.avro", "metadata"):
            shutil.rmtree(directory / "data")
        assert len(clocked.sql("VACUUM")) == 1
        left = files_of(str(directory))
        left = [file for file in left if Path(file).is_file() and not file.endswith(".crc")]
        assert gone == "metadata/snap-*.avro" or left == []
        assert not any(file.endswith(".metadata.json") for file in left)
        assert internals.store(clocked).dropped.purging() == []


def test_files_of_killed_writers_go_after_three_days(lake: Connection) -> None:
    lake.sql(
        "CREATE TABLE left_in (a INT); INSERT INTO left_in VALUES (1), (2); DELETE FROM left_in WHERE a = 1"
    )
    directory = directory_of(lake, "left_in")
    theirs = files_of(directory)
    old, young = (Path(directory) / "data" / f"{name}.parquet" for name in ("old", "young"))
    for file in (old, young):
        file.write_bytes(b"never committed")
    past = (datetime.now(UTC) - timedelta(days=3, minutes=1)).timestamp()
    os.utime(old, (past, past))
    (notice,) = lake.sql("VACUUM left_in").notices
    assert notice.startswith("1 files that no version of")
    assert not old.exists()
    assert young.exists()
    assert set(theirs) <= set(files_of(directory))
    assert lake.sql("VACUUM left_in").notices == ()
    assert lake.sql("SELECT a FROM left_in").fetchall() == [(2,)]
