"""All rows that clients stream into tables through this process.

A request is acknowledged when its rows are in a write-ahead file, synced. They are committed to their table
when they have waited for its interval, when they are many, and before a statement that may read the table is
run. What a process leaves behind when it ends is committed by the next one.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from headrace.errors import Error, InterfaceError, InternalError, WritersThrottled
from headrace.ingest.stream_writers.left_files import LeftFile, in_order, left_file
from headrace.ingest.stream_writers.pending_table import SUFFIX, Amount, PendingTable
from headrace.ingest.stream_writers.requests import (
    WriteRequest,
    expect_keys,
    key_ids,
    payload_of,
    record_of,
)
from headrace.ingest.stream_writers.targets import FoundTarget, Targets
from headrace.lake.table.write_target import WriteTarget
from headrace.lake.write_ahead.open_segment import sync_directory
from headrace.lake.write_ahead.segment import Owner
from headrace.model.client_positions import MOST_CLIENTS, ClientPositions, StreamCommit, checked_client
from headrace.model.clock import Clock
from headrace.model.events import log_event
from headrace.model.names import TableName
from headrace.model.periodic import PeriodicLoop
from headrace.views.stream_writers import StreamWriterRow

INTERVAL_PROPERTY = "headrace.stream.commit-interval-seconds"
_LOOK_SECONDS = 0.5
_ADOPT_SECONDS = 10.0
_RETRY_SECONDS = 5.0
"""After a commit that failed."""
_EARLY = 4
"""A table is committed before its time when it has that part of what all may have."""
_LOCK = "owner.lock"
_DRAFT = "draft-"
"""Of a directory that is not locked yet."""


@dataclass(frozen=True)
class CommitOrder:
    table: TableName
    uuid: str
    files: Sequence[Path]
    ended: Collection[str]
    cluster: str | None = None
    """On which it is done; None: wherever."""


class Commit(Protocol):
    def __call__(self, order: CommitOrder, /) -> StreamCommit: ...


@dataclass(frozen=True)
class Limits:
    commit_seconds: int
    pending_bytes: int


@dataclass(frozen=True)
class WriterState:
    """What a client has to know before it writes."""

    table: TableName
    target: WriteTarget
    last_sequence: int


class StreamWrites(PeriodicLoop):
    def __init__(
        self,
        directory: Path,
        targets: Targets,
        commit: Commit,
        readers: Callable[[], Iterable[TableName]],
        limits: Limits,
        clock: Clock,
    ) -> None:
        """``readers`` are the views and table streams: by their names, any table may be read."""
        super().__init__("stream writers", _LOOK_SECONDS)
        self._targets = targets
        self._commit = commit
        self._readers = readers
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._tables: dict[str, PendingTable] = {}
        self._home = directory
        self._own = directory / secrets.token_hex(8)
        self._owner_lock: int | None = None
        self._adopted_at = 0.0
        self._threads: list[threading.Thread] = []
        self.adopt()

    def state(self, name: TableName, client: str) -> WriterState:
        found = self._targets.find(name)
        with self._lock:
            pending = self._tables.get(found.target.uuid)
        here = 0 if pending is None else pending.last_sequence(checked_client(client))
        last = max(here, found.target.positions.sequence_of(client))
        return WriterState(found.name, found.target, last)

    def write(
        self, name: TableName, request: WriteRequest, read: Callable[[pa.Schema], pa.Table]
    ) -> tuple[int, bool]:
        """Returns once the rows are durable: how many, and whether they had come before.

        ``read`` gives the rows in the columns of the table.
        """
        found = self._targets.find(name)
        ids = key_ids(request, found.target)
        rows = read(found.target.schema)
        expect_keys(rows, ids)
        head = record_of(request, rows, ids, self.now())
        pending = self._pending(found)
        self._expect_room(pending, found, request.client)
        committed = found.target.positions.sequence_of(request.client)
        is_new = pending.write(head, payload_of(rows), committed)
        return rows.num_rows, not is_new

    def end(self, name: TableName, client: str) -> None:
        found = self._targets.find(name)
        with self._lock:
            pending = self._tables.get(found.target.uuid)
        if pending is not None:
            pending.end(client)

    def flush(self, name: TableName, cluster: str | None = None) -> None:
        """Returns when all that came before is committed."""
        found = self._targets.find(name)
        with self._lock:
            pending = self._tables.get(found.target.uuid)
        if pending is not None:
            self._commit_now(pending, cluster)

    def commit_before(self, texts: Iterable[str], cluster: str | None = None) -> list[str]:
        """Before a statement that may read tables; ``texts`` are it and what made its session.

        What cannot be committed is not in the way of the statement: the answer says so.
        """
        waiting = [table for table in self._all() if table.committed_records < table.received]
        if not waiting:
            return []
        text = "\n".join(texts)
        if not _reads_any(text, self._readers()):
            waiting = [table for table in waiting if _names(text, table.owner.table.table)]
        return self._commit_each(waiting, cluster)

    def commit_all(self) -> list[str]:
        """What cannot be committed is named by the answer."""
        return self._commit_each(self._all(), None)

    def _commit_each(self, tables: Iterable[PendingTable], cluster: str | None) -> list[str]:
        notices = []
        for table in tables:
            try:
                self._commit_now(table, cluster)
            except Error as error:
                notices.append(
                    f"rows that stream writers have written to {table.owner.table} are not in the table yet:"
                    f" {error.message}"
                )
        return notices

    def look(self) -> None:
        now = time.monotonic()
        if now - self._adopted_at > _ADOPT_SECONDS:
            self.adopt()
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for table in self._all():
            if self._is_due(table) and not table.committing.locked():
                thread = threading.Thread(
                    target=self._commit_due, args=(table,), daemon=True, name=f"commit {table.owner.table}"
                )
                self._threads.append(thread)
                thread.start()

    def stop(self, *, commit: bool) -> None:
        self.stop_looking()
        for thread in self._threads:
            thread.join()
        for table in self._all():
            if commit:
                self._commit_due(table)
            table.close()
        if self._owner_lock is not None:
            os.close(self._owner_lock)
            (self._own / _LOCK).unlink(missing_ok=True)
            with suppress(OSError):  # rows wait in it
                self._own.rmdir()

    def rows(self) -> list[StreamWriterRow]:
        """Of all clients that have written since this process began."""
        found = []
        for table in self._all():
            state = table.commit_state
            for client, amount in sorted(table.amounts().items()):
                found.append(
                    StreamWriterRow.of(
                        table.owner.table,
                        client,
                        table.last_sequence(client),
                        amount.rows,
                        amount.bytes,
                        amount.oldest,
                        state.at,
                        state.error,
                    )
                )
        return sorted(found, key=lambda row: (row.schema_name, row.table_name, row.client))

    def now(self) -> float:
        """In seconds since 1970."""
        return self._clock().timestamp()

    def amounts(self) -> dict[TableName, Amount]:
        """What waits for its commit, by table."""
        return {table.owner.table: table.amount() for table in self._all()}

    def adopt(self) -> None:
        """Takes over the files of processes that have ended."""
        self._adopted_at = time.monotonic()
        if not self._home.is_dir():
            return
        with ExitStack() as locks:
            left = [each for each in sorted(self._home.iterdir()) if self._is_left(each, locks)]
            paths = [path for each in left for path in sorted(each.glob(f"*{SUFFIX}"))]
            for file in in_order([file for path in paths if (file := left_file(path)) is not None]):
                self._adopt(file)
            for directory in left:
                (directory / _LOCK).unlink(missing_ok=True)
                with suppress(OSError):  # another process is about to do the same
                    directory.rmdir()

    def _is_left(self, directory: Path, locks: ExitStack) -> bool:
        """Whether no process has the directory. Then this one has it, as long as the locks are held."""
        if directory == self._own or not directory.is_dir() or directory.name.startswith(_DRAFT):
            return False
        try:
            lock = os.open(directory / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        except FileNotFoundError:  # another process has taken it over
            return False
        locks.callback(os.close, lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _adopt(self, file: LeftFile) -> None:
        self._table(file.owner).adopt(file.path, file.heads, file.path.stat().st_size)
        log_event(
            "stream rows found",
            table=str(file.owner.table),
            requests=len(file.heads),
            torn_bytes=file.torn_bytes or None,
        )

    def _pending(self, found: FoundTarget) -> PendingTable:
        pending = self._table(Owner(found.name, found.target.uuid))
        pending.rename(found.name)
        return pending

    def _table(self, owner: Owner) -> PendingTable:
        with self._lock:
            known = self._tables.get(owner.uuid)
            if known is None:
                self._claim_directory()
                known = self._tables[owner.uuid] = PendingTable(owner, self._own)
            return known

    def _claim_directory(self) -> None:
        if self._owner_lock is None:
            draft = self._home / f"{_DRAFT}{self._own.name}"
            draft.mkdir(parents=True, mode=0o700)
            self._owner_lock = os.open(draft / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(self._owner_lock, fcntl.LOCK_EX)
            draft.rename(self._own)
            sync_directory(self._home)
            sync_directory(self._home.parent)

    def _all(self) -> list[PendingTable]:
        with self._lock:
            return list(self._tables.values())

    def _expect_room(self, pending: PendingTable, found: FoundTarget, client: str) -> None:
        waiting = sum(amount.bytes for amount in self.amounts().values())
        if waiting >= self._limits.pending_bytes:
            error = pending.commit_state.error
            reason = "" if error is None else f"; the last commit failed: {error.message}"
            raise WritersThrottled(
                f"{waiting >> 20} MB of stream writers wait for their commit{reason}",
                hint="send the request again in a few seconds",
            )
        known = found.target.positions.clients.keys() | pending.amounts().keys()
        if client not in known and len(known) >= MOST_CLIENTS:
            raise InterfaceError(
                f"{MOST_CLIENTS} clients have written to table {found.name} in the last days",
                hint="use the id of a client again instead of a new one each time, or close writers",
            )

    def _is_due(self, table: PendingTable) -> bool:
        amount, state = table.amount(), table.commit_state
        if amount.oldest is None or time.monotonic() - state.tried_at < _RETRY_SECONDS * (
            state.error is not None
        ):
            return False
        if amount.bytes * _EARLY >= self._limits.pending_bytes:
            return True
        return self.now() - amount.oldest >= self._interval(table)

    def _interval(self, table: PendingTable) -> float:
        with suppress(Error, ValueError):
            properties = self._targets.find(table.owner.table).target.properties
            return float(properties.get(INTERVAL_PROPERTY, self._limits.commit_seconds))
        return self._limits.commit_seconds

    def _commit_due(self, table: PendingTable) -> None:
        with suppress(Error):  # it is in the state of the table
            self._commit_now(table, None)

    def _commit_now(self, table: PendingTable, cluster: str | None) -> None:
        """All that has come up to now. Those who wait for each other's commit share one."""
        wanted = table.received
        with table.committing:
            if table.committed_records >= wanted:
                return
            state = table.commit_state
            state.tried_at = time.monotonic()
            try:
                self._commit_sealed(table, cluster)
            except Exception as problem:
                error = problem if isinstance(problem, Error) else InternalError.of(problem)
                if state.error is None or state.error.message != error.message:
                    trace = None if error is problem else problem
                    log_event(
                        "stream commit failed",
                        level=logging.INFO if trace is None else logging.ERROR,
                        exception=trace,
                        table=str(table.owner.table),
                        error=error.message,
                    )
                state.error = error
                raise error from problem
            state.at, state.error = self._clock(), None

    def _commit_sealed(self, table: PendingTable, cluster: str | None) -> None:
        started = time.monotonic()
        files, records = table.seal()
        ended = table.ended
        name = self._targets.named(table.owner.uuid, table.owner.table)
        if name is None:
            rows = table.amount().rows
            table.committed(files, records, ClientPositions(), ended)
            log_event("stream rows dropped with their table", table=str(table.owner.table), rows=rows)
            return
        table.rename(name)
        done = self._commit(CommitOrder(name, table.owner.uuid, files, ended, cluster))
        table.committed(files, records, ClientPositions.from_json(done.positions), ended)
        seconds = round(time.monotonic() - started, 3)
        log_event("stream commit", table=str(name), rows=done.rows, requests=records, seconds=seconds)


def _reads_any(text: str, readers: Iterable[TableName]) -> bool:
    """Whether a statement may read tables that it does not name."""
    is_indirect = re.search(r"\b(IDENTIFIER\s*\(|EXECUTE\s+IMMEDIATE\b|REFRESH\b)", text, re.IGNORECASE)
    return is_indirect is not None or any(_names(text, reader.table) for reader in readers)


def _names(text: str, table: str) -> bool:
    """Whether the name is anywhere in the text, be it in a comment or a string."""
    escaped = re.escape(table)
    return re.search(rf"(?<!\w){escaped}(?!\w)", text.replace("``", "`"), re.IGNORECASE) is not None
