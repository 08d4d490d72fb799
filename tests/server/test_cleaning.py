from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.model.dropped import Dropped
from headrace.model.job import Job, JobKind, JobState
from headrace.model.names import TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.task import RunState, RunTrigger, TaskRun
from headrace.server.cleaning import Cleaning
from tests.schedule.tables import NOON, named


@pytest.fixture
def store(tmp_path):
    store = MetadataStore.open(sqlite_url(tmp_path / "metadata.db"))
    yield store
    store.close()


def drop(store: MetadataStore, days: int) -> None:
    kept_as = TableName("lake", "__dropped", "x")
    dropped = Dropped(ObjectKind.TABLE, named("t"), kept_as, "uuid", "/nowhere", NOON, days)
    store.dropped.finish_drop(store.dropped.begin_drop(dropped))


def rounds(store: MetadataStore, days_later: float, indexes: list[datetime] | None = None) -> int:
    """How often a round at that time has vacuumed; ``indexes`` is told when it has cleaned these."""
    vacuumed: list[int] = []
    clock = NOON + timedelta(days=days_later)
    Cleaning(
        (store.refreshes, store.jobs, store.task_runs),
        store.dropped,
        7,
        lambda: clock,
        lambda: vacuumed.append(1),
        (lambda _: None) if indexes is None else indexes.append,
    ).look()
    return len(vacuumed)


def test_dropped_tables_are_deleted_once_past_their_retention(store):
    assert rounds(store, 100) == 0
    drop(store, days=2)
    assert rounds(store, 1.99) == 0
    assert rounds(store, 2) == 1


def test_indexes_are_cleaned_without_waking_a_cluster(store):
    cleaned: list[datetime] = []
    assert rounds(store, 1, cleaned) == 0
    assert cleaned == [NOON + timedelta(days=1)]


def test_old_history_is_forgotten(store):
    job = Job("j1", JobKind.STATEMENT, "SELECT 1", "default", "someone", JobState.SUCCEED, NOON, NOON, NOON)
    run = TaskRun("r1", "id-t", "t", NOON, RunState.SUCCEED, RunTrigger.MANUAL, 1, NOON, NOON)
    store.jobs.record(job)
    store.task_runs.record(run)
    rounds(store, 6.9)
    assert (store.jobs.find("j1"), store.task_runs.attempts("r1")) == (job, [run])
    rounds(store, 7.1)
    assert (store.jobs.find("j1"), store.task_runs.attempts("r1")) == (None, [])
