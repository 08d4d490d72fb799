"""The process of a virtual cluster as its server sees it."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from typing import IO, TypeVar

import pyarrow as pa

from headrace.cluster.messages import (
    Assignment,
    Cancel,
    ChangeTable,
    CommitRows,
    Describe,
    Described,
    EndSession,
    Execute,
    Failed,
    IngestFile,
    JobProgressRequest,
    Progress,
    ReadRows,
    Refreshed,
    RefreshTable,
    ReleaseRows,
    Reply,
    Request,
    RowRecorded,
    RowsCommitted,
    RowsRead,
    RowsReady,
    Started,
    StatementReply,
    Stop,
    TableChanged,
)
from headrace.errors import ClusterLost, OperationalError
from headrace.model.change import OnRecord
from headrace.results.source import Chunk, RowSource

A = TypeVar("A", bound=Reply)
OnRows = Callable[[RowSource, tuple[str, ...]], None]
"""Called with the rows of a large result, and Spark's types of its columns."""

START_SECONDS = 120
STOP_SECONDS = 20
DESCRIBE_SECONDS = 120
_WATCH_SECONDS = 2


class ClusterProcess:
    """Any thread may use it. Once the process has ended, whatever was asked of it is ClusterLost."""

    def __init__(self, assignment: Assignment, log: IO[bytes], on_record: OnRecord) -> None:
        """``on_record`` is called with each refresh and run of a task that the process records."""
        self._on_record = on_record
        self._cluster = assignment.cluster
        self._channel, theirs = multiprocessing.Pipe()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  (our own program)
                [sys.executable, "-m", "headrace.cluster.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._sending = threading.Lock()
        self._waiting: dict[str, Future[Reply]] = {}
        self._watching: dict[str, Future[Reply]] = {}
        self._started: Future[Reply] = Future()
        self._on_rows: dict[str, OnRows] = {}
        self._holding: set[str] = set()
        self._reading: dict[int, Future[Chunk]] = {}
        self._numbers = itertools.count()
        self._send(assignment)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def await_start(self) -> None:
        reply = _within(self._started, START_SECONDS)
        if reply is None:
            self.kill()
            raise ClusterLost(
                f"virtual cluster {self._cluster} did not start within {START_SECONDS} seconds",
                hint="see the logs of the lake",
            )
        if isinstance(reply, Started) and reply.error is not None:
            self.kill()
            raise reply.error

    @property
    def holds_rows(self) -> bool:
        """Whether there are large results that end with the process."""
        return bool(self._holding)

    def execute(self, request: Execute, on_rows: OnRows) -> StatementReply:
        """``on_rows`` is called when a result turns out to be large, and can be read from then on."""
        self._on_rows[request.job] = on_rows
        try:
            return self._ask(request.job, request, StatementReply)
        finally:
            del self._on_rows[request.job]

    def describe(self, request: Describe) -> Described:
        job = request.statement.job
        try:
            return self._ask(job, request, Described, DESCRIBE_SECONDS)
        except TookTooLong:
            self.cancel(job)
            raise OperationalError(
                f"the statement was not planned within {DESCRIBE_SECONDS} seconds", hint="try again"
            ) from None

    def ingest(self, request: IngestFile) -> StatementReply:
        return self._ask(request.job, request, StatementReply)

    def refresh(self, request: RefreshTable) -> Refreshed:
        return self._ask(request.job, request, Refreshed)

    def commit_rows(self, request: CommitRows) -> RowsCommitted:
        return self._ask(request.job, request, RowsCommitted)

    def change_table(self, request: ChangeTable) -> TableChanged:
        return self._ask(request.job, request, TableChanged)

    def cancel(self, job: str) -> None:
        self._send(Cancel(job))

    def progress(self, job: str) -> str | None:
        """None also where it does not answer at once."""
        asked = self._watching.setdefault(job, Future())
        self._send(JobProgressRequest(job))
        reply = _within(asked, _WATCH_SECONDS)
        return reply.line if isinstance(reply, Progress) else None

    def read_rows(self, job: str, row: int) -> Future[Chunk]:
        future: Future[Chunk] = Future()
        future.set_running_or_notify_cancel()  # whoever waits may go away, and it ends nevertheless
        number = next(self._numbers)
        self._reading[number] = future
        try:
            self._send(ReadRows(number, job, row))
        except ClusterLost as lost:
            if self._reading.pop(number, None) is not None:
                future.set_exception(lost)
        return future

    def release_rows(self, job: str) -> None:
        self._holding.discard(job)
        self._send(ReleaseRows(job))

    def end_session(self, session: str) -> None:
        self._send(EndSession(session))

    def stop(self) -> None:
        """Waits until the process has ended."""
        with suppress(ClusterLost):
            self._send(Stop())
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """With its JVM, which is of the same process group."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _ask(
        self,
        job: str,
        request: Execute | Describe | IngestFile | RefreshTable | CommitRows | ChangeTable,
        answer: type[A],
        seconds: float | None = None,
    ) -> A:
        """``seconds``: how long it may take, if there is a limit."""
        future: Future[Reply] = Future()
        self._waiting[job] = future
        try:
            self._send(request)
            reply = future.result(seconds)
        finally:
            self._waiting.pop(job, None)
        if isinstance(reply, Failed):
            raise reply.error
        if not isinstance(reply, answer):
            raise TypeError(f"{reply!r} is not a {answer.__name__}")
        return reply

    def _send(self, message: Request | Assignment) -> None:
        try:
            with self._sending:
                self._channel.send(message)
        except OSError:
            raise self._lost() from None

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._settle(self._channel.recv())
        self._process.wait()
        self._channel.close()
        for future in [self._started, *self._waiting.values(), *self._watching.values()]:
            if not future.done():
                future.set_exception(self._lost())
        while self._reading:
            with suppress(KeyError):  # whoever asked has found out already
                self._reading.popitem()[1].set_exception(self._lost())

    def _settle(self, reply: Reply) -> None:
        match reply:
            case Started():
                self._started.set_result(reply)
            case Progress():
                watching = self._watching.pop(reply.job, None)
                if watching is not None:
                    watching.set_result(reply)
            case RowRecorded():
                self._on_record(reply.row)
            case RowsReady():
                self._holding.add(reply.job)
                self._on_rows[reply.job](ProcessRows(self, reply.job, reply.schema), reply.types)
            case RowsRead():
                self._settle_read(reply)
            case _:
                future = self._waiting.get(reply.job)
                if future is not None:
                    future.set_result(reply)

    def _settle_read(self, reply: RowsRead) -> None:
        future = self._reading.pop(reply.id)
        if isinstance(reply.found, Chunk):
            future.set_result(reply.found)
        else:
            future.set_exception(reply.found)

    def _lost(self) -> ClusterLost:
        return ClusterLost(
            f"the process of virtual cluster {self._cluster} has ended",
            hint="it starts again with the next statement; committed changes are kept",
        )


class ProcessRows:
    """A large result, read from the process that stores it."""

    def __init__(self, process: ClusterProcess, job: str, schema: bytes) -> None:
        self._process = process
        self._job = job
        self.schema = pa.ipc.read_schema(pa.py_buffer(schema))

    def read(self, row: int) -> Future[Chunk]:
        return self._process.read_rows(self._job, row)

    def release(self) -> None:
        with suppress(ClusterLost):  # the rows went with it
            self._process.release_rows(self._job)


def _within(future: Future[Reply], seconds: float) -> Reply | None:
    try:
        return future.result(seconds)
    except TookTooLong:
        return None
