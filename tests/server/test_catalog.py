"""Pages of objects, their versions, a preview and search, without Spark."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from headrace.model.task import Task, TaskKind
from headrace.server.service import Service

from ..catalog.samples import NOON, name, table
from ..paper_catalog import PaperCatalog
from .fake_cluster import FakeClusters

OBJECTS = "/api/v1/objects/lake/public"


@pytest.fixture
def filled(client: TestClient, service: Service) -> TestClient:
    paper = PaperCatalog(service.directory)
    paper.create(name("orders"))
    made = table("clean", reads=(name("orders"),))
    service.store.lifecycle.begin_create(made)
    service.store.lifecycle.finish_create(made.id)
    paper.create(made.name)
    for minute in range(3):
        summary = {"total-records": str(minute), "total-files-size": "10"}
        paper.commit(name("orders"), NOON + timedelta(minutes=minute), summary)
    paper.refresh(made, NOON + timedelta(minutes=5))
    script = "INSERT INTO orders SELECT 1"
    service.store.tasks.create(Task("t", "load orders", TaskKind.SQL, script, "ann", NOON, NOON))
    return client


def test_a_table(filled: TestClient) -> None:
    found = filled.get(f"{OBJECTS}/orders").json()
    assert (found["kind"], found["rows"], found["bytes"]) == ("table", 2, 10)
    assert (found["version"], found["versions"]) == (3, 3)
    assert [each["name"] for each in found["read_by"]] == ["clean"]
    assert [(each["kind"], each["name"]) for each in found["fed_by"]] == [("task", "load orders")]
    assert found["ddl"].startswith("CREATE TABLE lake.public.orders")


def test_a_dynamic_table(filled: TestClient) -> None:
    found = filled.get(f"{OBJECTS}/clean").json()
    assert (found["kind"], found["creator"]) == ("dynamic table", "ann")
    assert found["ddl"].startswith("CREATE DYNAMIC TABLE lake.public.clean")
    assert [each["name"] for each in found["fed_by"]] == ["orders"]
    (version,) = filled.get(f"{OBJECTS}/clean/versions").json()["items"]
    assert (version["job_id"], version["source_versions"]) == ("job", '{"lake.public.orders":3}')


def test_versions_in_pages(filled: TestClient) -> None:
    first = filled.get(f"{OBJECTS}/orders/versions", params={"limit": 2}).json()
    assert [each["version"] for each in first["items"]] == [3, 2]
    rest = filled.get(f"{OBJECTS}/orders/versions", params={"page": first["next_page"]}).json()
    assert [each["version"] for each in rest["items"]] == [1]
    assert rest["items"][0]["rows_inserted"] is None


def test_what_does_not_exist(filled: TestClient) -> None:
    for path in ("order", "order/versions"):
        answer = filled.get(f"{OBJECTS}/{path}")
        assert answer.status_code == 404
    assert answer.json()["error"]["hint"] == "did you mean lake.public.orders?"


def test_preview(filled: TestClient, clusters: FakeClusters) -> None:
    session = filled.post("/api/v1/sessions").json()["session"]
    asked = {"session": session, "version": 3}
    answer = filled.post("/api/v1/objects/lake/public/a`b/preview", json=asked)
    assert answer.status_code == 202
    job = answer.json()["job_id"]
    assert filled.get(f"/api/v1/statements/{job}", params={"wait_seconds": 20}).json()["state"] == "SUCCEED"
    assert clusters.last.seen[-1].text == "SELECT * FROM `lake`.`public`.`a``b` VERSION AS OF 3 LIMIT 100"
    assert len(filled.get(f"/api/v1/statements/{job}/rows").json()["rows"]) == 3


def test_search(filled: TestClient) -> None:
    found = filled.get("/api/v1/search", params={"text": "ord"}).json()["items"]
    assert [(each["kind"], each["name"]) for each in found] == [("table", "orders"), ("task", "load orders")]
    assert filled.get("/api/v1/search", params={"text": "ord", "limit": 1}).json()["items"] == found[:1]
