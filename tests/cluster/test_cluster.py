"""A virtual cluster whose process is on paper."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from headrace.cluster.cluster import Cluster
from headrace.cluster.pool import Pool, spark_settings
from headrace.errors import Cancelled, ClusterLost, ClusterSuspended, NotFound, OperationalError
from headrace.model.job import JobState
from headrace.model.vcluster import Vcluster, VclusterState
from tests.schedule.tables import NOON

WAIT = 10


class PaperProcess:
    def __init__(self) -> None:
        self.is_alive = True
        self.pid = 4711
        self.cancelled: list[str] = []
        self.gone = threading.Event()
        self.stopped = False
        self.holds_rows = False
        self.fails_to_start: OperationalError | None = None

    def await_start(self) -> None:
        if self.fails_to_start:
            self.is_alive = False
            raise self.fails_to_start

    def work(self, seconds: float = 0.0) -> str:
        """Ends when its time is up, or with the process."""
        if self.gone.wait(seconds):
            raise ClusterLost("the process of virtual cluster v has ended")
        return "done"

    def cancel(self, job: str) -> None:
        self.cancelled.append(job)

    def progress(self, job: str) -> str:
        return f"{job} is half done"

    def stop(self) -> None:
        self.stopped = True
        self.kill()

    def kill(self) -> None:
        self.is_alive = False
        self.gone.set()


class Bench:
    def __init__(self, **options: Any) -> None:
        self.processes: list[PaperProcess] = []
        self.states: list[VclusterState] = []
        self.next_fails: OperationalError | None = None
        spec = replace(Vcluster("id-v", "v", "someone", NOON, NOON), **options)
        self.cluster = Cluster(spec, self.launch, lambda _, state: self.states.append(state))

    def launch(self, _: Vcluster) -> Any:
        process = PaperProcess()
        process.fails_to_start, self.next_fails = self.next_fails, None
        self.processes.append(process)
        return process

    def run(self, job: str, work: Callable[[Any], Any] = PaperProcess.work) -> tuple[Any, list[JobState]]:
        heard: list[JobState] = []
        return self.cluster.run(job, work, heard.append), heard


def in_thread(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:  # noqa: BLE001  (the test looks at it)
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


def test_it_starts_when_work_comes():
    bench = Bench()
    assert bench.cluster.state is VclusterState.SUSPENDED
    assert bench.run("j1") == ("done", [JobState.RESUMING_CLUSTER, JobState.RUNNING])
    assert bench.run("j2") == ("done", [JobState.RUNNING])
    assert len(bench.processes) == 1
    assert bench.states == [VclusterState.RESUMING, VclusterState.RUNNING]


def test_without_auto_resume_work_is_refused_until_it_is_resumed():
    bench = Bench(auto_resume=False)
    with pytest.raises(ClusterSuspended, match="virtual cluster v is suspended") as caught:
        bench.run("j")
    assert caught.value.hint == "start it with ALTER VCLUSTER v RESUME"
    bench.cluster.resume()
    assert bench.run("j")[0] == "done"


def test_above_its_concurrency_work_is_queued():
    bench = Bench(max_concurrency=1)
    bench.cluster.resume()
    first, _ = in_thread(lambda: bench.run("j1", lambda process: process.work(0.3)))
    until(lambda: bench.cluster.running == 1)
    assert bench.run("j2")[1] == [JobState.QUEUED, JobState.RUNNING]
    first.join(WAIT)
    assert (bench.cluster.running, bench.cluster.queued) == (0, 0)


def test_suspending_waits_for_what_runs():
    bench = Bench()
    thread, outcome = in_thread(lambda: bench.run("j", lambda process: process.work(0.3)))
    until(lambda: bench.cluster.running == 1 and bench.cluster.state is VclusterState.RUNNING)
    bench.cluster.suspend()
    thread.join(WAIT)
    assert outcome[0][0] == "done"
    assert bench.processes[0].stopped
    assert bench.cluster.state is VclusterState.SUSPENDED


def test_force_ends_what_runs():
    bench = Bench()
    thread, outcome = in_thread(lambda: bench.run("j", lambda process: process.work(WAIT)))
    until(lambda: bench.cluster.running == 1 and bench.cluster.state is VclusterState.RUNNING)
    bench.cluster.suspend(force=True)
    thread.join(WAIT)
    assert isinstance(outcome[0], Cancelled)
    assert outcome[0].message == "virtual cluster v was forcibly suspended"


def test_work_that_comes_while_it_stops_starts_it_again():
    bench = Bench()
    bench.run("j1")
    bench.cluster.suspend()
    assert bench.run("j2") == ("done", [JobState.RESUMING_CLUSTER, JobState.RUNNING])
    assert len(bench.processes) == 2


def test_after_a_crash_it_starts_again_even_without_auto_resume():
    bench = Bench(auto_resume=False)
    bench.cluster.resume()
    thread, outcome = in_thread(lambda: bench.run("j", lambda process: process.work(WAIT)))
    until(lambda: bench.cluster.running == 1)
    bench.processes[0].kill()
    thread.join(WAIT)
    assert isinstance(outcome[0], ClusterLost)
    assert bench.cluster.state is VclusterState.SUSPENDED
    assert bench.run("j2")[0] == "done"


def test_a_start_that_fails_is_told_and_tried_again():
    bench = Bench()
    bench.next_fails = OperationalError("Spark did not start")
    with pytest.raises(OperationalError, match="Spark did not start"):
        bench.run("j")
    assert bench.cluster.state is VclusterState.SUSPENDED
    assert bench.run("j")[0] == "done"


def test_idle_clusters_are_suspended():
    bench = Bench(auto_suspend_seconds=0)
    bench.run("j")
    bench.cluster.suspend_if_idle()
    assert bench.states[-2:] == [VclusterState.SUSPENDING, VclusterState.SUSPENDED]
    patient = Bench(auto_suspend_seconds=60)
    patient.run("j")
    patient.cluster.suspend_if_idle()
    assert patient.cluster.state is VclusterState.RUNNING
    restless = Bench(auto_suspend_seconds=None)
    restless.run("j")
    restless.cluster.suspend_if_idle()
    assert restless.cluster.state is VclusterState.RUNNING


def test_a_busy_cluster_is_not_idle():
    bench = Bench(auto_suspend_seconds=0)
    thread, outcome = in_thread(lambda: bench.run("j", lambda process: process.work(0.2)))
    until(lambda: bench.cluster.running == 1 and bench.cluster.state is VclusterState.RUNNING)
    bench.cluster.suspend_if_idle()
    thread.join(WAIT)
    assert outcome[0][0] == "done"


def test_cancel_and_progress_reach_the_process_of_the_job():
    bench = Bench()
    thread, _ = in_thread(lambda: bench.run("j", lambda process: process.work(0.3)))
    until(lambda: bench.cluster.progress("j") is not None)
    assert bench.cluster.progress("j") == "j is half done"
    bench.cluster.cancel("j")
    assert bench.processes[0].cancelled == ["j"]
    thread.join(WAIT)
    assert bench.cluster.progress("j") is None


def test_a_pool_knows_its_clusters_by_any_case():
    bench = Bench()
    pool = Pool(bench.launch, lambda *_: None)
    pool.set(bench.cluster.spec)
    assert pool.cluster("V").spec.name == "v"
    with pytest.raises(NotFound, match="virtual cluster w does not exist"):
        pool.cluster("w")
    pool.set(replace(bench.cluster.spec, max_concurrency=3))
    assert pool.cluster("v").spec.max_concurrency == 3
    pool.set(replace(bench.cluster.spec, id="id-w", name="w"))
    pool.cluster("w").resume()
    pool.remove("w")
    assert not bench.processes[0].is_alive
    pool.close()


def test_a_pool_follows_what_other_servers_change():
    bench = Bench()
    mine = bench.cluster.spec
    pool = Pool(bench.launch, lambda *_: None)
    pool.follow([mine, replace(mine, id="id-w", name="w")])
    pool.cluster("w").resume()
    later = mine.modified_at + timedelta(seconds=1)
    pool.follow([replace(mine, max_concurrency=3, modified_at=later)])
    assert pool.cluster("v").spec.max_concurrency == 3
    with pytest.raises(NotFound):
        pool.cluster("w")
    assert not bench.processes[0].is_alive
    pool.close()


def test_settings_of_spark_by_size():
    spec = Bench(size=1).cluster.spec
    assert spark_settings(spec)["spark.master"] == "local[1]"
    named = replace(spec, properties={"spark.master": "spark://host:7077", "spark.executor.memory": "2g"})
    assert spark_settings(named)["spark.master"] == "spark://host:7077"
    assert spark_settings(named)["spark.executor.memory"] == "2g"
