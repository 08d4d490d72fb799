"""``python -m bench rounds``: what a scheduling round itself costs in a lake of many dynamic tables.

All tables are due, and few of them have something to do. Measured is the time from the beginning of the round
until it is decided which tables are to be refreshed and the others are recorded; the refreshes are not in it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.many_tables import INTERVAL_SECONDS, ManyTables, Size, many_tables
from bench.measures import seconds
from bench.results import save
from headrace.catalog.store import MetadataStore
from headrace.commands.databases import open_catalog, open_store
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh, RefreshMode, RefreshState
from headrace.model.text_table import text_table
from headrace.schedule.loop import Lake, Scheduler, scheduled_row
from headrace.schedule.unchanged import Locations
from headrace.server.event_feed import EventFeed
from headrace.server.log_format import LogFormat
from headrace.server.log_output import logging_to

GOAL_SECONDS = 1.0
_END_SECONDS = 60


@dataclass(frozen=True)
class Measured:
    what: str
    seconds: float
    slowest: float
    processor_seconds: float
    """Unlike the time, this hardly depends on other work of the machine."""
    refreshed: int
    is_judged: bool = True
    """Whether the goal applies."""


@dataclass(frozen=True)
class Look:
    seconds: float
    processor_seconds: float
    refreshed: int


class Schedule:
    """The scheduler of a server, on a clock of its own; refreshes only commit."""

    def __init__(self, made: ManyTables, lake: Lake, now: datetime) -> None:
        self._made = made
        self._store: MetadataStore = lake.store
        self._now = now
        self._has_looked = threading.Event()
        self._one_commit = threading.Lock()
        self._refreshed: list[str] = []
        self.scheduler = Scheduler(lake, self._refresh, lambda: self._now)

    def round(self, *, pass_seconds: float) -> Look:
        self._now += timedelta(seconds=pass_seconds)
        self._refreshed.clear()
        self._has_looked.clear()
        processor = time.thread_time()
        took = seconds(self.scheduler.look)
        processor = time.thread_time() - processor
        self._has_looked.set()
        self.scheduler.wait_for_rounds(_END_SECONDS)
        return Look(took, processor, len(self._refreshed))

    def _refresh(self, table: DynamicTable, job_id: str, given: Locations) -> Refresh:
        self._has_looked.wait()
        with self._one_commit:
            self._made.refresh(table, job_id)
            self._refreshed.append(str(table.name))
        row = scheduled_row(table, job_id, self._now, RefreshState.SUCCEED)
        row = replace(row, mode=RefreshMode.INCREMENTAL, end_time=self._now)
        self._store.refreshes.record(row)
        return row


def rounds(arguments: Sequence[str]) -> int:
    """0 if the goal is met, else 1."""
    options = _options().parse_args(arguments)
    size = Size(options.tables, options.sources, options.snapshots, options.history)
    now = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as directory:
        print(f"{size.tables:,} dynamic tables over {size.sources} sources", file=sys.stderr)
        with many_tables(Path(directory) / "lake", size, now) as made, _schedule(made, now) as schedule:
            measured = run(made, schedule, size, options.rounds)
    print(text_table(["round", "median s", "slowest s", "processor s", "refreshed"], [*map(_row, measured)]))
    print(f"saved in {save({'rounds': [asdict(each) for each in measured]})}")
    slow = [each for each in measured if each.is_judged and each.seconds >= GOAL_SECONDS]
    for each in slow:
        print(f"goal missed: {each.what}: {each.seconds:.2f} s, goal < {GOAL_SECONDS:g} s", file=sys.stderr)
    return 1 if slow else 0


def run(made: ManyTables, schedule: Schedule, size: Size, count: int) -> list[Measured]:
    changed = range(max(1, size.sources // 100))
    first = schedule.round(pass_seconds=INTERVAL_SECONDS)
    changing = []
    for _ in range(count):
        made.change(changed)
        changing.append(schedule.round(pass_seconds=INTERVAL_SECONDS))
    quiet = [schedule.round(pass_seconds=INTERVAL_SECONDS) for _ in range(count)]
    idle = [schedule.round(pass_seconds=1) for _ in range(count)]
    return [
        replace(_measured("the first of a server", [first]), is_judged=False),
        _measured(f"{len(changed)} of {size.sources} sources changed", changing),
        _measured("nothing changed", quiet),
        _measured("nothing due", idle),
    ]


def _row(measured: Measured) -> list[str]:
    times = measured.seconds, measured.slowest, measured.processor_seconds
    return [measured.what, *(f"{each:.3f}" for each in times), str(measured.refreshed)]


def _measured(what: str, looks: Sequence[Look]) -> Measured:
    times = [look.seconds for look in looks]
    processor = statistics.median(look.processor_seconds for look in looks)
    return Measured(what, statistics.median(times), max(times), processor, looks[-1].refreshed)


@contextmanager
def _schedule(made: ManyTables, now: datetime) -> Iterator[Schedule]:
    """With the events and the log of a server."""
    store = open_store(made.directory, EventFeed().publish)
    catalog = open_catalog(made.directory)
    lake = Lake(store, catalog.locations, MetadataFiles(), made.directory.settings.zone)
    schedule = Schedule(made, lake, now)
    with (
        (made.directory.path / "stderr").open("w") as lines,
        redirect_stderr(lines),
        logging_to(made.directory.logs, LogFormat.TEXT),
    ):
        try:
            yield schedule
        finally:
            schedule.scheduler.stop(_END_SECONDS)
            catalog.close()
            store.close()


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench rounds", description=__doc__)
    parser.add_argument("--tables", type=int, default=2_000, help="dynamic tables")
    parser.add_argument("--sources", type=int, default=200, help="that they read, of which 1%% change")
    parser.add_argument("--snapshots", type=int, default=100, help="of each table")
    parser.add_argument("--history", type=int, default=100, help="past refreshes of each dynamic table")
    parser.add_argument("--rounds", type=int, default=5, help="of each kind")
    return parser
