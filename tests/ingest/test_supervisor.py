"""Which pipes are run when, and by which of several servers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from headrace.catalog.store import MetadataStore
from headrace.errors import OperationalError
from headrace.features.pipes.model import IngestMode, Pipe, PipeProgress, PipeSettings
from headrace.features.syncs.model import (
    BatchReads,
    Sync,
    SyncMode,
    SyncProgress,
    SyncSettings,
    SyncStart,
    SyncTable,
)
from headrace.ingest.supervisor import PipeSupervisor, is_due
from headrace.model.clock import system_clock
from headrace.model.names import TableName
from headrace.model.task import CronSchedule, IntervalSchedule

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
PIPE = Pipe(
    "1",
    TableName("lake", "public", "p"),
    TableName("lake", "public", "t"),
    "COPY INTO t FROM '/in' USING CSV",
    "lake",
    "public",
    PipeSettings("default", interval_seconds=10, ingest_mode=IngestMode.LIST_PURGE),
    "anna",
    NOON,
    NOON,
)

SYNC = Sync(
    "1",
    TableName("lake", "public", "s"),
    "shop",
    ("public.t",),
    "lake",
    "public",
    "",
    SyncMode.BATCH,
    SyncStart.SNAPSHOT,
    (SyncTable("public.t", TableName("lake", "public", "t"), ("id",)),),
    SyncSettings("default"),
    "anna",
    NOON,
    NOON,
    reads=BatchReads("changed", 2),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MetadataStore]:
    store = MetadataStore.open(f"sqlite:///{tmp_path}/metadata.db")
    yield store
    store.close()


def test_when_a_pipe_is_due() -> None:
    def after(seconds: float, pipe: Pipe = PIPE) -> bool:
        return is_due(pipe, NOON + timedelta(seconds=seconds), ZoneInfo("UTC"))

    assert after(0)
    delayed = replace(PIPE, settings=replace(PIPE.settings, initial_delay_seconds=5))
    assert [after(4, delayed), after(5, delayed)] == [False, True]
    run = replace(PIPE, progress=PipeProgress(last_run_at=NOON))
    assert [after(9, run), after(10, run)] == [False, True]
    failing = replace(PIPE, progress=PipeProgress(last_run_at=NOON, failures=2))
    assert [after(29, failing), after(30, failing)] == [False, True]
    failing_long = replace(PIPE, progress=PipeProgress(last_run_at=NOON, failures=99))
    assert [after(99, failing_long), after(100, failing_long)] == [False, True]
    paused = replace(PIPE, settings=replace(PIPE.settings, is_paused=True))
    assert not after(10_000, paused)


def test_when_a_batch_sync_is_due() -> None:
    zone = ZoneInfo("Europe/Berlin")

    def after(hours: float, schedule: IntervalSchedule | CronSchedule | None, **progress: Any) -> bool:
        settings = SyncSettings("default", schedule=schedule)
        sync = replace(SYNC, settings=settings, progress=SyncProgress(**progress))
        return is_due(sync, NOON + timedelta(hours=hours), zone)

    hourly, at_three = IntervalSchedule(3600), CronSchedule("0 3 * * *")
    assert after(0, hourly), "at once"
    assert [after(hours, hourly, last_run_at=NOON) for hours in (0.9, 1)] == [False, True]
    assert [after(hours, at_three) for hours in (12, 12.9, 13)] == [False, False, True], "three in Berlin"
    assert not after(14, at_three, last_run_at=NOON + timedelta(hours=13))
    assert not after(1000, None)
    failed = {"last_run_at": NOON, "failures": 2}
    assert [after(minutes / 60, at_three, **failed) for minutes in (1, 2)] == [False, True]


def test_rows_of_batch_syncs(store: MetadataStore) -> None:
    store.syncs.create(SYNC)
    assert store.syncs.all() == [SYNC]
    for schedule in (
        IntervalSchedule(60, NOON),
        IntervalSchedule(60),
        CronSchedule("0 3 * * *", "UTC"),
        None,
    ):
        store.syncs.change(SYNC, replace(SYNC.settings, schedule=schedule), NOON)
        assert store.syncs.all()[0].settings.schedule == schedule


def test_rows_of_pipes(store: MetadataStore) -> None:
    store.pipes.create(PIPE)
    progress = PipeProgress(last_run_at=NOON, last_commit_at=NOON, rows=3, lag_seconds=1.5, last_error="x")
    settings = replace(PIPE.settings, cluster="etl", is_paused=True)
    store.pipes.record(PIPE, progress)
    store.pipes.change(PIPE, settings, NOON + timedelta(1))
    assert store.pipes.find(TableName("lake", "PUBLIC", "P")) == replace(
        PIPE, progress=progress, settings=settings, modified_at=NOON + timedelta(1)
    )
    store.pipes.drop(PIPE)
    assert store.pipes.all() == []


def test_another_server_takes_over(store: MetadataStore) -> None:
    store.pipes.create(PIPE)
    ran: dict[str, threading.Event] = {"first": threading.Event(), "second": threading.Event()}

    def supervisor(name: str) -> PipeSupervisor:
        return PipeSupervisor(
            store.pipes, store.leases, lambda _: ran[name].set(), system_clock, lease_seconds=1.0
        )

    first, second = supervisor("first"), supervisor("second")
    first.look()
    second.look()
    assert ran["first"].wait(10)
    second.look()
    assert not ran["second"].is_set()
    until = time.monotonic() + 10
    while not ran["second"].wait(0.05) and time.monotonic() < until:
        second.look()
    assert ran["second"].is_set(), "the first one has not renewed its lease"
    second.stop(1)
    assert store.leases.holders_of("pipe:") == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OperationalError("virtual cluster etl does not exist"), "virtual cluster etl does not exist"),
        (KeyError("nothing is expected to raise this"), "internal error of the server (KeyError)"),
    ],
)
def test_a_run_that_cannot_begin(store: MetadataStore, error: Exception, message: str) -> None:
    def run(_: Pipe) -> None:
        raise error

    store.pipes.create(PIPE)
    supervisor = PipeSupervisor(store.pipes, store.leases, run, system_clock)
    supervisor.look()
    supervisor.stop(10)
    (found,) = store.pipes.all()
    assert (found.progress.failures, found.progress.last_error) == (1, message)
