"""One virtual cluster: a process while there is work, none while there is not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from headrace.cluster.fair_queue import FairQueue
from headrace.cluster.process import ClusterProcess
from headrace.errors import Cancelled, ClusterLost, ClusterSuspended
from headrace.model.job import JobState
from headrace.model.vcluster import Vcluster, VclusterState

T = TypeVar("T")
OnState = Callable[[JobState], None]


class Cluster:
    """Any thread may use it."""

    def __init__(
        self,
        spec: Vcluster,
        launch: Callable[[Vcluster], ClusterProcess],
        changed: Callable[[Vcluster, VclusterState], None],
    ) -> None:
        """``changed`` hears of each new state."""
        self.spec = spec
        self._launch = launch
        self._changed = changed
        self._queue = FairQueue(spec.max_concurrency)
        self._process: ClusterProcess | None = None
        self._unready: ClusterProcess | None = None
        """While it starts."""
        self._changing = threading.Lock()
        """Held while the process starts or stops."""
        self._state = VclusterState.SUSPENDED
        self._at_work: dict[str, ClusterProcess] = {}
        self._forced: set[str] = set()
        self._idle_since = time.monotonic()

    @property
    def state(self) -> VclusterState:
        return VclusterState.SUSPENDED if self._has_lost_process() else self._state

    @property
    def running(self) -> int:
        return self._queue.running

    @property
    def queued(self) -> int:
        return self._queue.waiting

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None and process.is_alive else None

    def set(self, spec: Vcluster) -> None:
        """Settings of Spark are those of the next start."""
        self.spec = spec
        self._queue.allow(spec.max_concurrency)

    def run(self, job: str, work: Callable[[ClusterProcess], T], on_state: OnState) -> T:
        """``on_state`` hears what the job waits for."""
        with self._queue.turn(lambda: on_state(JobState.QUEUED)):
            try:
                process = self._started(on_state, job)
                on_state(JobState.RUNNING)
                return work(process)
            except ClusterLost:
                if job in self._forced:
                    raise Cancelled(f"virtual cluster {self.spec.name} was forcibly suspended") from None
                raise
            finally:
                self._forced.discard(job)
                self._at_work.pop(job, None)
                self._idle_since = time.monotonic()

    def plan(self, job: str, work: Callable[[ClusterProcess], T]) -> T:
        """Work that takes no turn: it plans a statement, while those that run may take hours."""
        try:
            return work(self._started(lambda _: None, job))
        finally:
            self._at_work.pop(job, None)
            self._idle_since = time.monotonic()

    def cancel(self, job: str) -> None:
        process = self._at_work.get(job)
        if process is not None:
            process.cancel(job)

    def progress(self, job: str) -> str | None:
        process = self._at_work.get(job)
        return process.progress(job) if process is not None else None

    def end_session(self, session: str) -> None:
        process = self._process
        if process is not None and process.is_alive:
            process.end_session(session)

    def resume(self) -> None:
        self._started(lambda _: None, None)

    def suspend(self, *, force: bool = False) -> None:
        """What runs ends first, unless by force; what comes meanwhile waits."""
        if force:
            self._forced |= self._at_work.keys()
            process = self._process
            if process is not None:
                process.kill()
        with self._changing:
            self._wait_until_idle()
            self._stop()

    def abandon_start(self) -> None:
        """Ends a process that is not ready yet; whoever waits for it gets ClusterLost."""
        process = self._unready
        if process is not None:
            process.kill()

    def notice_end(self) -> None:
        """A process that has ended without being stopped leaves the cluster suspended."""
        if not self._has_lost_process() or not self._changing.acquire(blocking=False):
            return
        try:
            if self._has_lost_process():
                self._become(VclusterState.SUSPENDED)
        finally:
            self._changing.release()

    def suspend_if_idle(self) -> None:
        """If it was idle for as long as it is to wait, and stores no rows that may still be read."""
        patience = self.spec.auto_suspend_seconds
        if patience is None or self.state is not VclusterState.RUNNING or self._queue.running:
            return
        if time.monotonic() - self._idle_since < patience or not self._changing.acquire(blocking=False):
            return
        try:
            if not self._queue.running and not (self._process and self._process.holds_rows):
                self._stop()
        finally:
            self._changing.release()

    def _has_lost_process(self) -> bool:
        return self._state is VclusterState.RUNNING and not (self._process and self._process.is_alive)

    def _become(self, state: VclusterState) -> None:
        self._state = state
        self._changed(self.spec, state)

    def _wait_until_idle(self) -> None:
        while self._at_work:
            time.sleep(0.02)

    def _stop(self) -> None:
        if self._process is None:
            return
        self._become(VclusterState.SUSPENDING)
        try:
            self._process.stop()
        finally:
            self._process = None
            self._become(VclusterState.SUSPENDED)

    def _started(self, on_state: OnState, job: str | None) -> ClusterProcess:
        """For a job, which is at work from then on, or because a user said so."""
        if self._changing.locked() or self._process is None or not self._process.is_alive:
            on_state(JobState.RESUMING_CLUSTER)
        with self._changing:
            process = self._process
            if process is None or not process.is_alive:
                if job is not None and process is None and not self.spec.auto_resume:
                    raise ClusterSuspended(
                        f"virtual cluster {self.spec.name} is suspended",
                        hint=f"start it with ALTER VCLUSTER {self.spec.name} RESUME",
                    )
                process = self._start()
            if job is not None:
                self._at_work[job] = process
            return process

    def _start(self) -> ClusterProcess:
        self._become(VclusterState.RESUMING)
        try:
            self._unready = process = self._launch(self.spec)
            process.await_start()
        except BaseException:
            self._process = None
            self._become(VclusterState.SUSPENDED)
            raise
        finally:
            self._unready = None
        self._process = process
        self._become(VclusterState.RUNNING)
        self._idle_since = time.monotonic()
        return process
