"""What every metadata database must do for clusters, tasks, jobs, tokens and leases."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import pytest
from hypothesis import given

from headrace.catalog.store import MetadataStore
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.model.access_token import AccessToken, Principal
from headrace.model.alert import AlertKind, FiredAlert
from headrace.model.backfill import Backfill, BackfillItem, BackfillState
from headrace.model.job import Job, JobState
from headrace.model.lease import Lease
from headrace.model.role import Role
from headrace.model.task import RunState, Task, TaskRun, TaskState
from headrace.model.vcluster import Vcluster, VclusterState, VclusterType
from tests.sampling import fresh_seeds

from .conformance import NAIVE, one_store
from .operation_samples import JOBS, RUNS, TASKS, VCLUSTERS, job, run, task, vcluster
from .samples import NOON

LATER = NOON + timedelta(days=1)

LEASER = """
import random, sys, time
from datetime import datetime, UTC
from headrace.catalog.store import MetadataStore

store, me = MetadataStore.open(sys.argv[1]), sys.argv[2]
chance = random.Random(me)
for _ in range(60):
    if store.leases.take("k", me, datetime.now(UTC), 30):
        print("in", time.monotonic_ns(), flush=True)
        time.sleep(chance.random() / 300)
        print("out", time.monotonic_ns(), flush=True)
        store.leases.release("k", me)
    time.sleep(chance.random() / 300)
store.close()
"""


class Clusters:
    def test_two_always_exist(self, store: MetadataStore) -> None:
        found = store.vclusters.all()
        assert [(each.name, each.type) for each in found] == [
            ("default", VclusterType.GENERAL),
            ("default_ap", VclusterType.ANALYTICS),
        ]
        assert all(each.auto_resume and each.state is VclusterState.SUSPENDED for each in found)
        assert all(each.created_at.tzinfo is UTC for each in found)

    @pytest.mark.parametrize("name", ["default", "DEFAULT_AP"])
    def test_they_cannot_be_dropped(self, store: MetadataStore, name: str) -> None:
        found = store.vclusters.find(name)
        assert found is not None
        with pytest.raises(Refused, match="always exists"):
            store.vclusters.drop(found)
        assert store.vclusters.find(name) == found

    @one_store
    @given(each=VCLUSTERS)
    def test_one_comes_back_as_it_went_in(self, store: MetadataStore, each: Vcluster) -> None:
        store.vclusters.create(each)
        assert store.vclusters.find(each.name) == each
        store.vclusters.drop(each)
        assert store.vclusters.find(each.name) is None

    def test_names_are_the_same_in_any_case(self, store: MetadataStore) -> None:
        big = vcluster("Große Maschine")
        store.vclusters.create(big)
        assert store.vclusters.find("GROßE maschine") == big
        with pytest.raises(AlreadyExists, match=r"^virtual cluster GROßE MASCHINE already exists$"):
            store.vclusters.create(vcluster("GROßE MASCHINE"))
        with pytest.raises(AlreadyExists):
            store.vclusters.create(vcluster("Default"))
        assert [each.name for each in store.vclusters.all()] == ["default", "default_ap", "Große Maschine"]

    def test_altering_and_running_are_apart(self, store: MetadataStore) -> None:
        store.vclusters.create(vcluster("v"))
        store.vclusters.set_state("id of v", VclusterState.RUNNING)
        store.vclusters.alter(vcluster("v", size=4, comment="c", modified_at=LATER))
        assert store.vclusters.find("v") == vcluster(
            "v", size=4, comment="c", modified_at=LATER, state=VclusterState.RUNNING
        )

    def test_what_is_not_there(self, store: MetadataStore) -> None:
        for step in (store.vclusters.alter, store.vclusters.drop):
            with pytest.raises(NotFound):
                step(vcluster("nobody"))
        with pytest.raises(NotFound):
            store.vclusters.set_state("nobody", VclusterState.RUNNING)
        assert store.vclusters.find("nobody") is None

    def test_naive_moments_are_refused(self, store: MetadataStore) -> None:
        with pytest.raises(ValueError, match="time zone"):
            store.vclusters.create(vcluster("v", created_at=NAIVE))
        assert store.vclusters.find("v") is None


class TaskDefinitions:
    @one_store
    @given(each=TASKS)
    def test_a_task_comes_back_as_it_went_in(self, store: MetadataStore, each: Task) -> None:
        store.tasks.create(each)
        assert store.tasks.find(each.name) == each
        store.tasks.drop(each.id)
        assert store.tasks.find(each.name) is None

    def test_tasks_are_listed_by_name(self, store: MetadataStore) -> None:
        for name in ("2. b", "1. Time Processing dy", "C", "a"):
            store.tasks.create(task(name))
        assert [each.name for each in store.tasks.all()] == ["1. Time Processing dy", "2. b", "a", "C"]
        assert store.tasks.find("1. time processing DY") == task("1. Time Processing dy")

    def test_names_are_taken_in_any_case(self, store: MetadataStore) -> None:
        store.tasks.create(task("a"))
        with pytest.raises(AlreadyExists, match=r"^task A already exists$"):
            store.tasks.create(task("A"))

    def test_alter_changes_all_of_it(self, store: MetadataStore) -> None:
        store.tasks.create(task("a", after=("b",)))
        other = task("a", state=TaskState.DEPLOYED, retries=2, comment="c")
        store.tasks.alter(other)
        assert store.tasks.all() == [other]

    def test_what_is_not_there_is_not_found(self, store: MetadataStore) -> None:
        with pytest.raises(NotFound):
            store.tasks.alter(task("nobody"))
        with pytest.raises(NotFound):
            store.tasks.drop("nobody")


class Runs:
    @one_store
    @given(each=RUNS)
    def test_a_run_comes_back_as_it_went_in(self, store: MetadataStore, each: TaskRun) -> None:
        store.task_runs.record(each)
        assert each in store.task_runs.attempts(each.run_id)

    def test_recording_again_updates_the_attempt(self, store: MetadataStore) -> None:
        first = run("r", state=RunState.RUNNING)
        store.task_runs.record(first)
        failed = replace(first, state=RunState.FAILED, end_time=LATER, error_message="no", log="line\n")
        store.task_runs.record(failed)
        second = run("r", attempt=2)
        store.task_runs.record(second)
        assert store.task_runs.attempts("r") == [failed, second]
        assert store.task_runs.attempts("nobody") == []

    def test_history_is_newest_first(self, store: MetadataStore) -> None:
        runs = [
            run("a", minute=2),
            run("c", "other", minute=1),
            run("b", attempt=2),
            run("b", state=RunState.FAILED),
        ]
        for each in reversed(runs):
            store.task_runs.record(each)
        assert store.task_runs.history() == runs
        assert store.task_runs.history("t") == [runs[0], *runs[2:]]
        assert store.task_runs.history(limit=1) == runs[:1]
        assert (store.task_runs.latest("t"), store.task_runs.latest("nobody")) == (runs[0], None)

    def test_unended(self, store: MetadataStore) -> None:
        for minute, state in enumerate(RunState):
            store.task_runs.record(run(state.value, minute=minute, state=state))
        assert [each.run_id for each in store.task_runs.unended()] == ["RUNNING", "WAITING", "QUEUED"]

    def test_failing(self, store: MetadataStore) -> None:
        runs = {
            "came right": [run("1", "a", state=RunState.FAILED), run("2", "a", minute=1)],
            "again": [run("3", "b", state=RunState.FAILED), run("4", "b", minute=1, state=RunState.TIMEOUT)],
            "goes on": [
                run("5", "c", state=RunState.FAILED),
                run("5", "c", attempt=2, state=RunState.WAITING),
            ],
            "skipped since": [
                run("6", "d", state=RunState.FAILED),
                run("7", "d", minute=1, state=RunState.SKIPPED),
            ],
        }
        for each in (attempt for attempts in runs.values() for attempt in attempts):
            store.task_runs.record(each)
        assert [each.run_id for each in store.task_runs.failing()] == ["4", "6"]

    def test_what_is_old_is_forgotten(self, store: MetadataStore) -> None:
        store.tasks.create(task("a", id="t"))
        kept = [run("new", minute=3), run("running", "gone", state=RunState.RUNNING)]
        for each in (*kept, run("1"), run("2", minute=1), run("2", minute=1, attempt=2), run("3", "gone")):
            store.task_runs.record(each)
        assert store.task_runs.delete_before(NOON + timedelta(minutes=2)) == 4
        assert store.task_runs.history() == kept
        assert store.task_runs.delete_before(LATER) == 0

    def test_the_latest_attempt_of_an_existing_task_stays(self, store: MetadataStore) -> None:
        store.tasks.create(task("a", id="t"))
        latest = run("2", attempt=2)
        for each in (latest, run("2"), run("1", attempt=3)):
            store.task_runs.record(each)
        assert store.task_runs.delete_before(LATER) == 2
        assert store.task_runs.history() == [latest]


class JobHistory:
    @one_store
    @given(each=JOBS)
    def test_a_job_comes_back_as_it_went_in(self, store: MetadataStore, each: Job) -> None:
        store.jobs.record(each)
        assert store.jobs.find(each.job_id) == each

    def test_jobs_are_updated_and_listed(self, store: MetadataStore) -> None:
        store.jobs.record(job("a", state=JobState.QUEUED))
        store.jobs.record(job("a", rows=3))
        store.jobs.record(job("b", minute=1))
        assert store.jobs.history() == [job("b", minute=1), job("a", rows=3)]
        assert store.jobs.history(limit=1) == [job("b", minute=1)]
        assert store.jobs.find("nobody") is None

    def test_unended_jobs_are_not_forgotten(self, store: MetadataStore) -> None:
        for minute, state in enumerate(JobState):
            store.jobs.record(job(state.value, minute=minute, state=state))
        store.jobs.record(job("new", minute=99))
        unended = [each.job_id for each in store.jobs.unended()]
        assert unended == ["RUNNING", "RESUMING_CLUSTER", "QUEUED"]
        assert store.jobs.delete_before(NOON + timedelta(minutes=99)) == 3
        assert [each.job_id for each in store.jobs.history()] == ["new", *unended]

    def test_many_threads_record_the_same_jobs(self, store: MetadataStore) -> None:
        def work(thread: int) -> None:
            for step in range(20):
                store.jobs.record(job(str(step), minute=step, tag=str(thread)))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        assert len(store.jobs.history()) == 20


class TokenHolders:
    def test_a_token_tells_its_holder(self, store: MetadataStore) -> None:
        ann, bob = store.tokens.create("ann", NOON), store.tokens.create("bob", NOON, Role.READER)
        assert len({ann, bob}) == 2
        assert store.tokens.holder_of(ann) == Principal("ann", Role.DEVELOPER)
        assert store.tokens.holder_of(bob) == Principal("bob", Role.READER)
        for wrong in ("", ann + "x", ann[:-1], ann.upper(), "\ud800", "hr_"):
            assert store.tokens.holder_of(wrong) is None
        assert store.tokens.all() == [
            AccessToken("ann", Role.DEVELOPER, NOON),
            AccessToken("bob", Role.READER, NOON),
        ]

    def test_a_token_is_long_and_never_stored(self, store: MetadataStore) -> None:
        token = store.tokens.create("ann", NOON)
        assert len(token) == len("hr_") + 43
        with store._transactions._reads.connect() as connection:
            (row,) = connection.exec_driver_sql("SELECT * FROM tokens").all()
        assert token.removeprefix("hr_") not in str(row)

    def test_a_revoked_token_is_nobodys(self, store: MetadataStore) -> None:
        token = store.tokens.create("ann", NOON)
        store.tokens.revoke("ann", LATER)
        assert store.tokens.holder_of(token) is None
        assert store.tokens.all() == [AccessToken("ann", Role.DEVELOPER, NOON, LATER)]
        for name in ("ann", "nobody"):
            with pytest.raises(NotFound, match=rf"^token {name} does not exist or was revoked$"):
                store.tokens.revoke(name, LATER)

    def test_a_name_has_one_valid_token(self, store: MetadataStore) -> None:
        store.tokens.create("ann", NOON)
        with pytest.raises(AlreadyExists, match=r"^token ann already exists$"):
            store.tokens.create("ann", NOON)
        with pytest.raises(ValueError, match="name"):
            store.tokens.create("", NOON)

    def test_the_name_of_a_revoked_token_can_be_used_again(self, store: MetadataStore) -> None:
        revoked = store.tokens.create("ann", NOON)
        store.tokens.revoke("ann", NOON)
        valid = store.tokens.create("ann", LATER, Role.ADMIN)
        assert store.tokens.holder_of(revoked) is None
        assert store.tokens.holder_of(valid) == Principal("ann", Role.ADMIN)
        assert store.tokens.all() == [AccessToken("ann", Role.ADMIN, LATER)]
        with pytest.raises(AlreadyExists):
            store.tokens.create("ann", LATER)


class Leasing:
    def test_one_holder_until_it_expires(self, store: MetadataStore) -> None:
        leases, until = store.leases, NOON + timedelta(seconds=30)
        assert leases.take("k", "a", NOON, 30)
        assert not leases.take("k", "b", until - timedelta(microseconds=1), 30)
        assert leases.holders_of("k") == [Lease("k", "a", until)]
        assert leases.take("k", "b", until, 30)
        assert not leases.take("k", "a", until, 30)
        assert leases.holders_of("k") == [Lease("k", "b", until + timedelta(seconds=30))]

    def test_its_own_is_renewed(self, store: MetadataStore) -> None:
        assert store.leases.take("k", "a", NOON, 30)
        assert store.leases.take("k", "a", NOON + timedelta(seconds=20), 30)
        assert not store.leases.take("k", "b", NOON + timedelta(seconds=40), 30)
        assert store.leases.take("k", "a", NOON + timedelta(days=9), 30)

    def test_only_its_holder_releases_it(self, store: MetadataStore) -> None:
        assert store.leases.take("k", "a", NOON, 30)
        store.leases.release("k", "b")
        assert not store.leases.take("k", "b", NOON, 30)
        store.leases.release("k", "a")
        store.leases.release("k", "a")
        assert store.leases.take("k", "b", NOON, 30)

    def test_holders_by_prefix(self, store: MetadataStore) -> None:
        for key in ("r:b", "r:a", "R:c", "r_x", "%:d", "other", "r:"):
            assert store.leases.take(key, "a", NOON, 1)
        assert [each.key for each in store.leases.holders_of("r:")] == ["r:", "r:a", "r:b"]
        assert [each.key for each in store.leases.holders_of("%")] == ["%:d"]
        assert len(store.leases.holders_of("")) == 7
        assert store.leases.holders_of("nothing") == []

    def test_a_lease_knows_whether_it_is_held(self) -> None:
        lease = Lease("k", "a", NOON)
        assert lease.is_held(NOON - timedelta(microseconds=1))
        assert not lease.is_held(NOON)

    def test_naive_moments_are_refused(self, store: MetadataStore) -> None:
        with pytest.raises(ValueError, match="time zone"):
            store.leases.take("k", "a", NAIVE, 30)

    @pytest.mark.parametrize("seed", fresh_seeds("catalog/leases", 3))
    def test_threads_never_hold_the_same_key_at_once(self, store: MetadataStore, seed: int) -> None:
        """By the real clock; some leases are released, and some run out while they are held."""
        inside: dict[str, tuple[str, datetime]] = {}
        guard, taken = Lock(), [0] * 6

        def work(thread: int) -> None:
            chance = random.Random(f"{seed} {thread}")
            me = f"thread {thread}"
            for _ in range(40):
                key, seconds = chance.choice("xyz"), chance.choice([0.003, 0.02, 5])
                asked = datetime.now(UTC)
                mine = asked + timedelta(seconds=seconds)
                with guard:
                    holder, until = inside.get(key, ("", asked))
                    if holder == me:
                        inside[key] = (me, min(until, mine))  # renewed, it may end sooner
                if not store.leases.take(key, me, asked, seconds):
                    continue
                taken[thread] += 1
                with guard:
                    now = datetime.now(UTC)
                    holder, until = inside.get(key, (me, now))
                    assert holder == me or not (now < until and now < mine), f"{me} and {holder} hold {key}"
                    if holder == me or now < mine:
                        inside[key] = (me, mine)
                if chance.random() < 0.7 or seconds == 5:
                    with guard:
                        if inside.get(key, ("", mine))[0] == me:
                            del inside[key]
                    store.leases.release(key, me)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        assert sum(taken) > 20

    def test_processes_hold_a_lease_one_at_a_time(self, url: str, store: MetadataStore) -> None:
        started = [
            subprocess.Popen(
                [sys.executable, "-c", LEASER, url, str(each)], stdout=subprocess.PIPE, text=True
            )
            for each in range(3)
        ]
        said = [each.communicate()[0].split() for each in started]
        assert [each.returncode for each in started] == [0, 0, 0]
        assert all(said), "each process got it at least once"
        events = sorted(
            (int(moment), word)
            for words in said
            for word, moment in zip(words[::2], words[1::2], strict=True)
        )
        assert [word for _, word in events] == ["in", "out"] * (len(events) // 2)


def backfill(backfill_id: str, minute: int = 0, **more: Any) -> Backfill:
    items = (BackfillItem("a", "2024-06-01"), BackfillItem("b", "2024-06-01", RunState.SKIPPED, "r", "no"))
    moment = NOON + timedelta(minutes=minute)
    fields = {"after": {"b": ("a",)}, "parameters": {"n": "1"}} | more
    return Backfill(backfill_id, "a", "bizdate", 2, "ann", moment, items, **fields)


class BackfillHistory:
    def test_a_backfill_comes_back_as_it_went_in(self, store: MetadataStore) -> None:
        first, second = backfill("1"), backfill("2", minute=1)
        for each in (first, second):
            store.backfills.record(each)
        assert store.backfills.find("1") == first
        assert store.backfills.find("nobody") is None
        assert store.backfills.history() == [second, first]
        assert store.backfills.history(1, (second.created_at, "2")) == [first]

    def test_those_that_run_are_not_forgotten(self, store: MetadataStore) -> None:
        ended = backfill("2", state=BackfillState.FAILED, ended_at=LATER)
        store.backfills.record(backfill("1"))
        store.backfills.record(backfill("2"))
        store.backfills.record(ended)
        assert [each.id for each in store.backfills.running()] == ["1"]
        assert store.backfills.delete_before(LATER) == 1
        assert store.backfills.history() == [backfill("1")]


class FiredAlerts:
    def test_alerts_are_recorded_and_ended(self, store: MetadataStore) -> None:
        lag = FiredAlert(AlertKind.LAG, "dynamic table t", "late", NOON)
        failed = FiredAlert(AlertKind.TASK_FAILED, "task a", "no", LATER)
        store.alerts.record([lag, failed])
        assert store.alerts.history() == [failed, lag]
        assert store.alerts.history(1, (LATER, failed.kind.value, failed.subject)) == [lag]
        over = replace(lag, ended_at=LATER)
        store.alerts.record([over])
        assert (store.alerts.open(), store.alerts.history()) == ([failed], [failed, over])
        assert store.alerts.delete_before(LATER + timedelta(days=1)) == 1
        store.alerts.record([])
        assert store.alerts.history() == [failed]


class OperationsContract(
    Clusters, TaskDefinitions, Runs, JobHistory, TokenHolders, Leasing, BackfillHistory, FiredAlerts
):
    """All of it."""
