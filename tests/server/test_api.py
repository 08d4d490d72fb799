"""The rest of the API: what the lake holds, how errors look, documentation, metrics."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import uvicorn
from fastapi.testclient import TestClient

from headrace.model.history import RefreshMode, RefreshState, StageReport
from headrace.server import limits
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service

from ..catalog.samples import NOON, name, profile, refresh, table
from ..lake.index_writing import store_indexes
from ..paper_catalog import PaperCatalog

SHAPE = {"kind", "message", "hint", "place"}


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "kind"),
    [
        ("GET", "/api/v1/nothing", None, 404, "NotFound"),
        ("GET", "/nothing", None, 404, "NotFound"),
        ("PUT", "/api/v1/sessions", None, 405, "InterfaceError"),
        ("POST", "/api/v1/statements", b"{", 400, "InterfaceError"),
        ("POST", "/api/v1/statements", b"[]", 400, "InterfaceError"),
        ("POST", "/api/v1/statements", b'{"session": 1}', 400, "InterfaceError"),
        ("POST", "/api/v1/statements", b'{"session": "x", "statement": "SELECT 1"}', 400, "InterfaceError"),
        ("POST", "/api/v1/statements", b"x" * (17 << 20), 413, "InterfaceError"),
        ("GET", "/api/v1/history?limit=0", None, 400, "InterfaceError"),
        ("GET", "/api/v1/history?table=x", None, 400, "InterfaceError"),
        ("GET", "/api/v1/jobs/nosuch", None, 404, "NotFound"),
        ("POST", "/api/v1/jobs/nosuch/cancel", None, 404, "NotFound"),
        ("GET", "/api/v1/dynamic-tables/lake/public/nosuch", None, 404, "NotFound"),
        ("GET", "/api/v1/statements/nosuch", None, 400, "InterfaceError"),
    ],
)
def test_every_error_has_one_shape(
    client: TestClient, method: str, path: str, content: bytes | None, status: int, kind: str
) -> None:
    headers = {"Content-Type": "application/json"} if content else {}
    answer = client.request(method, path, content=content, headers=headers)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error.keys() == SHAPE
    assert error["kind"] == kind


def test_a_body_without_a_declared_length_is_limited_too(client: TestClient) -> None:
    parts = (b"x" * (1 << 20) for _ in range(17))
    assert client.post("/api/v1/statements", content=parts).status_code == 413


@contextmanager
def listening(app: Any) -> Iterator[int]:
    """The port of a server on a real socket, which a client can overfill."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def test_a_client_that_still_sends_sees_that_its_request_is_too_large(service: Service) -> None:
    with listening(make_app(service, Access("127.0.0.1", lambda _: None))) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(
            "POST", "/api/v1/statements", b"x" * (64 << 20), {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        error = json.loads(answer.read())["error"]
    assert answer.status == 413
    assert (error["kind"], error["message"]) == ("InterfaceError", "the request is larger than 16 MB")
    assert error["hint"]


def test_a_client_that_waits_for_leave_to_send(service: Service) -> None:
    asked = f"POST /api/v1/statements HTTP/1.1\r\nHost: localhost\r\nContent-Length: {64 << 20}\r\n"
    with (
        listening(make_app(service, Access("127.0.0.1", lambda _: None))) as port,
        socket.create_connection(("127.0.0.1", port), timeout=60) as client,
    ):
        client.sendall(f"{asked}Expect: 100-continue\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


async def _never() -> dict[str, Any]:
    await asyncio.sleep(60)
    return {}


def test_a_body_that_does_not_come(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "READ_SECONDS", 0.05)
    app = make_app(service, Access("127.0.0.1", lambda _: None))
    headers = [(b"host", b"localhost"), (b"content-length", b"5")]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/statements", "headers": headers}
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app({**scope, "query_string": b"", "http_version": "1.1"}, _never, send))
    assert sent[0]["status"] == 408


def test_what_headrace_does_wrong_is_told_without_details(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ValueError("a secret")

    monkeypatch.setattr(service.store.definitions, "all", broken)
    app = make_app(service, Access("127.0.0.1", lambda _: None))
    client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    answer = client.get("/api/v1/lineage")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (500, "InternalError")
    assert "secret" not in answer.text


def test_lineage_history_and_jobs(client: TestClient, service: Service) -> None:
    source, made = table("a"), table("b", reads=(table("a").name,), suspended=True)
    paper = PaperCatalog(service.directory)
    for each in (source, made):
        service.store.lifecycle.begin_create(each)
        service.store.lifecycle.finish_create(each.id)
        paper.create(each.name)
    for read in source.definition.sources:
        paper.commit(read.name, NOON)
    paper.refresh(source, NOON)
    service.store.refreshes.record(refresh("j1", "a", mode=RefreshMode.FULL, end_time=NOON), profile("j1"))
    told = client.get("/api/v1/lineage").json()
    assert told["edges"] == [{"from": "lake.public.a", "to": "lake.public.b"}]
    assert [(node["name"], node["state"]) for node in told["nodes"]] == [
        ("lake.public.a", "active"),
        ("lake.public.b", "suspended"),
    ]
    named = {"workspace": "lake", "schema": "public", "table": "a"}
    (row,) = client.get("/api/v1/history", params=named).json()["items"]
    assert (row["job_id"], row["mode"]) == ("j1", "FULL")
    empty = client.get("/api/v1/history", params=named | {"table": "b"}).json()
    assert empty == {"items": [], "next_page": None}
    (job,) = client.get("/api/v1/jobs").json()["items"]
    assert (job["job_id"], job["kind"]) == ("j1", "REFRESH")
    assert client.get("/api/v1/jobs/j1").json()["phases"] == {"plan": 0.25}
    assert {each["name"] for each in client.get("/api/v1/dynamic-tables").json()["items"]} == {
        "lake.public.a",
        "lake.public.b",
    }


def test_one_state_and_one_lag_everywhere(client: TestClient, service: Service) -> None:
    now = service.clock()
    late = now - timedelta(minutes=10)
    tables = [table("a", reads=(name("t"),)), table("b", reads=(name("a"),)), table("c", reads=(name("b"),))]
    paper = PaperCatalog(service.directory)
    paper.commit(name("t"), NOON)
    for each in tables:
        service.store.lifecycle.begin_create(each)
        service.store.lifecycle.finish_create(each.id)
        paper.refresh(each, NOON)
        service.store.refreshes.record(refresh(f"first {each.id}", each.name.table, end_time=NOON))
    paper.commit(name("t"), late)
    failed = {"state": RefreshState.FAILED, "error_message": "no memory", "end_time": late}
    for number in (1, 2):
        service.store.refreshes.record(refresh(f"failed {number}", "a", minute=number, **failed))
    listed = {each["name"]: each for each in client.get("/api/v1/dynamic-tables").json()["items"]}
    nodes = {each["name"]: each for each in client.get("/api/v1/lineage").json()["nodes"]}
    samples = client.get("/metrics").text
    for each in tables:
        shown = str(each.name)
        assert listed[shown]["lag_seconds"] == pytest.approx(600, abs=60)
        assert nodes[shown]["lag_seconds"] == pytest.approx(600, abs=60)
        (sample,) = re.findall(rf'headrace_dynamic_table_lag_seconds{{table="{shown}"}} (.*)', samples)
        assert float(sample) == pytest.approx(600, abs=60)
        assert listed[shown]["state"] == nodes[shown]["state"]
    first = listed["lake.public.a"]
    assert (first["state"], first["reason"], first["consecutive_failures"]) == ("failing", "no memory", 2)
    assert listed["lake.public.c"]["reason"] == "its source lake.public.a is failing"
    assert 'headrace_dynamic_table_consecutive_failures{table="lake.public.a"} 2.0' in samples
    paper.drop(name("t"))
    assert client.get("/api/v1/dynamic-tables/lake/public/a").json()["state"] == "waiting for a source"


def test_costs(client: TestClient, service: Service) -> None:
    day = datetime(2024, 6, 1, tzinfo=UTC)
    read = {"rows_read": 10, "bytes_read": 100, "cluster_seconds": 1.5}
    service.store.refreshes.record(
        refresh("j1", "a", start_time=day, **read), profile("j1", rows_written=4, bytes_written=40)
    )
    service.store.refreshes.record(refresh("j2", "a", start_time=day.replace(hour=1), **read))
    service.store.refreshes.record(
        refresh("j3", "a", start_time=day.replace(day=2), state=RefreshState.FAILED)
    )
    told = client.get("/api/v1/costs").json()["items"]
    assert [(row["name"], row["day"], row["refreshes"], row["failed_refreshes"]) for row in told] == [
        ("a", "2024-06-02", 1, 1),
        ("a", "2024-06-01", 2, 0),
    ]
    last = told[-1]
    assert (last["cluster_seconds"], last["rows_read"], last["bytes_read"]) == (3.0, 20, 200)
    assert (last["rows_written"], last["bytes_written"], last["current_bytes"]) == (4, 40, None)
    told = client.get("/api/v1/costs?since=2024-06-01T00:30:00").json()["items"]
    assert [(row["day"], row["refreshes"], row["cluster_seconds"]) for row in told] == [
        ("2024-06-02", 1, 0.0),
        ("2024-06-01", 1, 1.5),
    ]


def test_key_indexes(client: TestClient, service: Service) -> None:
    directory = service.directory.key_indexes.directory
    store_indexes(directory, "a", "b")
    size = sum(path.stat().st_size for path in directory.iterdir())
    listed = client.get("/api/v1/key-indexes").json()["items"]
    assert [(row["table_name"], row["columns"], row["files"]) for row in listed] == [
        ("a", "key", 1),
        ("b", "key", 1),
    ]
    assert sum(row["bytes"] for row in listed) == size
    assert {row["orphaned_files"] for row in listed} == {1}
    assert client.get("/api/v1/key-indexes?table=b").json()["items"] == listed[1:]
    searched = StageReport("find rows", "rows of lake.public.b by key", 0.1)
    service.store.refreshes.record(refresh("j1", "a"), profile("j1", stages=(searched,)))
    (cost,) = client.get("/api/v1/costs").json()["items"]
    assert cost["key_index_bytes"] == listed[1]["bytes"]
    assert f"headrace_key_index_bytes {size:.1f}" in client.get("/metrics").text
    service.background.cleaning.look()
    assert client.get("/api/v1/key-indexes").json()["items"] == []


def test_clusters_and_health(client: TestClient, service: Service) -> None:
    named = {each["name"]: each for each in client.get("/api/v1/clusters").json()["items"]}
    assert named.keys() == {"default", "default_ap"}
    assert named["default"]["state"] == "SUSPENDED"
    parts = (
        *("scheduler", "tasks", "pipes", "syncs", "stream_writers", "cleaning", "alerts"),
        *("presence", "clusters", "housekeeping", "events"),
    )
    well = {"status": "ok"} | dict.fromkeys(parts, "ok")
    assert client.get("/api/v1/health").json() == well
    service.background.scheduler.trouble = "the disk is full"
    troubled = well | {"status": "degraded", "scheduler": "the disk is full"}
    assert client.get("/api/v1/health").json() == troubled


def test_metrics(client: TestClient, service: Service) -> None:
    service.store.refreshes.record(refresh("j1", "a", mode=RefreshMode.FULL))
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "headrace_dynamic_tables 0.0" in answer.text
    assert 'headrace_recent_refreshes{mode="FULL",state="SUCCEED"} 1.0' in answer.text
    assert 'headrace_cluster_up{cluster="default"} 0.0' in answer.text


def test_the_page_of_the_documentation_needs_no_other_host(client: TestClient) -> None:
    page = client.get("/docs").text
    assert "SwaggerUIBundle" in page
    linked = re.findall(r"""(?:src|href)=["']([^"']+)""", page)
    assert len(linked) == 3
    for address in linked:
        assert address.startswith("/docs/static/")
        answer = client.get(address)
        assert (answer.status_code, len(answer.content) > 1000) == (200, True)
    assert "//" not in re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    assert client.get("/redoc").status_code == 404


def test_documentation(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    operations = [each for path in described["paths"].values() for each in path.values()]
    assert len(operations) >= 18
    for operation in operations:
        assert operation["tags"]
        assert " " in operation["summary"]
        assert "default" in operation["responses"]
    assert described["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
