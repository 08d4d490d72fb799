"""A process is killed: the lake opens again, nothing is half done, and no change counts twice."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import LakeLocked
from headrace.lake import directory
from headrace.lake.directory import LakeLock, open_directory
from tests import internals
from tests.oracle import assert_plainly_exact
from tests.refresh.helpers import refresh
from tests.sampling import fresh_seeds

OpenLake = Callable[..., Connection]
SUMS = "SELECT count(*) AS n, sum(a) AS total FROM d"
MERGED = "SELECT a, count(*) AS n, sum(a) AS total FROM t GROUP BY a"


@pytest.fixture
def home(new_lake: OpenLake) -> Path:
    """A closed lake: t, d over t with an unseen change, sums over d."""
    with new_lake() as lake:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (1)")
        lake.sql(f"CREATE DYNAMIC TABLE d AS SELECT a FROM t; CREATE DYNAMIC TABLE sums AS {SUMS}")
        refresh(lake, "d")
        refresh(lake, "sums")
        lake.sql("INSERT INTO t VALUES (2)")
        return lake.lake_path


@pytest.fixture
def merging(home: Path, new_lake: OpenLake) -> Path:
    """The same, with merged over t: of its groups one is to go, one to shrink and one to come."""
    with new_lake() as lake:
        lake.sql(f"INSERT INTO t VALUES (1), (2), (2); CREATE DYNAMIC TABLE merged AS {MERGED}")
        refresh(lake, "merged")
        lake.sql("MERGE INTO t USING (SELECT 2 AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE")
        lake.sql("INSERT INTO t VALUES (1), (3)")
    return home


@contextlib.contextmanager
def child(home: Path, moment: str) -> Iterator[subprocess.Popen[str]]:
    """Leads a process group to which its JVM belongs; nothing of it is left at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.refresh.crash_child", str(home), moment],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        try:
            yield process
        finally:
            kill_group(process)


def kill_group(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def crash(home: Path, moment: str) -> None:
    with child(home, moment) as process:
        assert process.wait() == -signal.SIGKILL


def history(lake: Connection, table: str) -> list[dict[str, Any]]:
    result = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {table}")
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


def assert_nothing_is_half_done(lake: Connection) -> None:
    store = internals.store(lake)
    assert store.lifecycle.unfinished() == []
    assert store.lifecycle.altering() == []
    assert store.refreshes.unended() == []
    for table in store.definitions.all():
        loaded = internals.session(lake).catalog.table(table.name)
        assert loaded is not None
        assert loaded.properties["headrace.id"] == table.id


def assert_right_after_refresh(lake: Connection) -> None:
    refresh(lake, "d")
    refresh(lake, "sums")
    assert_plainly_exact(lake, "d", "SELECT a FROM t")
    assert_plainly_exact(lake, "sums", SUMS)


@pytest.mark.incremental
@pytest.mark.share(0.2)
def test_before_the_commit(home: Path, new_lake: OpenLake) -> None:
    crash(home, "before the commit")
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    last = history(lake, "d")[0]
    assert (last["state"], last["error_message"]) == ("FAILED", "the process ended during the refresh")
    assert (last["refresh_mode"], last["stats"]) == ("INCREMENTAL", None)
    assert len(lake.sql("SELECT * FROM d")) == 2
    assert_right_after_refresh(lake)


@pytest.mark.incremental
def test_between_the_commit_and_the_metadata(home: Path, new_lake: OpenLake) -> None:
    crash(home, "after the commit")
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    last = history(lake, "d")[0]
    assert (last["state"], last["refresh_mode"], last["error_message"]) == ("SUCCEED", "INCREMENTAL", None)
    assert last["stats"] == '{"rows_deleted":"0","rows_inserted":"1"}'
    assert last["end_time"] >= last["start_time"]
    assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"
    assert_right_after_refresh(lake)


@pytest.mark.share(0.2)
@pytest.mark.parametrize("moment", ["table is made", "creation is announced"])
def test_while_creating(home: Path, new_lake: OpenLake, moment: str) -> None:
    crash(home, moment)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    assert lake.table_names() == ["d", "sums", "t"]
    lake.sql("CREATE DYNAMIC TABLE made AS SELECT a FROM t")
    refresh(lake, "made")
    assert_plainly_exact(lake, "made", "SELECT a FROM t")
    assert_right_after_refresh(lake)


@pytest.mark.share(0.2)
@pytest.mark.parametrize("moment", ["replacement is announced", "table is altered"])
def test_while_replacing(home: Path, new_lake: OpenLake, moment: str) -> None:
    crash(home, moment)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    assert lake.sql("SELECT b, a FROM d").fetchall() == [(None, 1), (None, 1)]
    assert refresh(lake, "d")["refresh_mode_reason"] == "the definition changed"
    assert_plainly_exact(lake, "d", "SELECT a AS b, a FROM t")
    refresh(lake, "sums")
    assert_plainly_exact(lake, "sums", SUMS)


@pytest.mark.share(0.2)
@pytest.mark.parametrize(
    "moment",
    [
        "table is dropped",
        "drop is announced",
        "drop begins",
    ],
)
def test_while_dropping(home: Path, new_lake: OpenLake, moment: str) -> None:
    crash(home, moment)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    assert lake.table_names() == ["sums", "t"]
    assert refresh(lake, "sums")["refresh_mode"] == "NO_DATA"
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t")
    assert_right_after_refresh(lake)


@pytest.mark.incremental
@pytest.mark.share(0.2)
@pytest.mark.parametrize(
    ("moment", "name"), [("table is renamed", "renamed"), ("renaming is announced", "d")]
)
def test_while_renaming(home: Path, new_lake: OpenLake, moment: str, name: str) -> None:
    crash(home, moment)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    assert lake.table_names() == sorted([name, "sums", "t"])
    assert len(history(lake, name)) == 1
    assert refresh(lake, name)["refresh_mode"] == "INCREMENTAL"
    assert_plainly_exact(lake, name, "SELECT a FROM t")
    if name != "d":
        assert refresh(lake, "sums")["refresh_mode"] == "NO_DATA"
        lake.sql(f"ALTER DYNAMIC TABLE {name} RENAME TO d")
    assert_right_after_refresh(lake)


@pytest.mark.incremental
@pytest.mark.share(0.2)
@pytest.mark.parametrize(
    ("moment", "column"), [("column is renamed", "whole"), ("renaming of a column is announced", "total")]
)
def test_while_renaming_a_column(home: Path, new_lake: OpenLake, moment: str, column: str) -> None:
    crash(home, moment)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    assert lake.sql(f"SELECT n, {column} FROM sums").fetchall() == [(2, 2)]
    refresh(lake, "d")
    assert refresh(lake, "sums")["refresh_mode"] == "INCREMENTAL"
    assert lake.sql(f"SELECT n, {column} FROM sums").fetchall() == [(3, 4)]


def test_the_jvm_outlives_its_python(home: Path, new_lake: OpenLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python is killed in the middle of a refresh; the lake is not free before its JVM is gone."""
    with new_lake() as lake:
        lake.sql("INSERT INTO t SELECT id FROM range(10000)")
        lake.sql(
            "CREATE DYNAMIC TABLE slow AS SELECT count(*) AS n FROM t x, t y, t z WHERE x.a * y.a % 7 < z.a"
        )
    with child(home, "computing") as process:
        jvm = int(first_line(process))
        os.kill(jvm, signal.SIGSTOP)
        process.kill()
        process.wait()
        with monkeypatch.context() as patch:
            patch.setattr(directory, "_JVM_EXIT_SECONDS", 0.3)
            with pytest.raises(LakeLocked, match=rf"still locked by the Java .* \(process {process.pid}\)"):
                LakeLock(open_directory(home))
        threading.Timer(0.3, os.kill, (jvm, signal.SIGCONT)).start()
        lake = new_lake()
    assert_nothing_is_half_done(lake)
    assert history(lake, "slow")[0]["state"] == "FAILED"
    assert lake.sql("SELECT * FROM slow").fetchall() == []
    assert_right_after_refresh(lake)


@pytest.mark.parametrize("seed", fresh_seeds("refresh/killed at any moment", 10, share=0.2))
def test_at_any_moment(home: Path, new_lake: OpenLake, seed: int) -> None:
    with child(home, "any") as process:
        assert first_line(process) == "refreshing\n"
        time.sleep(random.Random(seed).uniform(0.2, 3))
        kill_group(process)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    records = lake.sql(
        "SELECT name, sum(CAST(get_json_object(stats, '$.rows_inserted') AS INT)) "
        "FROM information_schema.dynamic_table_refresh_history WHERE state = 'SUCCEED' GROUP BY name"
    ).fetchall()
    assert dict(records)["d"] == len(lake.sql("SELECT * FROM d"))
    assert_right_after_refresh(lake)


@pytest.mark.incremental
@pytest.mark.parametrize(
    ("moment", "state", "next_mode"),
    [
        pytest.param("merge is computed", "FAILED", "INCREMENTAL", marks=pytest.mark.share(0.2)),
        ("merge is committed", "SUCCEED", "NO_DATA"),
    ],
)
def test_during_a_merge(merging: Path, new_lake: OpenLake, moment: str, state: str, next_mode: str) -> None:
    """What was not committed is as if it had never been; what was is not done again."""
    crash(merging, moment)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    last = history(lake, "merged")[0]
    assert (last["state"], last["refresh_mode"]) == (state, "INCREMENTAL")
    assert refresh(lake, "merged")["refresh_mode"] == next_mode
    assert_plainly_exact(lake, "merged", MERGED)
    lake.sql("DELETE FROM t WHERE a = 1; INSERT INTO t VALUES (3)")
    assert refresh(lake, "merged")["refresh_mode"] == "INCREMENTAL"
    assert_plainly_exact(lake, "merged", MERGED)


@pytest.mark.incremental
def test_between_stored_groups_and_their_table(merging: Path, new_lake: OpenLake) -> None:
    query = "SELECT a, count(*) AS n FROM t GROUP BY a HAVING count(*) > 1"
    with new_lake() as lake:
        lake.sql(f"CREATE DYNAMIC TABLE of_groups PROPERTIES ('state' = 'always') AS {query}")
        refresh(lake, "of_groups")
        lake.sql("INSERT INTO t VALUES (3), (4)")
    crash(merging, "groups are stored")
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    assert history(lake, "of_groups")[0]["state"] == "FAILED"
    for change in ("DELETE FROM t WHERE a = 1; INSERT INTO t VALUES (4)", "INSERT INTO t VALUES (5), (5)"):
        lake.sql(change)
        row = refresh(lake, "of_groups")
        assert row["refresh_mode"] == "INCREMENTAL"
        assert "stored groups" in row["refresh_mode_reason"]
        assert_plainly_exact(lake, "of_groups", query)
    found = lake.sql("VERIFY DYNAMIC TABLE of_groups")
    (verified,) = (dict(zip(found.columns, row, strict=True)) for row in found.fetchall())
    assert (verified["result"], verified["stored_groups"], verified["wrong_stored_groups"]) == ("exact", 1, 0)


@pytest.mark.incremental
@pytest.mark.parametrize("seed", fresh_seeds("refresh/killed at any moment of merges", 20, share=0.2))
def test_at_any_moment_of_merges(merging: Path, new_lake: OpenLake, seed: int) -> None:
    with child(merging, "any merge") as process:
        assert first_line(process) == "refreshing\n"
        time.sleep(random.Random(seed).uniform(0.2, 4))
        kill_group(process)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    lake.sql("INSERT INTO t VALUES (7)")
    assert refresh(lake, "merged")["refresh_mode"] == "INCREMENTAL"
    assert_plainly_exact(lake, "merged", MERGED)
