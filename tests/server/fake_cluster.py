"""The process of a cluster without Spark: it answers from a list, sleeps, fails or dies when told to."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from headrace.cluster.messages import (
    ChangeTable,
    CommitRows,
    Describe,
    Described,
    Execute,
    IngestFile,
    Refreshed,
    RefreshTable,
    RowsCommitted,
    StatementReply,
    TableChanged,
)
from headrace.cluster.process import OnRows
from headrace.errors import ClusterLost, Error, NotFound, Place
from headrace.model.vcluster import Vcluster
from headrace.result import as_stream
from headrace.results.budget import ResultLimits
from headrace.results.source import INLINE_BYTES, Chunk
from headrace.results.spool import Spool, whole_stream, write_table
from headrace.results.spools import Spools

_pids = itertools.count(100_000)
_threads = ThreadPoolExecutor(4)
LIMITS = ResultLimits(1, 1000, 2000, Path(tempfile.gettempdir()))
NUMBERS = pa.table({"n": [1, 2, 3], "s": ["a", "b", None]})


class FakeProcess:
    """``SLEEP`` waits to be cancelled, ``DIE`` ends the process, ``USE`` moves, ``BIG n`` gives n bytes.

    ``MANY n`` gives n thousand rows of a kilobyte; with ``UNTIL_CANCELLED`` it goes on after them.
    """

    def __init__(
        self,
        spec: Vcluster,
        *,
        starts_slowly: bool = False,
        commit: Callable[[CommitRows], RowsCommitted] | None = None,
    ) -> None:
        """``commit`` takes the rows of stream writers."""
        self.spec = spec
        self.commit = commit
        self.starts_slowly = starts_slowly
        self.is_starting = threading.Event()
        self.pid = next(_pids)
        self.is_alive = True
        self.seen: list[Execute] = []
        self.changes: list[ChangeTable] = []
        self.described: list[Execute] = []
        self.ingested: list[tuple[IngestFile, pa.Table]] = []
        self.ended_sessions: list[str] = []
        self.is_killed = False
        self._cancelled: dict[str, threading.Event] = {}
        self._schema = "public"
        self.results = Spools(LIMITS)
        self.rows_read: set[str] = set()

    def await_start(self) -> None:
        self.is_starting.set()
        if self.starts_slowly:
            self._sleep("start")

    @property
    def holds_rows(self) -> bool:
        return bool(self.rows_read)

    def execute(self, request: Execute, on_rows: OnRows) -> StatementReply:
        self.seen.append(request)
        if "SLEEP" in request.text:
            self._sleep(request.job)
        if "DIE" in request.text:
            self.is_alive = False
            raise ClusterLost("the process has ended", hint="it starts again with the next statement")
        if "nosuch" in request.text:
            column = request.text.index("nosuch") + 1
            raise NotFound("there is no nosuch", hint="look", place=Place(1, column, request.text, 6))
        if "bug" in request.text:
            raise ValueError("a secret: hr_123")
        words = request.text.split()
        if words[0] == "USE":
            self._schema = words[1].strip("`")
        table = _table(words)
        kinds = tuple("string" if kind == pa.string() else "bigint" for kind in table.schema.types)
        spool = self.results.open(request.job, request.session)
        spool.notify_above(INLINE_BYTES, lambda: on_rows(FakeRows(self, request.job), kinds))
        write_table(table, spool)
        is_small = spool.usage.total <= INLINE_BYTES
        if "UNTIL_CANCELLED" in request.text:
            self._fail_when_cancelled(request.job, spool)
        return StatementReply(
            request.job,
            whole_stream(spool) if is_small else None,
            kinds,
            ("a notice",),
            "lake",
            self._schema,
            table.num_rows,
            "tagged",
        )

    def describe(self, request: Describe) -> Described:
        self.described.append(request.statement)
        if "nosuch" in request.statement.text:
            raise NotFound("there is no nosuch", hint="look")
        schema = _table(request.statement.text.split()).schema
        return Described(request.statement.job, bytes(schema.serialize()))

    def ingest(self, request: IngestFile) -> StatementReply:
        self.ingested.append((request, pq.read_table(request.file)))
        if "deadly" in request.write:
            raise ClusterLost("the process has ended")
        return StatementReply(request.job, as_stream(pa.table({})), (), (), "lake", "public")

    def refresh(self, request: RefreshTable) -> Refreshed:
        if request.table.table == "deadly":
            self.kill()
            raise ClusterLost("the process has ended")
        raise NotFound(f"dynamic table {request.table} does not exist")

    def commit_rows(self, request: CommitRows) -> RowsCommitted:
        if self.commit is None:
            raise NotFound("there is no table")
        return self.commit(request)

    def change_table(self, request: ChangeTable) -> TableChanged:
        self.changes.append(request)
        if request.table.table == "deadly":
            self.kill()
            raise ClusterLost("the process has ended")
        return TableChanged(request.job, '{"made": true}')

    def cancel(self, job: str) -> None:
        self._cancelled.setdefault(job, threading.Event()).set()

    def progress(self, job: str) -> str | None:
        return "1 of 2 Spark tasks done"

    def end_session(self, session: str) -> None:
        self.ended_sessions.append(session)

    def stop(self) -> None:
        self.is_alive = False

    def kill(self) -> None:
        self.is_alive, self.is_killed = False, True
        for event in self._cancelled.values():
            event.set()

    def _fail_when_cancelled(self, job: str, spool: Spool) -> None:
        try:
            self._sleep(job)
        except Error as error:
            spool.fail(error)
            raise

    def _sleep(self, job: str) -> None:
        self._cancelled.setdefault(job, threading.Event()).wait(30)
        raise ClusterLost("cancelled by Spark") if not self.is_alive else NotFound("cancelled by Spark")


class FakeRows:
    def __init__(self, process: FakeProcess, job: str) -> None:
        self._process = process
        self._job = job
        self.schema = process.results.find(job).schema
        process.rows_read.add(job)

    def read(self, row: int) -> Future[Chunk]:
        if not self._process.is_alive:
            lost: Future[Chunk] = Future()
            lost.set_exception(ClusterLost("the process has ended"))
            return lost
        return _threads.submit(lambda: self._process.results.find(self._job).read(row, 0.2))

    def release(self) -> None:
        self._process.rows_read.discard(self._job)
        self._process.results.release(self._job)


def _table(words: list[str]) -> pa.Table:
    match words:
        case ["BIG", size]:
            return pa.table({"x": ["x" * int(size)]})
        case ["MANY", count, *_]:
            batches = [
                pa.record_batch({"n": range(start * 1000, start * 1000 + 1000), "s": ["x" * 1000] * 1000})
                for start in range(int(count))
            ]
            return pa.Table.from_batches(batches)
    return NUMBERS


class FakeClusters:
    def __init__(self) -> None:
        self.processes: list[FakeProcess] = []
        self.failure: Error | None = None
        """Why no process starts."""
        self.start_slowly = False
        self.commit: Callable[[CommitRows], RowsCommitted] | None = None
        self.launched = threading.Event()

    def launch(self, spec: Vcluster) -> FakeProcess:
        if self.failure is not None:
            raise self.failure
        self.processes.append(FakeProcess(spec, starts_slowly=self.start_slowly, commit=self.commit))
        self.launched.set()
        return self.processes[-1]

    @property
    def last(self) -> FakeProcess:
        return self.processes[-1]
