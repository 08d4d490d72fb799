"""What /openapi.json declares is complete, and what the routes send is what it declares."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from headrace.features.development.model import File, FileKind, FileSettings, FileVersion
from headrace.features.pipes.model import Pipe, PipeSettings
from headrace.features.streams.model import StreamMode, TableStream
from headrace.features.syncs.model import Sync, SyncMode, SyncSettings, SyncStart, SyncTable
from headrace.ingest.stream_writers.requests import WriteRequest
from headrace.model.alert import AlertKind, FiredAlert
from headrace.model.arrow_rows import rows_as_table
from headrace.model.backfill import Backfill, BackfillItem
from headrace.model.history import RefreshMode, RefreshState
from headrace.model.names import TableName
from headrace.model.task import RunState, RunTrigger, Task, TaskKind, TaskRun
from headrace.model.version import TableVersion
from headrace.server import health
from headrace.server.app import API_MODULES
from headrace.server.service import Service

from ..catalog.samples import NOON, profile, refresh, table
from ..lake.index_writing import store_indexes
from ..paper_catalog import PaperCatalog

NO_BODY = {
    "DELETE /api/v1/sessions/{session}",
    "DELETE /api/v1/files/{file_id}/draft",
    "DELETE /api/v1/tokens/{name}",
    "POST /api/v1/sign-out",
    "POST /api/v1/stream-writers/{table}/flush",
    "DELETE /api/v1/stream-writers/{table}",
}
STREAMS = {
    "GET /metrics": "text/plain",
    "GET /api/v1/statements/{job_id}/download": "text/csv",
    "GET /api/v1/events": "text/event-stream",
}
LISTS = (
    "schemas",
    "schemas/lake/public/objects",
    "dynamic-tables",
    "history",
    "jobs",
    "costs",
    "key-indexes",
    "clusters",
    "tasks",
    "tasks/nightly/runs",
    "task-runs",
    "objects/lake/public/a/versions",
    "backfills",
    "streams",
    "pipes",
    "syncs",
    "stream-writers",
    "tokens",
    "alerts",
    "files",
    "files/f1/versions",
)
SINGLE = (
    "dynamic-tables/lake/public/a",
    "jobs/j1",
    "lineage",
    "graph",
    "objects/lake/public/a",
    "search?text=a",
    "lineage/columns/lake/public/a",
    "health",
    "tasks/nightly",
    "task-runs/r1",
    "completion",
    "alert-rules",
    "backfills/b1",
    "schedules/next?cron=0 2 * * *",
    "files/f1",
    "files/f1/versions/1",
    "pipes/lake/public/s1",
    "syncs/lake/public/s1",
)


def operations(client: TestClient) -> Iterator[tuple[str, dict[str, Any]]]:
    described = client.get("/openapi.json").json()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_route_declares_its_response(client: TestClient) -> None:
    lacking = []
    for name, operation in operations(client):
        (response,) = (each for status, each in operation["responses"].items() if status.startswith("2"))
        if name in NO_BODY:
            assert "content" not in response
            continue
        media = STREAMS.get(name, "application/json")
        schema = response["content"][media]["schema"]
        if not schema.keys() & {"$ref", "type", "anyOf"}:
            lacking.append(name)
    assert lacking == []


def test_every_route_declares_the_same_error(client: TestClient) -> None:
    declared = {str(operation["responses"]["default"]["content"]) for _, operation in operations(client)}
    assert declared == {str({"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}})}
    components = client.get("/openapi.json").json()["components"]["schemas"]
    assert components["Failure"]["properties"]["error"] == {"$ref": "#/components/schemas/ErrorView"}
    assert set(components["ErrorView"]["required"]) == {"kind", "message", "hint", "place"}


def test_no_declared_field_is_of_unknown_type(client: TestClient) -> None:
    """Other than the values of result rows and of parameters, which can be anything."""
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    unknown = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, declared in schema.get("properties", {}).items()
        if not declared.keys() & {"$ref", "type", "anyOf", "oneOf", "enum", "const"}
    ]
    assert unknown == []


def test_all_lists_have_the_same_parameters_and_the_same_envelope(client: TestClient) -> None:
    listing = {
        name: operation
        for name, operation in operations(client)
        if "page" in {each["name"] for each in operation.get("parameters", ())}
    }
    assert len(listing) == len(LISTS)
    components = client.get("/openapi.json").json()["components"]["schemas"]
    for operation in listing.values():
        named = {each["name"]: each for each in operation["parameters"]}
        assert named.keys() >= {"limit", "page", "like"}
        assert named["limit"]["schema"] | {"title": ""} == {
            "type": "integer",
            "minimum": 1,
            "maximum": 10_000,
            "default": 100,
            "description": "Items of a page, at most.",
            "title": "",
        }
        reference = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        assert components[reference.rpartition("/")[2]]["required"] == ["items", "next_page"]


@pytest.fixture
def filled(client: TestClient, service: Service) -> TestClient:
    paper, store = PaperCatalog(service.directory), service.store
    store_indexes(service.directory.key_indexes.directory, "a", "b")
    for each in "abc":
        made = table(each)
        store.lifecycle.begin_create(made)
        store.lifecycle.finish_create(made.id)
        paper.create(made.name)
    for minute in (1, 2):
        paper.commit(table("a").name, NOON + timedelta(minutes=minute))
    for number in range(1, 6):
        mode = {"mode": RefreshMode.FULL, "end_time": NOON + timedelta(seconds=1.5)}
        store.refreshes.record(refresh(f"j{number}", "a", minute=number // 2, **mode), profile(f"j{number}"))
    store.refreshes.record(refresh("j6", "b", minute=9, state=RefreshState.FAILED, error_message="no memory"))
    task = Task("t1", "nightly", TaskKind.SQL, "SELECT 1", "ann", NOON, NOON, parameters={"day": "x"})
    store.tasks.create(task)
    for run in ("r1", "r2"):
        for attempt in (1, 2, 3):
            store.task_runs.record(
                TaskRun(run, "t1", "nightly", NOON, RunState.FAILED, RunTrigger.SCHEDULED, attempt=attempt)
            )
    for backfill_id in ("b1", "b2"):
        item = BackfillItem("nightly", "2024-06-01")
        store.backfills.record(Backfill(backfill_id, "nightly", "bizdate", 1, "ann", NOON, (item,)))
    written = TableName("lake", "public", "written")
    paper.create(written, {"id": "long"})
    for each in ("s1", "s2"):
        request = WriteRequest(each, 1)
        service.stream_writes.write(written, request, lambda schema: rows_as_table([{"id": 1}], schema))
        store.streams.create(stream(each))
        store.pipes.create(pipe(each))
        store.syncs.create(sync(each))
        store.tokens.create(each, NOON)
        store.alerts.record([FiredAlert(AlertKind.LAG, each, "late", NOON)])
    for file_id in ("f1", "f2"):
        file = File(file_id, None, file_id, FileKind.SQL, "ann", NOON, "ann", NOON, version=1)
        store.files.create(file, FileVersion(file_id, 1, "SELECT 1", FileSettings(), "ann", NOON))
    store.files.save(FileVersion("f1", 2, "SELECT 2", FileSettings(), "ann", NOON))
    session = client.post("/api/v1/sessions").json()["session"]
    for text in ("SELECT 1", "SELECT 2"):
        asked = {"session": session, "statement": text, "wait_seconds": 60}
        assert client.post("/api/v1/statements", json=asked).json()["state"] == "SUCCEED"
    return client


def stream(own: str) -> TableStream:
    version, mode = TableVersion("u", None, 0), StreamMode.STANDARD
    return TableStream(own, table(own).name, table("a").name, version, mode, False, False, "ann", NOON)


def pipe(own: str) -> Pipe:
    copy, settings = "COPY INTO a FROM '/in' USING CSV", PipeSettings("default")
    name = table(own).name
    return Pipe(own, name, table("a").name, copy, "lake", "public", settings, "ann", NOON, NOON)


def sync(own: str) -> Sync:
    target = SyncTable("public.a", table("a").name, ("id",))
    kind, settings = (SyncMode.MIRROR, SyncStart.SNAPSHOT), SyncSettings("default")
    name, where = table(own).name, ("lake", "public", "")
    return Sync(own, name, "shop", ("public.*",), *where, *kind, (target,), settings, "ann", NOON, NOON)


def declared_model(path: str) -> TypeAdapter[Any]:
    below = path.removeprefix("/api/v1")
    modules = API_MODULES
    asked = [(route, below) for module in modules for route in module.routes.routes]
    asked += [(route, path) for route in health.routes.routes]
    (found,) = (
        route
        for route, where in asked
        if isinstance(route, APIRoute) and "GET" in route.methods and route.path_regex.match(where)
    )
    return TypeAdapter(found.response_model)


@pytest.mark.parametrize("path", [*LISTS, *SINGLE])
def test_what_is_sent_is_what_is_declared(filled: TestClient, path: str) -> None:
    answer = filled.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    model = declared_model(f"/api/v1/{path.partition('?')[0]}")
    view = model.validate_json(answer.content)
    declared = model.json_schema(mode="serialization")
    sent = answer.json()
    assert set(declared["properties"]) == set(sent)
    if path in LISTS:
        assert len(view.items) == len(sent["items"]) > 0


@pytest.mark.parametrize("path", LISTS)
def test_pages_of_one_item_are_the_whole_list(filled: TestClient, path: str) -> None:
    whole = filled.get(f"/api/v1/{path}").json()
    assert whole["next_page"] is None
    found: list[Any] = []
    page: dict[str, str] = {}
    while True:
        answer = filled.get(f"/api/v1/{path}", params={"limit": 1} | page).json()
        assert len(answer["items"]) == 1
        found += answer["items"]
        if answer["next_page"] is None:
            break
        page = {"page": answer["next_page"]}
    assert found == whole["items"]


def test_filters(filled: TestClient) -> None:
    def names(path: str, key: str, **parameters: str) -> list[str]:
        return [each[key] for each in filled.get(f"/api/v1/{path}", params=parameters).json()["items"]]

    assert names("history", "job_id", state="FAILED") == ["j6"]
    assert names("history", "job_id", like="a", limit="2") == ["j5", "j4"]
    assert names("history", "job_id", mode="FULL", until=(NOON + timedelta(minutes=2)).isoformat()) == [
        "j3",
        "j2",
        "j1",
    ]
    assert names("history", "job_id", since=(NOON + timedelta(minutes=9)).isoformat()) == ["j6"]
    assert names("tasks", "name", kind="SQL") == ["nightly"]
    assert names("tasks", "name", kind="DYNAMIC_TABLE") == []
    assert names("dynamic-tables", "name", like="b|c") == ["lake.public.b", "lake.public.c"]
    assert names("tasks", "name", like="night%", state="DRAFT") == ["nightly"]
    assert names("tasks", "name", state="DEPLOYED") == []
    assert names("clusters", "name", like="%_ap") == ["default_ap"]
    assert set(names("jobs", "kind", state="SUCCEED")) == {"STATEMENT", "REFRESH"}
    assert names("jobs", "job_id", state="CANCELLED") == []


def test_what_is_added_meanwhile_is_not_repeated(filled: TestClient, service: Service) -> None:
    first = filled.get("/api/v1/history", params={"limit": 3}).json()
    service.store.refreshes.record(refresh("j7", "a", minute=30))
    rest = filled.get("/api/v1/history", params={"page": first["next_page"]}).json()
    listed = [each["job_id"] for each in (*first["items"], *rest["items"])]
    assert listed == ["j6", "j5", "j4", "j3", "j2", "j1"]


@pytest.mark.parametrize("page", ["x", "W10", "bnVsbA", "eyJhIjogMX0"])
def test_a_page_that_no_list_has(filled: TestClient, page: str) -> None:
    for path in ("history", "tasks", "costs"):
        answer = filled.get(f"/api/v1/{path}", params={"page": page})
        assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "InterfaceError"), path
