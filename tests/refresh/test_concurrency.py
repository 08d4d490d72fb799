"""Several threads at one lake, and stopping what one of them runs."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import headrace
from headrace.connection import Connection
from headrace.errors import Cancelled, RefreshRunning
from headrace.lake.directory import make_lake
from tests.endless import ENDLESS
from tests.oracle import last_refresh
from tests.refresh.helpers import assert_same_bag, before_computing, refresh

WITHIN_SECONDS = 60


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + WITHIN_SECONDS
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


class TestOneTable:
    def test_two_refreshes_at_once(
        self, lake: Connection, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        second: list[Future[dict[str, Any]]] = []

        def start_second() -> None:
            second.append(threads.submit(refresh, lake, "d"))

        with before_computing(lake, monkeypatch, start_second):
            assert refresh(lake, "d")["refresh_mode"] == "FULL"
        assert second[0].result()["refresh_mode"] == "NO_DATA"
        assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]

    def test_many_at_once(self, lake: Connection, threads: ThreadPoolExecutor) -> None:
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        rows = [future.result() for future in [threads.submit(refresh, lake, "d") for _ in range(5)]]
        assert sorted(row["refresh_mode"] for row in rows) == ["FULL"] + ["NO_DATA"] * 4
        assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]

    def test_the_second_does_not_wait_for_ever(
        self, tmp_path: Path, new_lake: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        marker = make_lake(tmp_path / "lake").path / "lake.toml"
        marker.write_text(marker.read_text() + "refresh_wait_seconds = 1\n")
        lake = new_lake()
        lake.sql("CREATE TABLE t (a INT); CREATE DYNAMIC TABLE d AS SELECT a FROM t")

        def second() -> None:
            for statement in ("REFRESH DYNAMIC TABLE d", "DROP DYNAMIC TABLE d"):
                with pytest.raises(RefreshRunning, match=r"lake\.public\.d is being refreshed"):
                    lake.sql(statement)

        with before_computing(lake, monkeypatch, second):
            refresh(lake, "d")
        assert len(lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY")) == 1


def test_many_threads_on_one_connection(lake: Connection, threads: ThreadPoolExecutor) -> None:
    tables = range(3)
    for number in tables:
        lake.sql(f"CREATE TABLE t{number} (a INT); CREATE DYNAMIC TABLE d{number} AS SELECT a FROM t{number}")

    def work(number: int) -> None:
        for value in range(3):
            lake.sql(f"INSERT INTO t{number} VALUES ({value})")
            refresh(lake, f"d{number}")
            assert len(lake.sql(f"SELECT a FROM d{number}")) == value + 1

    def look() -> None:
        for _ in range(5):
            lake.sql("SHOW DYNAMIC TABLES").fetchall()
            assert lake.sql("SELECT count(*) FROM t0").fetchall()[0][0] <= 3

    for future in [*(threads.submit(work, number) for number in tables), threads.submit(look)]:
        future.result()
    for number in tables:
        assert_same_bag(lake, f"d{number}", f"SELECT a FROM t{number}")


def test_a_long_query_leaves_others_their_share(lake: Connection, threads: ThreadPoolExecutor) -> None:
    tasks = "range(0, 100000000, 1, 2000)"
    long = f"SELECT count(*) FROM {tasks} a CROSS JOIN range(100) b WHERE a.id * b.id % 7 = 3"
    lake.sql("CREATE TABLE t (a INT); CREATE DYNAMIC TABLE d AS SELECT count(*) AS n FROM t")
    running = threads.submit(lambda: lake.sql(long).fetchall())
    try:
        wait_until(lambda: (lake.progress() or "").endswith("of 2000 Spark tasks done"))
        with headrace.connect(lake.lake_path) as other:
            other.sql(f"INSERT INTO {lake.schema}.t VALUES (1)")
            assert refresh(other, f"{lake.schema}.d")["state"] == "SUCCEED"
        assert not running.done()
    finally:
        lake.cancel()
    with pytest.raises(Cancelled):
        running.result(timeout=WITHIN_SECONDS)


class TestCancel:
    def test_a_query(self, lake: Connection, threads: ThreadPoolExecutor) -> None:
        running = threads.submit(lambda: lake.sql(ENDLESS).fetchall())
        wait_until(lake.progress)
        started = time.monotonic()
        lake.cancel()
        with pytest.raises(Cancelled, match="cancelled"):
            running.result(timeout=WITHIN_SECONDS)
        assert time.monotonic() - started < 10
        assert lake.sql("SELECT 1").fetchall() == [(1,)]
        assert lake.progress() is None

    def test_leaves_other_connections_alone(self, lake: Connection, threads: ThreadPoolExecutor) -> None:
        with headrace.connect(lake.lake_path) as other:
            running = threads.submit(lambda: lake.sql(ENDLESS).fetchall())
            wait_until(lake.progress)
            other.cancel()
            assert other.sql("SELECT 1").fetchall() == [(1,)]
            assert not running.done()
        lake.cancel()
        with pytest.raises(Cancelled):
            running.result(timeout=WITHIN_SECONDS)

    def test_what_is_over_is_not_cancelled(self, lake: Connection) -> None:
        result = lake.sql("SELECT id FROM range(3)")
        lake.cancel()
        assert len(result) == 3


@pytest.fixture
def slow_table(lake: Connection) -> Connection:
    """Table d, filled, whose next refresh would take hours."""
    lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
    lake.sql(
        "CREATE DYNAMIC TABLE d AS SELECT count(*) AS n FROM t x, t y, t z WHERE x.a + y.a + z.a % 7 < 5"
    )
    refresh(lake, "d")
    lake.sql("INSERT INTO t SELECT id FROM range(10000)")
    return lake


def assert_cancelled_and_well(lake: Connection) -> None:
    row = last_refresh(lake, "d")
    assert (row["state"], row["refresh_mode"], row["error_message"]) == (
        "FAILED",
        "INCREMENTAL",
        "cancelled",
    )
    assert lake.sql("SELECT n FROM d").fetchall() == [(1,)]
    lake.sql("DELETE FROM t WHERE a > 1")
    assert refresh(lake, "d")["state"] == "SUCCEED"
    assert lake.sql("SELECT n FROM d").fetchall() == [(27,)]


@pytest.mark.incremental
def test_cancelling_a_refresh(slow_table: Connection, threads: ThreadPoolExecutor) -> None:
    running = threads.submit(refresh, slow_table, "d")
    wait_until(slow_table.progress)
    slow_table.cancel()
    with pytest.raises(Cancelled) as caught:
        running.result(timeout=WITHIN_SECONDS)
    name = f"lake.{slow_table.schema}.d"
    assert str(caught.value) == f"the refresh of {name} was cancelled, its rows are unchanged"
    assert_cancelled_and_well(slow_table)


@pytest.fixture
def heard_interrupts() -> Iterator[None]:
    """A shell starts what runs in its background with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.incremental
@pytest.mark.usefixtures("heard_interrupts")
def test_ctrl_c_in_a_script(slow_table: Connection) -> None:
    """The refresh has ended when the interrupt arrives, and does not land later."""

    def press_ctrl_c() -> None:
        with contextlib.suppress(AssertionError):
            wait_until(slow_table.progress)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press_ctrl_c).start()
    with pytest.raises(KeyboardInterrupt):
        refresh(slow_table, "d")
    assert slow_table.progress() is None
    assert_cancelled_and_well(slow_table)
