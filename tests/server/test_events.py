"""Server-sent events: order, resuming, filters, bounds, and who sees what."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from headrace.model.access_token import acting_for
from headrace.model.change import ClusterChange, TableChange
from headrace.model.history import RefreshMode, RefreshState
from headrace.model.names import TableName
from headrace.model.task import RunState, RunTrigger, TaskRun
from headrace.model.vcluster import VclusterState
from headrace.server import event_feed, event_stream, event_view
from headrace.server.event_feed import EventFeed
from headrace.server.service import Service
from headrace.server.statements import Statement

from ..catalog.samples import NOON, refresh, table
from ..paper_catalog import PaperCatalog
from .event_client import Client, Listening, following, listening
from .fake_cluster import FakeClusters
from .served import until

NOW = datetime(2024, 6, 1, tzinfo=UTC)
RUNNING, SUSPENDED = VclusterState.RUNNING, VclusterState.SUSPENDED


@pytest.fixture
def server(service: Service) -> Iterator[Listening]:
    with listening(service) as running:
        yield running


def change(number: int) -> ClusterChange:
    return ClusterChange(f"c{number}", RUNNING)


def names(client: Client, count: int) -> list[str]:
    return [each.data["name"] for each in client.events(count)]


def run(service: Service, text: str, user: str = "ann") -> Statement:
    statement = service.runner.submit(service.sessions.open(acting_for(user)), text, None)
    statement.ended.result(20)
    return statement


def test_a_statement_and_its_cluster(server: Listening, service: Service) -> None:
    with following(server.url) as client:
        statement = run(service, "SELECT 1", "ann")
        found = client.events(6)
    assert [(each.type, each.data["state"]) for each in found] == [
        ("job", "QUEUED"),
        ("job", "RESUMING_CLUSTER"),
        ("cluster", "RESUMING"),
        ("cluster", "RUNNING"),
        ("job", "RUNNING"),
        ("job", "SUCCEED"),
    ]
    last = found[-1].data
    assert (last["job_id"], last["statement"], last["rows"]) == (statement.job.job_id, "SELECT 1", 3)
    numbers = [int(each.id.partition("-")[2]) for each in found]
    assert numbers == list(range(numbers[0], numbers[0] + 6))


def test_refreshes_task_runs_and_tables(server: Listening, service: Service) -> None:
    paper = PaperCatalog(service.directory)
    paper.create(TableName("lake", "public", "a"))
    service.background.table_watch.look()
    with following(server.url) as client:
        service.store.refreshes.record(refresh("j1", "a", state=RefreshState.RUNNING))
        service.store.refreshes.record_all([refresh("j1", "a", mode=RefreshMode.FULL)])
        service.store.refreshes.record_all([refresh("j1", "a", mode=RefreshMode.FULL)])
        service.store.task_runs.record(
            TaskRun("r1", "t1", "nightly", NOON, RunState.RUNNING, RunTrigger.MANUAL, log="x" * 5000)
        )
        paper.commit(TableName("lake", "public", "a"), NOON)
        service.background.table_watch.look()
        service.background.table_watch.look()
        paper.drop(TableName("lake", "public", "a"))
        service.background.table_watch.look()
        found = client.events(5)
    assert [each.type for each in found] == ["refresh", "refresh", "task_run", "table", "table"]
    began, ended, task_run, moved, dropped = (each.data for each in found)
    assert (began["job_id"], began["state"], ended["state"], ended["mode"]) == (
        "j1",
        "RUNNING",
        "SUCCEED",
        "FULL",
    )
    assert (task_run["task"], task_run["run_id"], task_run["state"]) == ("nightly", "r1", "RUNNING")
    assert moved["table"] == dropped["table"] == "lake.public.a"
    assert moved["metadata_location"].endswith(".json")
    assert dropped["metadata_location"] is None


def test_resuming_repeats_nothing_and_loses_nothing(server: Listening, service: Service) -> None:
    with following(server.url) as client:
        for number in range(5):
            service.events.publish(change(number))
        assert names(client, 3) == ["c0", "c1", "c2"]
        seen = client.last_id
    for number in range(5, 8):
        service.events.publish(change(number))
    with following(server.url, after=seen) as client:
        assert names(client, 5) == ["c3", "c4", "c5", "c6", "c7"]
    with following(server.url, f"?after={seen}") as client:
        assert names(client, 5) == ["c3", "c4", "c5", "c6", "c7"]


def test_a_client_that_was_cut_off_before_its_first_event(server: Listening, service: Service) -> None:
    service.events.publish(change(0))
    with following(server.url) as client:
        assert client.frame() is None
        seen = client.last_id
    service.events.publish(change(1))
    with following(server.url, after=seen) as client:
        assert names(client, 1) == ["c1"]


@pytest.mark.parametrize("unknown", ["other-1", "rubbish", "-", "00000000-0"])
def test_an_id_of_another_run(server: Listening, service: Service, unknown: str) -> None:
    service.events.publish(change(0))
    with following(server.url, after=unknown) as client:
        (first,) = client.events(1)
        assert (first.type, first.id) == ("reset", service.events.id_of(service.events.newest))
        service.events.publish(change(1))
        assert names(client, 1) == ["c1"]


def test_an_id_that_is_too_old(server: Listening, service: Service) -> None:
    oldest = service.events.id_of(0)
    for number in range(event_feed.CAPACITY + 1):
        service.events.publish(change(number))
    with following(server.url, "?types=table", after=oldest) as client:
        assert [each.type for each in client.events(1)] == ["reset"]
    with following(server.url, after=service.events.id_of(1)) as client:
        assert names(client, event_feed.CAPACITY)[0] == "c1"


def test_heartbeats_move_the_id_of_a_client_that_receives_no_events(
    server: Listening, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.2)
    with following(server.url, "?types=table") as client:
        assert client.frame() is None
        for number in range(3):
            service.events.publish(change(number))
        while client.last_id != service.events.id_of(3):
            assert client.frame() is None
    assert client.comments[-1] == "heartbeat"


def test_filters(server: Listening, service: Service) -> None:
    with following(server.url, "?types=refresh,table&table=B") as client:
        service.events.publish(change(0))
        service.store.refreshes.record(refresh("j1", "a"))
        service.store.refreshes.record(refresh("j2", "b"))
        service.events.publish(TableChange(TableName("lake", "public", "a"), "x"))
        service.events.publish(TableChange(TableName("lake", "public", "b"), "y"))
        found = client.events(2)
    assert [(each.type, each.data["table"]) for each in found] == [
        ("refresh", "lake.public.b"),
        ("table", "lake.public.b"),
    ]


@pytest.mark.parametrize("query", ["?types=nosuch", "?types=", "?types=reset", "?table=a.b.c.d", "?table=("])
def test_filters_that_cannot_be_read(server: Listening, query: str) -> None:
    answer = httpx.get(f"{server.url}/api/v1/events{query}")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "InterfaceError")
    assert answer.json()["error"]["hint"]


def test_a_token_is_required(service: Service) -> None:
    token = service.store.tokens.create("ann", NOW)
    with listening(service, "0.0.0.0") as server:  # noqa: S104
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert httpx.get(f"{server.url}/api/v1/events", headers=headers).status_code == 401
        with following(server.url, token=token) as client:
            service.events.publish(change(0))
            assert names(client, 1) == ["c0"]


def test_a_stream_ends_when_its_token_is_revoked(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.2)
    token = service.store.tokens.create("ann", NOW)
    with listening(service, "0.0.0.0") as server, following(server.url, token=token) as client:  # noqa: S104
        while "heartbeat" not in client.comments:
            client.frame()
        service.store.tokens.revoke("ann", NOW)
        assert client.until_closed() == []


def test_statements_of_others_are_shown_as_in_the_list_of_jobs(service: Service) -> None:
    tokens = {user: service.store.tokens.create(user, NOW) for user in ("ann", "bob")}
    with (
        listening(service, "0.0.0.0") as server,  # noqa: S104
        following(server.url, "?types=job,job_progress", token=tokens["ann"]) as anns,
        following(server.url, "?types=job,job_progress", token=tokens["bob"]) as bobs,
    ):
        statement = service.runner.submit(
            service.sessions.open(acting_for("ann")), "SELECT 'secret', SLEEP", None
        )
        until(lambda: statement.job.state == "RUNNING")
        service.background.progress_watch.look()
        service.background.progress_watch.look()
        service.runner.cancel(statement)
        statement.ended.result(20)
        listed = httpx.get(f"{server.url}/api/v1/jobs", headers={"Authorization": f"Bearer {tokens['bob']}"})
        mine, theirs = anns.events(5), bobs.events(4)
    assert [each.type for each in mine] == ["job", "job", "job", "job_progress", "job"]
    assert mine[3].data == {"job_id": statement.job.job_id, "progress": "1 of 2 Spark tasks done"}
    assert {each.data["statement"] for each in mine if each.type == "job"} == {"SELECT 'secret', SLEEP"}
    assert [each.type for each in theirs] == ["job"] * 4
    assert {(each.data["statement"], each.data["error_message"]) for each in theirs} == {(None, None)}
    (row,) = listed.json()["items"]
    assert row.items() >= without_times(theirs[-1].data).items()


def without_times(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if not key.endswith("_time")}


def test_long_texts_are_cut(server: Listening, service: Service) -> None:
    with following(server.url, "?types=job") as client:
        run(service, f"SELECT '{'x' * 5000}'")
        assert len(client.events(1)[0].data["statement"]) == event_view.LONGEST_TEXT + 3


def test_progress_is_not_requested_while_no_client_follows(service: Service, clusters: FakeClusters) -> None:
    statement = service.runner.submit(service.sessions.open(acting_for("ann")), "SELECT SLEEP", None)
    until(lambda: statement.job.state == "RUNNING")
    before = service.events.newest
    service.background.progress_watch.look()
    assert service.events.newest == before
    service.runner.cancel(statement)
    statement.ended.result(20)


def test_the_end_of_a_process_suspends_its_cluster(
    server: Listening, service: Service, clusters: FakeClusters
) -> None:
    run(service, "SELECT 1")
    with following(server.url, "?types=cluster") as client:
        clusters.last.is_alive = False
        (event,) = client.events(1)
    assert event.data == {"name": "default", "state": "SUSPENDED"}
    assert service.store.vclusters.find("default").state is SUSPENDED


def test_a_slow_client_is_reset_and_costs_no_memory(server: Listening, service: Service) -> None:
    """It reads nothing until all buffers and the ring are full; after the reset it goes on."""
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port or 80), timeout=20) as slow:
        slow.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: service.events.is_followed)
        with following(server.url) as quick:
            for number in range(30):
                for each in range(1000):
                    service.events.publish(
                        ClusterChange("c" * 1000 + str(each), (RUNNING, SUSPENDED)[number % 2])
                    )
                assert len(quick.events(1000)) == 1000
        assert len(service.events._ring._events) == event_feed.CAPACITY
        read = b""
        while b"event: reset" not in read:
            read = read[-100:] + slow.recv(1 << 16)
        service.events.publish(change(0))
        while b'{"name":"c0","state":"RUNNING"}' not in read:
            read = read[-100:] + slow.recv(1 << 16)


def test_a_client_that_reads_nothing_is_disconnected(
    server: Listening, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "SEND_SECONDS", 0.3)
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port or 80), timeout=20) as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: service.events.is_followed)
        deadline = time.monotonic() + 20
        while service.events.is_followed and time.monotonic() < deadline:
            for each in range(1000):
                service.events.publish(TableChange(TableName("lake", "public", "t" * 1000), str(each)))
            time.sleep(0.01)
        assert not service.events.is_followed


def test_clients_are_limited_and_leave(service: Service) -> None:
    service.events = EventFeed(most_clients=2)
    with listening(service) as server:
        with following(server.url), following(server.url):
            refused = httpx.get(f"{server.url}/api/v1/events")
            assert (refused.status_code, refused.json()["error"]["kind"]) == (503, "OperationalError")
        until(lambda: not service.events.is_followed, 5)
        with following(server.url) as client:
            service.events.publish(change(0))
            assert names(client, 1) == ["c0"]


def test_shutdown_ends_streams_at_once(service: Service) -> None:
    with listening(service) as server, following(server.url) as client:
        service.events.publish(change(0))
        assert names(client, 1) == ["c0"]
        start = time.monotonic()
        server.server.should_exit = True
        assert client.until_closed() == []
        assert time.monotonic() - start < 1


def test_published_by_many_threads_at_once(server: Listening, service: Service) -> None:
    def publish(thread: int) -> None:
        for number in range(100):
            service.events.publish(ClusterChange(f"{thread}/{number}", RUNNING))

    with following(server.url) as client:
        threads = [threading.Thread(target=publish, args=(each,)) for each in range(8)]
        for thread in threads:
            thread.start()
        found = names(client, 800)
        for thread in threads:
            thread.join()
    for each in range(8):
        assert [name for name in found if name.startswith(f"{each}/")] == [f"{each}/{n}" for n in range(100)]


def test_a_failed_refresh_of_the_scheduler_is_published_once(
    server: Listening, service: Service, clusters: FakeClusters
) -> None:
    made = table("d")
    service.store.lifecycle.begin_create(made)
    service.store.lifecycle.finish_create(made.id)
    with following(server.url, "?types=refresh") as client:
        service.store.refreshes.record(refresh("j1", "d", state=RefreshState.FAILED))
        known = service.store.refreshes.find("j1")
        assert known is not None
        service.store.refreshes.record_all([known])
        service.store.refreshes.record(refresh("j2", "d", state=RefreshState.RUNNING))
        found = client.events(2)
    assert [each.data["job_id"] for each in found] == ["j1", "j2"]
