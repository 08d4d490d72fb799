"""A server starts its default cluster with itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headrace.errors import OperationalError
from headrace.model.vcluster import VclusterState
from headrace.remote import progress_words
from headrace.server.service import Service
from headrace.server.warm_start import start_default_cluster

from .conftest import OpenService
from .fake_cluster import FakeClusters


def warm(service: Service) -> list[str]:
    """What is reported until the start is over."""
    reported: list[str] = []
    starting = start_default_cluster(service.pool, service.directory.settings, reported.append)
    if starting is not None:
        starting.join()
    return reported


def test_the_default_cluster_starts_and_suspends_like_any_other(service: Service) -> None:
    begun, running = warm(service)
    assert begun == "starting cluster DEFAULT ..."
    assert running.startswith("cluster DEFAULT is running after ")
    cluster = service.pool.cluster("default")
    assert cluster.state is VclusterState.RUNNING
    service.pool.look()
    assert cluster.state is VclusterState.RUNNING
    service.pool.set(replace(cluster.spec, auto_suspend_seconds=0))
    service.pool.look()
    assert cluster.state is VclusterState.SUSPENDED


@pytest.mark.parametrize("settings", ["start_default_cluster = false\n", ""])
def test_it_can_be_switched_off(open_service: OpenService, settings: str) -> None:
    service = open_service(settings)
    cluster = service.pool.cluster("default")
    if not settings:
        service.pool.set(replace(cluster.spec, auto_resume=False))
    assert warm(service) == []
    assert cluster.state is VclusterState.SUSPENDED


def test_a_cluster_that_does_not_start_is_reported(service: Service, clusters: FakeClusters) -> None:
    clusters.failure = OperationalError("Java is missing", hint="install it")
    assert warm(service)[1] == "cluster DEFAULT did not start: Java is missing\nhint: install it"


def test_a_server_that_ends_does_not_wait_for_a_cluster_that_starts(
    service: Service, clusters: FakeClusters
) -> None:
    clusters.start_slowly = True
    reported: list[str] = []
    starting = start_default_cluster(service.pool, service.directory.settings, reported.append)
    assert starting is not None
    assert clusters.launched.wait(30)
    assert clusters.last.is_starting.wait(30)
    service.pool.close()
    starting.join()
    assert reported == ["starting cluster DEFAULT ..."]
    assert clusters.last.is_killed


@pytest.mark.parametrize(
    ("state", "progress", "words"),
    [
        ("RESUMING_CLUSTER", None, "starting cluster DEFAULT ..."),
        ("QUEUED", None, "queued"),
        ("RUNNING", "stage 1: 0 of 2 tasks", "stage 1: 0 of 2 tasks"),
        ("RUNNING", None, None),
    ],
)
def test_clients_hear_what_their_statement_waits_for(
    state: str, progress: str | None, words: str | None
) -> None:
    assert progress_words({"state": state, "cluster": "default", "progress": progress}) == words
