"""EXECUTE SYNC: brings the tables of a sync up to where their source is when it begins."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import Error, OperationalError, PositionMoved
from headrace.features.syncs.grammar import ExecuteSync
from headrace.features.syncs.model import Sync, SyncMode, SyncProgress, SyncTable
from headrace.ingest.batch.run import BatchRun
from headrace.ingest.cdc.open_source import open_source
from headrace.ingest.cdc.source import ChangeSource
from headrace.ingest.cdc.tick import Ticks
from headrace.ingest.find_sync import connection_of, find_sync
from headrace.ingest.open_sync import open_batch
from headrace.ingest.protocol import Lag
from headrace.lake.session import LakeSession
from headrace.lake.staging import staging
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow

_MOST_TICKS = 1000
"""Of one run; the next one continues."""
_MOST_SECONDS = 300.0
_WAIT_SECONDS = 0.2


@dataclass(frozen=True)
class SyncRunRow:
    rounds: int
    commits: int
    changes: int
    """Rows that were first read, and changes."""
    tables: int
    stopped_tables: int


def execute_sync(statement: ExecuteSync, given: StatementInput, context: StatementContext) -> Result:
    sync = find_sync(statement.name, given, context)
    with pointing_at(given.text, statement.name.span), context.lake.borrow_session() as session:
        row, stopped = _run(sync, session, context)
    notices = tuple(f"{table.source} is stopped: {table.error}; {_mend(sync, table)}" for table in stopped)
    return Result(LocalRows(to_arrow(SyncRunRow, [row], context.lake.settings.zone)), notices, row.changes)


def _mend(sync: Sync, table: SyncTable) -> str:
    return f"when it is mended, ALTER SYNC {sync.name} RESYNC TABLE '{table.source}'"


def _run(sync: Sync, session: LakeSession, context: StatementContext) -> tuple[SyncRunRow, list[SyncTable]]:
    started = replace(sync.progress, last_run_at=context.now())
    store = context.lake.store.syncs
    run = _run_batch if sync.mode is SyncMode.BATCH else _run_ticks
    try:
        with staging_errors(), staging(context.lake.directory.staging) as directory:
            done = run(sync, started, session, directory, context)
    except Error as error:
        store.record(sync, replace(started, failures=started.failures + 1, last_error=error.message))
        error.place = None
        raise
    store.record(sync, done.progress, done.tables)
    return done.row, [table for table in done.tables if table.error is not None]


@contextmanager
def staging_errors() -> Iterator[None]:
    """Rows are written to the disk of the lake before they are committed."""
    try:
        yield
    except OSError as error:
        raise OperationalError(
            f"the rows that were read cannot be written to the disk: {error}",
            hint="nothing of them was committed; when the disk has space, the next run reads them again",
        ) from error


@dataclass(frozen=True)
class _Done:
    row: SyncRunRow
    progress: SyncProgress
    tables: list[SyncTable]


def _run_ticks(
    sync: Sync, started: SyncProgress, session: LakeSession, staging: Path, context: StatementContext
) -> _Done:
    with open_source(connection_of(sync, context), sync.id, context.lake.secret_value) as source:
        ticks = Ticks(sync.mode, sync.tables, source, session, staging)
        target = source.head()
        rounds = _rounds(ticks, target)
        if ticks.tables and ticks.is_done(target):
            started = replace(started, caught_up_at=started.last_run_at)
        progress = _after(started, ticks, source, sync, context)
    row = SyncRunRow(rounds, ticks.commits, ticks.changes, len(ticks.tables), len(ticks.stopped))
    return _Done(row, progress, _tables(ticks))


def _run_batch(
    sync: Sync, started: SyncProgress, session: LakeSession, staging: Path, context: StatementContext
) -> _Done:
    """A run that has stopped tables has not failed: it is not repeated before its time."""
    with open_batch(connection_of(sync, context), sync.id, context) as source:
        run = BatchRun(sync, source.reader, session, staging)
        run.run()
    progress = replace(
        started,
        last_commit_at=context.now() if run.commits else started.last_commit_at,
        changes=started.changes + run.changes,
        failures=0,
        last_error=_errors(run.stopped),
    )
    stopped = len(run.stopped)
    return _Done(
        SyncRunRow(1, run.commits, run.changes, len(run.tables) - stopped, stopped), progress, run.tables
    )


def _rounds(ticks: Ticks, target: str) -> int:
    """Up to where the log was at first: writes that never stop do not keep it from ending."""
    rounds, until = 0, time.monotonic() + _MOST_SECONDS
    while rounds < _MOST_TICKS and time.monotonic() < until:
        commits = ticks.commits
        try:
            ticks.run_once()
        except PositionMoved:
            ticks.reload()
        rounds += 1
        if ticks.is_done(target):
            break
        if ticks.commits == commits:
            if ticks.is_idle:
                break
            time.sleep(_WAIT_SECONDS)
    return rounds


def _after(
    progress: SyncProgress, ticks: Ticks, source: ChangeSource, sync: Sync, context: StatementContext
) -> SyncProgress:
    oldest = ticks.oldest()
    lag = Lag() if oldest is None else source.lag(oldest)
    stopped = _errors(ticks.stopped)
    return replace(
        progress,
        last_commit_at=context.now() if ticks.commits else progress.last_commit_at,
        changes=progress.changes + ticks.changes,
        failures=progress.failures + 1 if stopped else 0,
        last_error=stopped,
        lag_bytes=lag.bytes,
        lag_seconds=(context.now() - (progress.caught_up_at or sync.created_at)).total_seconds(),
        held_bytes=source.held_bytes(),
    )


def _errors(stopped: Sequence[SyncTable]) -> str | None:
    return "; ".join(f"{table.source}: {table.error}" for table in stopped) or None


def _tables(ticks: Ticks) -> list[SyncTable]:
    running = [
        replace(state.known, phase=state.position.phase.value, position=state.position.at)
        for state in ticks.tables.values()
    ]
    return [*running, *ticks.stopped]
