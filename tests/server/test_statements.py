"""Statements through the API: submitted, polled, cancelled, fetched; what is refused and what is bounded."""

from __future__ import annotations

import getpass
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from headrace.errors import InterfaceError
from headrace.result import from_stream
from headrace.server import statements
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service
from headrace.wire import ARROW_STREAM

from . import fake_cluster
from .conftest import LOCAL, OpenService
from .fake_cluster import NUMBERS, FakeClusters


def session_of(client: TestClient) -> str:
    return str(client.post("/api/v1/sessions").json()["session"])


def submit(client: TestClient, text: str, session: str | None = None, **more: Any) -> dict[str, Any]:
    asked = {"session": session or session_of(client), "statement": text, "wait_seconds": 5, **more}
    told: dict[str, Any] = client.post("/api/v1/statements", json=asked).json()
    return told


def until(condition: Any) -> None:
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.01)


def test_submit_and_fetch(client: TestClient, service: Service) -> None:
    told = submit(client, "SELECT 1")
    assert (told["state"], told["ended"], told["error"]) == ("SUCCEED", True, None)
    assert (told["types"], told["notices"]) == (["bigint", "string"], ["a notice"])
    rows = client.get(f"/api/v1/statements/{told['job_id']}/rows").json()
    assert rows == {
        "columns": [{"name": "n", "type": "bigint"}, {"name": "s", "type": "string"}],
        "rows": [[1, "a"], [2, "b"], [3, None]],
    }
    answer = client.get(f"/api/v1/statements/{told['job_id']}/rows", headers={"Accept": ARROW_STREAM})
    assert from_stream(answer.content) == NUMBERS
    job = service.store.jobs.find(told["job_id"])
    assert job is not None
    assert (job.rows, job.tag, job.state, job.statement) == (3, "tagged", "SUCCEED", "SELECT 1")
    assert job.notices == ("a notice",)


def test_poll_and_cancel(client: TestClient, service: Service) -> None:
    told = submit(client, "SLEEP", wait_seconds=0)
    path = f"/api/v1/statements/{told['job_id']}"
    until(lambda: client.get(path).json()["progress"] == "1 of 2 Spark tasks done")
    assert not client.get(path).json()["ended"]
    recorded = service.store.jobs.find(told["job_id"])
    assert recorded is not None
    assert (recorded.state, recorded.end_time) == ("RUNNING", None)
    early = client.get(f"{path}/rows")
    assert (early.status_code, early.json()["error"]["kind"]) == (400, "InterfaceError")
    assert client.post(f"{path}/cancel").status_code == 202
    told = client.get(path, params={"wait_seconds": 5}).json()
    assert (told["state"], told["error"]["kind"]) == ("CANCELLED", "Cancelled")
    assert client.get(f"{path}/rows").json()["error"]["kind"] == "Cancelled"
    assert client.post(f"{path}/cancel").status_code == 202
    assert client.get(path).json()["state"] == "CANCELLED"


def test_what_waits_for_its_turn_is_cancelled_at_once(client: TestClient, service: Service) -> None:
    session = session_of(client)
    running = [submit(client, "SLEEP", session, wait_seconds=0) for _ in range(8)]
    until(lambda: service.pool.cluster("default").running == 8)
    waiting = submit(client, "SELECT 1", session, wait_seconds=0)
    until(lambda: service.pool.cluster("default").queued == 1)
    client.post(f"/api/v1/jobs/{waiting['job_id']}/cancel")
    told = client.get(f"/api/v1/statements/{waiting['job_id']}").json()
    assert (told["ended"], told["state"]) == (True, "CANCELLED")
    for each in running:
        client.post(f"/api/v1/statements/{each['job_id']}/cancel")


def test_errors_have_a_place(client: TestClient) -> None:
    told = submit(client, "SELECT nosuch")
    assert told["state"] == "FAILED"
    assert told["error"] == {
        "kind": "NotFound",
        "message": "there is no nosuch",
        "hint": "look",
        "place": {"line": 1, "column": 8, "source_line": "SELECT nosuch", "length": 6},
    }


def test_what_headrace_does_wrong_is_told_without_details(client: TestClient) -> None:
    told = submit(client, "SELECT bug")
    assert told["error"]["message"] == "internal error of the server (ValueError)"
    assert "secret" not in str(told)


def test_a_lost_cluster(client: TestClient, clusters: FakeClusters) -> None:
    session = session_of(client)
    submit(client, "USE other", session)
    told = submit(client, "DIE", session)
    assert (told["error"]["kind"], told["state"]) == ("ClusterLost", "FAILED")
    assert told["error"]["hint"] == "it starts again with the next statement"
    told = submit(client, "SELECT 1", session)
    assert told["state"] == "SUCCEED"
    assert len(clusters.processes) == 2
    assert clusters.last.seen[0].journal == ("USE other",)


def test_a_cluster_that_is_dropped_while_a_statement_runs(client: TestClient) -> None:
    session = session_of(client)
    submit(client, "CREATE VCLUSTER brief", session)
    submit(client, "USE VCLUSTER brief", session)
    told = submit(client, "SLEEP", session, wait_seconds=0.1)
    assert told["cluster"] == "brief"
    submit(client, "DROP VCLUSTER brief")
    told = client.get(f"/api/v1/statements/{told['job_id']}", params={"wait_seconds": 5}).json()
    assert told["error"]["message"] == "virtual cluster brief was forcibly suspended"


@pytest.mark.parametrize(
    "text",
    [
        "ADD JAR /x.jar",
        "SELECT java_method('a', 'b')",
        "SELECT * FROM text.`/etc/passwd`",
        "SET spark.jars = x",
    ],
)
def test_outside_the_lake(client: TestClient, clusters: FakeClusters, text: str) -> None:
    asked = {"session": session_of(client), "statement": text}
    answer = client.post("/api/v1/statements", json=asked)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "Refused")
    assert answer.json()["error"]["place"]["line"] == 1
    assert clusters.processes == []


def test_outside_the_lake_where_it_is_allowed(open_service: OpenService) -> None:
    service = open_service("allow_outside = true\n")
    client = TestClient(make_app(service, Access("127.0.0.1", lambda _: None)), base_url=LOCAL)
    assert submit(client, "ADD JAR /x.jar")["state"] == "SUCCEED"


def test_files_in_allowed_directories(open_service: OpenService) -> None:
    service = open_service('allowed_directories = ["/data"]\n')
    client = TestClient(make_app(service, Access("127.0.0.1", lambda _: None)), base_url=LOCAL)
    assert submit(client, "SELECT * FROM csv.`/data/a.csv`")["state"] == "SUCCEED"
    assert submit(client, "SELECT * FROM csv.`/other/a.csv`")["error"]["kind"] == "Refused"


def test_one_statement_at_a_time(client: TestClient) -> None:
    told = submit(client, "SELECT 1; SELECT 2")
    assert told["error"]["message"] == "only one statement at a time is supported"


def test_statements_that_take_too_long(open_service: OpenService) -> None:
    service = open_service("statement_timeout_seconds = 1\n")
    client = TestClient(make_app(service, Access("127.0.0.1", lambda _: None)), base_url=LOCAL)
    told = submit(client, "SLEEP", wait_seconds=1.2)
    assert not told["ended"]
    service.background.housekeeping.look()
    told = client.get(f"/api/v1/statements/{told['job_id']}", params={"wait_seconds": 5}).json()
    assert (told["state"], told["error"]["kind"]) == ("FAILED", "OperationalError")
    assert told["error"]["message"] == "the statement took longer than 1 seconds"


def test_idle_sessions_are_forgotten(
    client: TestClient, service: Service, clusters: FakeClusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle, busy = session_of(client), session_of(client)
    submit(client, "SELECT 1", idle)
    sleeping = submit(client, "SLEEP", busy, wait_seconds=0)
    until(lambda: service.statements.running())
    monkeypatch.setattr("headrace.server.sessions.time.monotonic", lambda: time.perf_counter() + 10**9)
    service.background.housekeeping.look()
    monkeypatch.undo()
    assert clusters.last.ended_sessions == [idle]
    assert submit(client, "SELECT 1", idle)["error"]["message"] == "the session no longer exists"
    assert submit(client, "SELECT 1", busy)["state"] == "SUCCEED"
    client.post(f"/api/v1/statements/{sleeping['job_id']}/cancel")


def test_a_closed_session_ends_on_every_cluster(client: TestClient, clusters: FakeClusters) -> None:
    session = session_of(client)
    submit(client, "SELECT 1", session)
    submit(client, "USE VCLUSTER default_ap", session)
    submit(client, "SELECT 1", session)
    assert client.delete(f"/api/v1/sessions/{session}").status_code == 204
    assert [process.ended_sessions for process in clusters.processes] == [[session], [session]]


def test_rows_are_kept_up_to_a_limit(
    client: TestClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "KEPT_BYTES", 25_000)
    first, second = submit(client, "BIG 10000"), submit(client, "BIG 10000")
    client.get(f"/api/v1/statements/{second['job_id']}/rows")
    third = submit(client, "BIG 10000")
    with pytest.raises(InterfaceError, match="no longer exists"):
        service.statements.find(second["job_id"], getpass.getuser())
    for kept in (first, third):
        assert client.get(f"/api/v1/statements/{kept['job_id']}/rows").status_code == 200


def test_a_result_that_is_too_large(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake_cluster, "LIMITS", replace(fake_cluster.LIMITS, result_mb=1))
    told = submit(client, "BIG 2000000")
    assert told["error"]["message"] == "the result is larger than 1 MB"


def test_statements_at_once_are_limited(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MOST_AT_ONCE", 1)
    running = submit(client, "SLEEP", wait_seconds=0)
    assert submit(client, "SELECT 1")["error"]["kind"] == "OperationalError"
    client.post(f"/api/v1/statements/{running['job_id']}/cancel")


def test_shutdown_stops_statements_and_lets_refreshes_end(
    client: TestClient, service: Service, clusters: FakeClusters
) -> None:
    session = session_of(client)
    sleeping = submit(client, "SELECT 'SLEEP'", session, wait_seconds=0)
    refreshing = submit(client, "REFRESH DYNAMIC TABLE SLEEP", session, wait_seconds=0)
    until(lambda: service.pool.cluster("default").running == 2)
    closing = threading.Thread(target=service.close)
    closing.start()
    until(lambda: service.statements.find(sleeping["job_id"], getpass.getuser()).ended.done())
    assert not service.statements.find(refreshing["job_id"], getpass.getuser()).ended.done()
    clusters.last.cancel(refreshing["job_id"])
    closing.join(10)
    assert not closing.is_alive()
    assert (clusters.last.is_alive, clusters.last.is_killed) == (False, False)


def test_a_cancel_that_got_lost_is_sent_again(
    client: TestClient, service: Service, clusters: FakeClusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = submit(client, "SLEEP", wait_seconds=0.1)
    monkeypatch.setattr(clusters.last, "cancel", lambda job: None)
    client.post(f"/api/v1/statements/{told['job_id']}/cancel")
    assert client.get(f"/api/v1/statements/{told['job_id']}").json()["ended"] is False
    monkeypatch.undo()
    service.background.housekeeping.look()
    told = client.get(f"/api/v1/statements/{told['job_id']}", params={"wait_seconds": 5}).json()
    assert told["state"] == "CANCELLED"
