"""The process of a cluster without Spark: it answers from a list, sleeps, fails or dies when told to."""

from __future__ import annotations

import itertools
import threading

import pyarrow as pa

from headrace.cluster.messages import Answer, Execute, Refreshed, RefreshTable
from headrace.errors import ClusterLost, Error, NotFound, Place
from headrace.model.vcluster import Vcluster
from headrace.result import as_stream

_pids = itertools.count(100_000)
NUMBERS = pa.table({"n": [1, 2, 3], "s": ["a", "b", None]})


class FakeProcess:
    """``SLEEP`` waits to be cancelled, ``DIE`` ends the process, ``USE`` moves, ``BIG n`` gives n bytes."""

    def __init__(self, spec: Vcluster, *, starts_slowly: bool = False) -> None:
        self.spec = spec
        self.starts_slowly = starts_slowly
        self.is_starting = threading.Event()
        self.pid = next(_pids)
        self.is_alive = True
        self.seen: list[Execute] = []
        self.ended_sessions: list[str] = []
        self.is_killed = False
        self._cancelled: dict[str, threading.Event] = {}
        self._schema = "public"

    def await_start(self) -> None:
        self.is_starting.set()
        if self.starts_slowly:
            self._sleep("start")

    def execute(self, request: Execute) -> Answer:
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
            self._schema = words[1]
        table = pa.table({"x": ["x" * int(words[1])]}) if words[0] == "BIG" else NUMBERS
        kinds = tuple("string" if kind == pa.string() else "bigint" for kind in table.schema.types)
        return Answer(
            request.job,
            as_stream(table),
            kinds,
            ("a notice",),
            "lake",
            self._schema,
            table.num_rows,
            "tagged",
        )

    def refresh(self, request: RefreshTable) -> Refreshed:
        if request.table.table == "deadly":
            self.kill()
            raise ClusterLost("the process has ended")
        raise NotFound(f"dynamic table {request.table} does not exist")

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

    def _sleep(self, job: str) -> None:
        self._cancelled.setdefault(job, threading.Event()).wait(30)
        raise ClusterLost("cancelled by Spark") if not self.is_alive else NotFound("cancelled by Spark")


class FakeClusters:
    def __init__(self) -> None:
        self.processes: list[FakeProcess] = []
        self.failure: Error | None = None
        """Why no process starts."""
        self.start_slowly = False
        self.launched = threading.Event()

    def launch(self, spec: Vcluster) -> FakeProcess:
        if self.failure is not None:
            raise self.failure
        self.processes.append(FakeProcess(spec, starts_slowly=self.start_slowly))
        self.launched.set()
        return self.processes[-1]

    @property
    def last(self) -> FakeProcess:
        return self.processes[-1]
