from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.model.job import Job, JobKind, JobState
from headrace.server.presence import LEASE_SECONDS, Presence
from tests.schedule.tables import NOON


class Lake:
    def __init__(self, store: MetadataStore) -> None:
        self.store = store
        self.now = NOON

    def server(self, *, alone: bool = False) -> Presence:
        presence = Presence(self.store.jobs, self.store.leases, lambda: self.now, alone=alone)
        presence.look()
        return presence

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def state(self, job_id: str) -> JobState:
        found = self.store.jobs.find(job_id)
        assert found is not None
        return found.state


@pytest.fixture
def lake(tmp_path):
    store = MetadataStore.open(sqlite_url(tmp_path / "metadata.db"))
    yield Lake(store)
    store.close()


def running(job_id: str, at: datetime = NOON) -> Job:
    return Job(job_id, JobKind.STATEMENT, "SELECT 1", "default", "someone", JobState.RUNNING, at, at)


def test_jobs_of_a_server_that_is_gone_are_ended(lake):
    first, second = lake.server(), lake.server()
    first.record(running("j1"))
    second.record(running("j2"))
    second.look()
    assert lake.state("j1") is JobState.RUNNING
    lake.pass_time(LEASE_SECONDS - 1)
    second.look()
    assert lake.state("j1") is JobState.RUNNING
    lake.pass_time(2)
    second.look()
    assert (lake.state("j1"), lake.state("j2")) == (JobState.FAILED, JobState.RUNNING)
    assert lake.store.jobs.find("j1").error_message == "the server stopped before the statement ended"


def test_who_leaves_is_gone_at_once(lake):
    first, second = lake.server(), lake.server()
    first.record(running("j1"))
    first.leave()
    second.look()
    assert lake.state("j1") is JobState.FAILED


def test_where_no_other_can_be_nobody_is_waited_for(lake):
    lake.server().record(running("j1"))
    alone = lake.server(alone=True)
    alone.record(running("j2"))
    alone.look()
    assert (lake.state("j1"), lake.state("j2")) == (JobState.FAILED, JobState.RUNNING)
