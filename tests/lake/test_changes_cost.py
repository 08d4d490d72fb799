"""A change scan reads what changed, however large the table is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tests.lake.changes_oracle import Watched

from headrace.connection import Connection
from headrace.lake.change_scan.changes import Changes
from headrace.lake.measure import Execution, execute_measured


def big(lake: Connection, rows: int, files: int) -> Watched:
    table = Watched.make(lake, "(k BIGINT, g INT, v STRING)")
    table.run(f"INSERT INTO t SELECT id, id % 1000, concat('v', id) FROM range(0, {rows}, 1, {files})")
    return table


def scanned(table: Watched, statement: str) -> tuple[Changes, Execution]:
    """The changes that ``statement`` makes, written to another table."""
    since = table.states[-1].version
    table.run(statement)
    changes = table.changes(since)
    assert isinstance(changes, Changes)
    with changes:
        return changes, execute_measured(table.session, f"INSERT INTO seen {changes.sql}", "")


def test_only_changed_files_are_read(lake: Connection) -> None:
    table = big(lake, 300_000, 6)
    lake.sql("CREATE TABLE seen (k BIGINT, g INT, v STRING, row_id BIGINT, weight BIGINT)")
    one_file = table.load().snapshot.bytes / 6  # type: ignore[union-attr]

    changes, run = scanned(table, "INSERT INTO t VALUES (-1, 0, 'new')")
    assert (run.rows_read, changes.estimate.files, changes.estimate.insert_only) == (1, 1, True)
    assert changes.estimate.bytes < one_file / 10

    changes, run = scanned(table, "DELETE FROM t WHERE k = 7")
    assert (run.rows_read, changes.estimate.files, changes.estimate.insert_only) == (1, 1, False)
    assert (changes.estimate.rows_added, changes.estimate.rows_removed) == (0, 1)
    assert changes.estimate.bytes < one_file * 1.5

    changes, run = scanned(table, "UPDATE t SET v = 'new' WHERE k = 8")
    assert (run.rows_read, changes.estimate.files) == (2, 2)
    assert (changes.estimate.rows_added, changes.estimate.rows_removed) == (1, 1)
    assert changes.estimate.bytes < one_file * 1.5


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
        table.session.spark.sql(changes.sql).collect()
    return time.perf_counter() - begun
