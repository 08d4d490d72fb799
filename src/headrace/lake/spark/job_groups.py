"""The Spark jobs of one statement or refresh: watched together, cancelled together."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from pyspark import SparkContext

from headrace.errors import EngineLost
from headrace.lake.spark.engine import engine_needed

_JOB_GROUP = "spark.jobGroup.id"
_POOL = "spark.scheduler.pool"
_CANCEL_AGAIN_SECONDS = 0.1


class JobGroups:
    """Those of one session."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._running: set[str] = set()
        self._cancelled: set[str] = set()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def group(self, name: str | None = None) -> Iterator[str]:
        """Jobs started inside by this thread belong to it; inner groups join the outer one."""
        outer = self._context.getLocalProperty(_JOB_GROUP)
        if outer is not None:
            yield outer
            return
        group = name or f"headrace-{uuid.uuid4().hex}"
        with _pools.one() as pool:
            self._context.setJobGroup(group, group, interruptOnCancel=True)
            self._context.setLocalProperty(_POOL, pool)
            with self._lock:
                self._running.add(group)
            try:
                yield group
            finally:
                with self._lock:
                    self._running.discard(group)
                    self._cancelled.discard(group)
                for own in (_JOB_GROUP, _POOL):
                    self._context.setLocalProperty(own, None)  # type: ignore[arg-type]

    def cancel(self) -> None:
        """Stops what runs now, and what the same statements would still start; waits for none of it."""
        with self._lock:
            groups = self._running - self._cancelled
            self._cancelled |= groups
        for group in groups:
            is_over = partial(self._is_over, group)
            threading.Thread(
                target=cancel_until_over, args=(self._context, group, is_over), daemon=True
            ).start()

    def _is_over(self, group: str) -> bool:
        return group not in self._running

    def progress(self) -> str | None:
        """What Spark is at, in a few words."""
        with self._lock:
            groups = list(self._running)
        return progress_of(self._context, groups)


class _Pools:
    """Groups that run at once have a pool each, so that Spark gives all of them their share of its cores.

    Spark keeps every pool for ever, and so the same few serve again.
    """

    def __init__(self) -> None:
        self._taken: set[int] = set()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def one(self) -> Iterator[str]:
        with self._lock:
            number = next(each for each in itertools.count() if each not in self._taken)
            self._taken.add(number)
        try:
            yield f"headrace-{number}"
        finally:
            with self._lock:
                self._taken.remove(number)


_pools = _Pools()


def cancel_until_over(context: SparkContext, group: str, is_over: Callable[[], bool]) -> None:
    """Again and again: a query that is planned as it goes may start a stage after Spark cancelled its group,
    and only of whole jobs does Spark then look whether they are of a group that was cancelled."""
    spark: Any = context._jsc
    with contextlib.suppress(EngineLost), engine_needed():
        while not is_over():
            spark.sc().cancelJobGroupAndFutureJobs(group)
            time.sleep(_CANCEL_AGAIN_SECONDS)


def progress_of(context: SparkContext, groups: Iterable[str]) -> str | None:
    tracker = context.statusTracker()
    done = total = 0
    for group in groups:
        for job in tracker.getJobIdsForGroup(group):
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info is not None and info.status == "RUNNING" else ():
                tasks = tracker.getStageInfo(stage)
                if tasks is not None:
                    done, total = done + tasks.numCompletedTasks, total + tasks.numTasks
    return f"{done} of {total} Spark tasks done" if total else None
