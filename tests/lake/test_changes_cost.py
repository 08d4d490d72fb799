"""A change scan reads what changed, however large the table is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tests import internals
from tests.lake.changes_oracle import Watched

from headrace.connection import Connection
from headrace.lake import driver_memory
from headrace.lake.change_scan.changes import SMALL, Changes
from headrace.lake.measure import execute_measured


def big(lake: Connection, rows: int, files: int) -> Watched:
    table = Watched.make(lake, "(k BIGINT, g INT, v STRING)")
    table.run(f"INSERT INTO t SELECT id, id % 1000, concat('v', id) FROM range(0, {rows}, 1, {files})")
    return table


def scanned(table: Watched, statement: str) -> tuple[Changes, int]:
    """The changes that ``statement`` makes, written to another table; how many rows were read for it."""
    since = table.states[-1].version
    table.run(statement)
    changes = table.changes(since)
    assert isinstance(changes, Changes)
    with changes:
        run = execute_measured(table.session, f"INSERT INTO seen {changes.sql(changes.columns)}", "")
    return changes, run.rows_read + sum(read.rows for read in changes.reads)


@pytest.mark.parametrize("most_in_driver", [0, SMALL])
def test_only_changed_files_are_read(
    lake: Connection, most_in_driver: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headrace.lake.change_scan.changes.SMALL", most_in_driver)
    table = big(lake, 300_000, 6)
    lake.sql("CREATE TABLE seen (k BIGINT, g INT, v STRING, row_id BIGINT, weight BIGINT)")
    one_file = table.load().snapshot.bytes / 6  # type: ignore[union-attr]

    changes, rows = scanned(table, "INSERT INTO t VALUES (-1, 0, 'new')")
    assert (rows, changes.estimate.files, changes.estimate.insert_only) == (1, 1, True)
    assert changes.estimate.bytes < one_file / 10

    changes, rows = scanned(table, "DELETE FROM t WHERE k = 7")
    assert (rows, changes.estimate.files, changes.estimate.insert_only) == (1, 1, False)
    assert (changes.estimate.rows_added, changes.estimate.rows_removed) == (0, 1)
    assert changes.estimate.bytes < one_file * 1.5

    changes, rows = scanned(table, "UPDATE t SET v = 'new' WHERE k = 8")
    assert (rows, changes.estimate.files) == (2, 2)
    assert (changes.estimate.rows_added, changes.estimate.rows_removed) == (1, 1)
    assert changes.estimate.bytes < one_file * 1.5


def test_the_driver_reads_pages_of_files_that_stayed(lake: Connection) -> None:
    table = big(lake, 300_000, 1)
    since = table.states[-1].version
    table.run("DELETE FROM t WHERE k IN (7, 250000)")
    with_pages = table.changes(since)
    assert isinstance(with_pages, Changes)
    with with_pages:
        jobs = internals.jobs_started(table.session.spark)
        assert len(table.session.spark.sql(with_pages.sql(with_pages.columns)).collect()) == 2
        (read,) = with_pages.reads
    assert jobs == internals.jobs_started(table.session.spark)
    assert (read.rows, read.files, read.side) == (2, 1, "change")
    assert read.bytes is not None
    assert read.bytes < with_pages.estimate.bytes / 2


def test_wide_rows_of_a_small_change_are_read_by_spark(
    lake: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text that compresses well: that the rows do not fit is not known from the size of their files."""
    table = Watched.make(lake, "(k BIGINT, v STRING)")
    table.run("INSERT INTO t SELECT id, repeat('x', 10000) FROM range(100)")
    since = table.states[-1].version
    table.run("INSERT INTO t SELECT id, repeat('y', 10000) FROM range(100, 150)")
    table.run("DELETE FROM t WHERE k < 50")
    heap = internals.heap_bytes(table.session.spark)
    monkeypatch.setattr(driver_memory, "SHARE", heap // 200_000)
    changes = table.changes(since)
    assert isinstance(changes, Changes)
    with changes:
        found = table.session.spark.sql(
            f"SELECT k, __hr_weight FROM ({changes.sql(changes.columns)})"
        ).collect()
        assert changes.reads == ()
    assert sorted(map(tuple, found)) == [(k, -1 if k < 50 else 1) for k in (*range(50), *range(100, 150))]


@pytest.mark.share(0.2, suite="single tests")
def test_times_in_a_million_rows(lake: Connection, record_property: Callable[[str, object], None]) -> None:
    """Warm: finding, staging, reading and cleaning up; the load of the machine sets the rest."""
    table = big(lake, 1_000_000, 2)
    statements = {
        "1-row append": "INSERT INTO t VALUES ({0} + 2000000, 0, 'new')",
        "3-row delete": "DELETE FROM t WHERE k IN ({0}, {0} + 400000, {0} + 800000)",
    }
    best = {}
    for name, statement in statements.items():
        times = [_seconds(table, statement.format(turn)) for turn in range(12)]
        best[name] = min(times)
        record_property(name, f"{min(times):.3f} s")
    assert best["1-row append"] < 0.6, best
    assert best["3-row delete"] < 1.0, best


def _seconds(table: Watched, statement: str) -> float:
    since = table.states[-1].version
    table.run(statement)
    state = table.states[-1]
    begun = time.perf_counter()
    changes = table.changes(since)
    assert isinstance(changes, Changes)
    assert state is table.load()
    with changes:
        table.session.spark.sql(changes.sql(changes.columns)).collect()
    return time.perf_counter() - begun
