"""Clusters, tasks, runs and jobs to store: plain ones, and strategies that fill every field."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from headrace.model.job import Job, JobKind, JobState
from headrace.model.task import (
    CronSchedule,
    IntervalSchedule,
    RunState,
    RunTrigger,
    Task,
    TaskKind,
    TaskRun,
    TaskState,
)
from headrace.model.vcluster import Vcluster, VclusterState, VclusterType

from .samples import COUNTS, MOMENTS, NOON, SECONDS, TEXTS, WORDS, maybe, tuples


def vcluster(name: str, **more: Any) -> Vcluster:
    fields = {"id": f"id of {name}", "creator": "ann", "created_at": NOON, "modified_at": NOON}
    return Vcluster(name=name, **(fields | more))


def task(name: str, **more: Any) -> Task:
    fields = {
        "id": f"id of {name}",
        "kind": TaskKind.SQL,
        "body": "select 1",
        "creator": "ann",
        "created_at": NOON,
        "modified_at": NOON,
    }
    return Task(name=name, **(fields | more))


def run(run_id: str, task_id: str = "t", minute: int = 0, **more: Any) -> TaskRun:
    fields = {
        "task": "name",
        "scheduled_time": NOON + timedelta(minutes=minute),
        "state": RunState.SUCCEED,
        "trigger": RunTrigger.SCHEDULED,
    }
    return TaskRun(run_id=run_id, task_id=task_id, **(fields | more))


def job(job_id: str, minute: int = 0, **more: Any) -> Job:
    fields = {
        "kind": JobKind.STATEMENT,
        "statement": "select 1",
        "cluster": "default",
        "creator": "ann",
        "state": JobState.SUCCEED,
        "submitted_at": NOON + timedelta(minutes=minute),
    }
    return Job(job_id=job_id, **(fields | more))


IDS = st.uuids().map(str)
SETTINGS = st.dictionaries(TEXTS, TEXTS, max_size=4)

VCLUSTERS = st.builds(
    Vcluster,
    id=IDS,
    name=IDS,
    creator=TEXTS,
    created_at=MOMENTS,
    modified_at=MOMENTS,
    type=st.sampled_from(VclusterType),
    size=st.integers(1, 2**63 - 1),
    auto_suspend_seconds=maybe(COUNTS),
    auto_resume=st.booleans(),
    max_concurrency=st.integers(1, 2**63 - 1),
    comment=maybe(TEXTS),
    properties=SETTINGS,
    state=st.sampled_from(VclusterState),
)

TASKS = st.builds(
    Task,
    id=IDS,
    name=IDS,
    kind=st.sampled_from(TaskKind),
    body=TEXTS,
    creator=TEXTS,
    created_at=MOMENTS,
    modified_at=MOMENTS,
    workspace=WORDS,
    schema=WORDS,
    cluster=WORDS,
    schedule=st.none()
    | st.builds(IntervalSchedule, st.integers(1, 2**63 - 1), maybe(MOMENTS))
    | st.builds(CronSchedule, WORDS, maybe(WORDS)),
    after=tuples(WORDS),
    retries=COUNTS,
    backoff_seconds=COUNTS,
    timeout_seconds=maybe(COUNTS),
    parameters=SETTINGS,
    comment=maybe(TEXTS),
    state=st.sampled_from(TaskState),
)

RUNS = st.builds(
    TaskRun,
    run_id=IDS,
    task_id=WORDS,
    task=TEXTS,
    scheduled_time=MOMENTS,
    state=st.sampled_from(RunState),
    trigger=st.sampled_from(RunTrigger),
    attempt=st.integers(1, 2**31 - 1),
    start_time=maybe(MOMENTS),
    end_time=maybe(MOMENTS),
    parameters=SETTINGS,
    error_message=maybe(TEXTS),
    log=TEXTS,
    job_ids=tuples(WORDS),
)

JOBS = st.builds(
    Job,
    job_id=IDS,
    kind=st.sampled_from(JobKind),
    statement=TEXTS,
    cluster=WORDS,
    creator=TEXTS,
    state=st.sampled_from(JobState),
    submitted_at=MOMENTS,
    start_time=maybe(MOMENTS),
    end_time=maybe(MOMENTS),
    tag=maybe(TEXTS),
    error_message=maybe(TEXTS),
    rows=maybe(COUNTS),
    cluster_seconds=maybe(SECONDS),
    notices=st.lists(TEXTS, max_size=3).map(tuple),
)
