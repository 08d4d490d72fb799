"""The scheduler on a clock of the test's own; refreshes happen on paper."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Engine, event, insert

from headrace.catalog import rows
from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.rows import table_to_row
from headrace.catalog.schema import Lifecycle, dynamic_tables
from headrace.catalog.store import MetadataStore
from headrace.errors import OperationalError
from headrace.lake.table import metadata_files
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh, RefreshMode, RefreshState, RefreshTrigger
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.refresh.record import RefreshRecord, to_summary
from headrace.schedule.loop import Lake, Scheduler, scheduled_row
from headrace.schedule.unchanged import Locations
from tests.schedule.tables import NOON, dynamic, named


class PaperLake:
    """Tables are metadata files; a refresh writes one that says which versions it has seen."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.now = NOON
        self.store = MetadataStore.open(sqlite_url(directory / "metadata.db"))
        self.tables: dict[TableName, str] = {}
        self.versions: dict[TableName, int] = {}
        self.snapshots: dict[TableName, list[dict[str, Any]]] = {}
        self.refreshed: list[str] = []
        self.seen: dict[str, dict[str, int]] = {}
        self.failing: set[str] = set()
        self.bugs: set[str] = set()
        self.waiting: dict[str, threading.Event] = {}
        self.scheduler = Scheduler(
            Lake(self.store, lambda: dict(self.tables), MetadataFiles(), ZoneInfo("UTC")),
            self.refresh,
            lambda: self.now,
        )

    def close(self) -> None:
        self.scheduler.stop(1)
        self.store.close()

    def clock(self) -> datetime:
        return self.now

    def commit(self, name: str, summary: dict[str, str] | None = None) -> None:
        table = named(name)
        version = self.versions[table] = self.versions.get(table, 0) + 1
        snapshot = {
            "snapshot-id": version,
            "schema-id": 0,
            "timestamp-ms": int(self.now.timestamp() * 1000),
            "summary": {"operation": "append", **(summary or {})},
        }
        if version > 1:
            snapshot["parent-snapshot-id"] = version - 1
        snapshots = self.snapshots.setdefault(table, [])
        snapshots.append(snapshot)
        content = {
            "table-uuid": f"uuid-{name}",
            "current-snapshot-id": version,
            "current-schema-id": 0,
            "snapshots": snapshots,
            "snapshot-log": [
                {key: each[key] for key in ("snapshot-id", "timestamp-ms")} for each in snapshots
            ],
        }
        file = self.directory / f"{name}-{version}.metadata.json"
        file.write_text(json.dumps(content))
        self.tables[table] = f"file:{file}"

    def create(self, *tables: DynamicTable) -> None:
        created = [table_to_row(table) | {"lifecycle": Lifecycle.ACTIVE.value} for table in tables]
        with self.store._transactions.write() as connection:
            connection.execute(insert(dynamic_tables), created)
        for table in tables:
            self.commit(table.name.table)

    def refresh(self, table: DynamicTable, job_id: str, given: Locations) -> Refresh:
        row = self.refreshed_row(table, job_id, given)
        self.store.refreshes.record(row)
        return row

    def refreshed_row(self, table: DynamicTable, job_id: str, given: Locations) -> Refresh:
        name = table.name.table
        if name in self.waiting:
            assert self.waiting[name].wait(10)
        row = Refresh(
            job_id,
            table.id,
            table.name,
            "default",
            self.now,
            RefreshState.SUCCEED,
            RefreshTrigger.MANUAL if job_id == "by-hand" else RefreshTrigger.SYSTEM_SCHEDULED,
            (),
            self.now,
            mode=RefreshMode.INCREMENTAL,
        )
        self.refreshed.append(name)
        if name in self.failing:
            raise OperationalError(f"{name} is out of order")
        if name in self.bugs:
            raise RuntimeError("a bug")
        locations = {**self.tables, **given}
        versions = {
            source.name: int(locations[source.name].rsplit("-", 1)[1].split(".")[0])
            for source in table.definition.sources
        }
        self.seen[name] = {source.table: version for source, version in versions.items()}
        record = RefreshRecord(
            job_id,
            table.definition.fingerprint,
            {source: TableVersion(f"uuid-{source.table}", at, 0) for source, at in versions.items()},
        )
        self.commit(name, to_summary(record))
        return row

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def look(self) -> list[str]:
        """Which tables were refreshed for real."""
        self.refreshed.clear()
        self.scheduler.look()
        self.scheduler.wait_for_rounds(10)
        return list(self.refreshed)

    def modes(self, name: str) -> list[str]:
        """Oldest first."""
        return [str(row.mode or row.state) for row in reversed(self.store.refreshes.history(named(name)))]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[PaperLake]:
    with closing(PaperLake(tmp_path)) as paper:
        yield paper


def test_a_chain_is_refreshed_in_one_round_and_then_has_nothing_to_do(lake):
    lake.commit("t")
    lake.create(dynamic("c", "b"), dynamic("b", "a"), dynamic("a", "t"))
    assert lake.look() == []
    lake.pass_time(60)
    assert lake.look() == ["a", "b", "c"]
    lake.pass_time(59)
    assert lake.look() == []
    assert lake.modes("c") == ["INCREMENTAL"]
    lake.pass_time(1)
    assert lake.look() == []
    assert lake.modes("c") == ["INCREMENTAL", "NO_DATA"]
    lake.commit("t")
    lake.pass_time(60)
    assert lake.look() == ["a", "b", "c"]


def test_queries_and_files_of_a_round_do_not_grow_with_the_tables(tmp_path, monkeypatch):
    """Over the same sources: each query is one for all tables, and a file is read once."""

    def rounds(count: int) -> list[Counter[str]]:
        directory = tmp_path / str(count)
        directory.mkdir()
        with closing(PaperLake(directory)) as lake:
            lake.commit("t")
            lake.commit("u")
            lake.create(dynamic("on_u", "u"), *(dynamic(f"on_t_{number}", "t") for number in range(count)))
            lake.pass_time(60)
            assert len(lake.look()) == count + 1
            lake.pass_time(60)
            assert lake.look() == []
            lake.commit("u")
            return [_cost(lake, monkeypatch, refreshed) for refreshed in (["on_u"], [], [])]

    few, many = rounds(3), rounds(40)
    assert few == many
    changed, following, quiet = many
    assert (changed["files"], following["files"], quiet["files"]) == (1, 1, 0)
    assert quiet["definitions parsed"] == 0
    assert quiet["statements"] <= 10


def _cost(lake: PaperLake, monkeypatch: pytest.MonkeyPatch, refreshed: list[str]) -> Counter[str]:
    """Of the look of a round, without the refreshes that it starts."""
    cost: Counter[str] = Counter()
    lake.waiting = {name: threading.Event() for name in refreshed}

    def counting(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            cost[what] += threading.current_thread() is threading.main_thread()
            return function(*arguments, **options)

        return counted

    count_statement = counting("statements", lambda *_: None)
    lake.pass_time(60)
    with monkeypatch.context() as patched:
        patched.setattr(metadata_files, "read_bytes", counting("files", metadata_files.read_bytes))
        patched.setattr(rows, "table_from_row", counting("definitions parsed", rows.table_from_row))
        event.listen(Engine, "before_cursor_execute", count_statement)
        lake.refreshed.clear()
        lake.scheduler.look()
        event.remove(Engine, "before_cursor_execute", count_statement)
    for each in lake.waiting.values():
        each.set()
    lake.scheduler.wait_for_rounds(10)
    assert lake.refreshed == refreshed
    return cost


def test_a_large_round_refreshes_every_table_once(lake):
    """More tables than threads, all after one that they read."""
    lake.commit("t")
    lake.create(dynamic("first", "t"), *(dynamic(f"after_{number}", "first") for number in range(100)))
    lake.pass_time(60)
    found = lake.look()
    assert found[0] == "first"
    assert sorted(found[1:]) == sorted(f"after_{number}" for number in range(100))


def test_the_log_has_one_line_for_all_tables_without_changes(lake, caplog):
    caplog.set_level("INFO", logger="headrace")
    lake.commit("t")
    lake.create(*(dynamic(f"d{number}", "t") for number in range(5)))
    lake.pass_time(60)
    lake.look()
    caplog.clear()
    lake.pass_time(60)
    lake.look()
    (line,) = caplog.records
    assert (line.getMessage(), line.fields) == ("sources unchanged", {"tables": 5, "due": 5})


def test_no_data_rows_tell_all(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"))
    lake.pass_time(60)
    lake.look()
    lake.pass_time(60)
    lake.look()
    row = lake.store.refreshes.history(named("a"))[0]
    assert (row.state, row.trigger, row.mode_reason) == ("SUCCEED", "SYSTEM_SCHEDULED", "no source changed")
    assert row.start_time == row.end_time == lake.now
    assert row.source_versions == {named("t"): TableVersion("uuid-t", 1, 0)}


def test_a_manual_refresh_starts_the_interval_anew(lake):
    lake.commit("t")
    table = dynamic("a", "t")
    lake.create(table)
    lake.pass_time(40)
    lake.refresh(table, "by-hand", {})
    lake.pass_time(40)
    assert lake.look() == []
    assert lake.modes("a") == ["INCREMENTAL"]
    lake.pass_time(20)
    lake.look()
    assert lake.modes("a") == ["INCREMENTAL", "NO_DATA"]


def test_due_times_do_not_drift(lake):
    """Rounds that are looked for now and then begin late, and the next one is due on time all the same."""
    lake.create(dynamic("a", "t"))
    for pause in (60.9, 59.9, 59.9, 60.1, 59.4, 60.7):
        lake.commit("t")
        lake.pass_time(pause)
        assert lake.look() == ["a"]
    starts = [(row.start_time - NOON).total_seconds() for row in lake.store.refreshes.history(named("a"))]
    assert starts[::-1] == [60.9, 120.8, 180.7, 240.8, 300.2, 360.9]


def test_tables_of_one_interval_stay_in_step_for_good(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"))
    lake.create(dynamic("b", "a", created=lake.now + timedelta(seconds=20)))
    for _ in range(4):
        lake.commit("t")
        lake.pass_time(60)
        assert lake.look() == ["a", "b"]
        lake.pass_time(20)
        assert lake.look() == []
        lake.pass_time(-20)
    assert lake.modes("b") == ["INCREMENTAL"] * 4


def test_a_start_is_kept_where_others_are_due_earlier(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"), dynamic("b", "a", start_at=NOON + timedelta(seconds=80)))
    lake.pass_time(60)
    assert lake.look() == ["a"]
    lake.pass_time(20)
    assert lake.look() == ["b"]


def test_when_the_next_refresh_is_due(lake):
    lake.commit("t")
    table = dynamic("a", "t")
    lake.create(table)
    lake.pass_time(61)
    lake.look()
    assert lake.scheduler.next_refreshes([table]) == {named("a"): NOON + timedelta(seconds=120)}
    lake.pass_time(10)
    lake.refresh(table, "by-hand", {})
    assert lake.scheduler.next_refreshes([table]) == {named("a"): NOON + timedelta(seconds=131)}


def test_all_of_a_round_sees_one_set_of_base_versions(lake):
    lake.commit("t")
    lake.create(dynamic("left", "t"), dynamic("right", "left", "t"))
    lake.pass_time(60)
    lake.waiting["left"] = threading.Event()
    lake.scheduler.look()
    lake.commit("t")
    lake.waiting["left"].set()
    lake.scheduler.wait_for_rounds(10)
    assert lake.seen["left"]["t"] == lake.seen["right"]["t"] == 1


def test_the_other_side_of_a_failure_waits(lake):
    lake.commit("t")
    lake.create(dynamic("left", "t"), dynamic("right", "t"), dynamic("top", "left", "right"))
    lake.failing.add("left")
    lake.pass_time(60)
    assert sorted(lake.look()) == ["left", "right"]
    lake.failing.clear()
    lake.pass_time(60)
    assert sorted(lake.look()) == ["left", "top"]


def test_five_failures_suspend(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"))
    lake.failing.add("a")
    for _ in range(7):
        lake.pass_time(60)
        lake.look()
    rows = lake.store.refreshes.history(named("a"))
    assert [row.state for row in rows] == ["FAILED"] * 5
    assert rows[0].suspended_reason == "5 consecutive refreshes failed"
    assert [row.suspended_reason for row in rows[1:]] == [None] * 4
    assert rows[0].error_message == "a is out of order"
    assert lake.store.definitions.find(named("a")).suspended
    lake.failing.clear()
    lake.store.definitions.set_suspended("id-a", suspended=False, modified_at=lake.now)
    assert lake.look() == ["a"]


def test_a_success_between_keeps_the_schedule(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"))
    for turn in range(12):
        lake.pass_time(60)
        lake.commit("t")
        lake.failing = {"a"} if turn % 4 else set()
        lake.look()
    assert not lake.store.definitions.find(named("a")).suspended


def test_an_unexpected_exception_is_a_failed_refresh_too(lake, caplog):
    lake.commit("t")
    lake.create(dynamic("a", "t"), dynamic("b", "a"), dynamic("other", "t"))
    lake.bugs.add("a")
    lake.pass_time(60)
    assert sorted(lake.look()) == ["a", "other"]
    (row,) = lake.store.refreshes.history(named("a"))
    assert (row.state, row.error_message) == ("FAILED", "internal error of the server (RuntimeError)")
    assert [record.exc_info[0] for record in caplog.records] == [RuntimeError]
    lake.bugs.clear()
    lake.pass_time(60)
    assert lake.look() == ["a", "b"]


def test_a_round_that_cannot_record_is_told(lake, monkeypatch, caplog):
    lake.commit("t")
    lake.create(dynamic("a", "t"))
    lake.failing.add("a")
    lake.pass_time(60)
    monkeypatch.setattr(lake.store.refresh_outcomes, "failures_in_a_row", lambda *_, **__: 1 // 0)
    lake.look()
    lake.scheduler.stop(10)
    assert lake.scheduler.problem() == "ZeroDivisionError: see the server's log"
    failed = [record.exc_info[0] for record in caplog.records if record.exc_info]
    assert failed == [OperationalError, ZeroDivisionError]


def test_a_damaged_metadata_file_stops_no_other_table(lake):
    lake.commit("t")
    lake.commit("u")
    lake.create(dynamic("a", "t"), dynamic("b", "u"))
    lake.pass_time(60)
    lake.look()
    lake.commit("t")
    lake.commit("u")
    Path(lake.tables[named("u")].removeprefix("file:")).write_text("{")
    lake.pass_time(60)
    assert sorted(lake.look()) == ["a", "b"]


def test_due_again_while_running_is_queued_once(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"))
    lake.waiting["a"] = threading.Event()
    lake.pass_time(60)
    lake.scheduler.look()
    lake.commit("t")
    for _ in range(3):
        lake.pass_time(60)
        lake.scheduler.look()
    assert lake.modes("a") == ["QUEUED"]
    lake.waiting["a"].set()
    lake.scheduler.wait_for_rounds(10)
    assert lake.look() == ["a"]
    assert lake.modes("a") == ["INCREMENTAL", "INCREMENTAL"]


def test_a_table_that_is_dropped_while_it_waits(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"))
    lake.waiting["a"] = threading.Event()
    lake.pass_time(60)
    lake.scheduler.look()
    lake.commit("t")
    lake.pass_time(60)
    lake.scheduler.look()
    lake.waiting["a"].set()
    lake.scheduler.wait_for_rounds(10)
    lake.store.lifecycle.begin_drop("id-a")
    lake.store.lifecycle.finish_drop("id-a")
    assert lake.look() == []
    (queued,) = [row for row in lake.store.refreshes.history() if row.state is not RefreshState.SUCCEED]
    assert (queued.state, queued.error_message[:21]) == ("FAILED", "the table was dropped")


def test_tables_with_other_intervals_do_not_wait_for_each_other(lake):
    lake.commit("t")
    lake.create(dynamic("quick", "t", interval=60))
    lake.create(dynamic("slow", "quick", interval=600))
    lake.pass_time(60)
    assert lake.look() == ["quick"]
    lake.commit("t")
    for _ in range(9):
        lake.pass_time(60)
        lake.look()
    assert lake.modes("slow") == ["INCREMENTAL"]


def test_only_one_that_leads_schedules_and_takes_over_what_was_left(lake):
    lake.commit("t")
    lake.create(dynamic("a", "t"), dynamic("b", "t"))
    tables = {table.name.table: table for table in lake.store.definitions.all()}
    for name, state in (("a", RefreshState.QUEUED), ("b", RefreshState.RUNNING)):
        lake.store.refreshes.record(scheduled_row(tables[name], f"left-{name}", lake.now, state))
    leads = [False]
    lake.scheduler = Scheduler(
        Lake(lake.store, lambda: dict(lake.tables), MetadataFiles(), ZoneInfo("UTC")),
        lake.refresh,
        lambda: lake.now,
        leads=lambda: leads[0],
    )
    lake.pass_time(60)
    assert lake.look() == []
    assert lake.store.refreshes.find("left-a").state is RefreshState.QUEUED
    leads[0] = True
    assert sorted(lake.look()) == ["a", "b"]
    left = lake.store.refreshes.find("left-a")
    assert (left.state, left.error_message) == ("FAILED", "the server stopped before the refresh began")
    assert lake.store.refreshes.find("left-b").state is RefreshState.RUNNING
    leads[0] = False
    lake.commit("t")
    lake.pass_time(60)
    assert lake.look() == []


def test_a_table_whose_last_refresh_has_no_end_is_looked_at_by_a_cluster(lake):
    lake.commit("t")
    table = dynamic("a", "t")
    lake.create(table)
    lake.refresh(table, "first", {})
    lake.pass_time(30)
    lake.store.refreshes.record(scheduled_row(table, "cut-short", lake.now, RefreshState.RUNNING))
    lake.pass_time(60)
    assert lake.look() == ["a"]
    lake.pass_time(60)
    assert lake.look() == []


def test_2000_tables_with_nothing_to_do_take_less_than_a_second(lake):
    """Of this process: other tests run beside it."""
    for number in range(50):
        lake.commit(f"t{number}")
    tables = [dynamic(f"d{number}", f"t{number % 50}") for number in range(2000)]
    lake.create(*tables)
    lake.store.refreshes.record_all([lake.refreshed_row(table, f"first-{table.id}", {}) for table in tables])
    lake.pass_time(60)
    assert lake.look() == []
    took = []
    for _ in range(3):
        lake.pass_time(60)
        start = time.process_time()
        assert lake.look() == []
        took.append(time.process_time() - start)
    assert len(lake.store.refreshes.history(limit=20_000)) == 5 * 2000
    assert min(took) < 1, took
