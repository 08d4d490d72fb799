"""The graph of the lake, what is selected of it, and the lineage of columns."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from headrace.features.streams.model import StreamMode, TableStream
from headrace.model.dynamic_table import Column, Definition, DynamicTable, Source
from headrace.model.history import RefreshMode, RefreshState
from headrace.model.task import RunState, RunTrigger, Task, TaskKind, TaskRun, TaskState
from headrace.model.version import TableVersion
from headrace.server.service import Service

from ..catalog.samples import NOON, name, refresh, table
from ..paper_catalog import PaperCatalog


def dynamic(own: str, query: str, columns: str, **reads: str) -> DynamicTable:
    sources = tuple(Source(name(each), tuple(read.split())) for each, read in reads.items())
    return replace(
        table(own),
        definition=Definition(query, query, query, sources),
        columns=tuple(Column(each, "INT") for each in columns.split()),
    )


def create(service: Service, paper: PaperCatalog, *tables: DynamicTable) -> None:
    for each in tables:
        service.store.lifecycle.begin_create(each)
        service.store.lifecycle.finish_create(each.id)
        paper.create(each.name)


@pytest.fixture
def filled(client: TestClient, service: Service) -> TestClient:
    paper, store = PaperCatalog(service.directory), service.store
    for each in ("orders", "sent", "unused"):
        paper.create(name(each))
    create(
        service,
        paper,
        dynamic(
            "clean",
            "SELECT id, upper(kind) AS kind, amount FROM lake.public.orders",
            "id kind amount",
            orders="id Kind amount",
        ),
        dynamic(
            "by_kind",
            "SELECT kind, sum(amount) AS total FROM lake.public.clean GROUP BY kind",
            "kind total",
            clean="id kind amount",
        ),
        dynamic(
            "odd",
            "SELECT one FROM lake.public.clean s(one, two, three)",
            "one",
            by_kind="kind total",
            gone="x",
        ),
    )
    mode = {"mode": RefreshMode.FULL, "end_time": NOON + timedelta(seconds=1)}
    store.refreshes.record(refresh("j1", "by_kind", state=RefreshState.SUCCEED, **mode))
    store.refreshes.record(refresh("j2", "odd", state=RefreshState.FAILED, error_message="no"))
    store.streams.create(
        TableStream(
            "s",
            name("changes"),
            name("by_kind"),
            TableVersion("u", None, 0),
            StreamMode.STANDARD,
            False,
            False,
            "ann",
            NOON,
        )
    )
    script = "INSERT INTO sent SELECT * FROM changes JOIN Orders; REFRESH DYNAMIC TABLE odd"
    task = Task("t1", "send mail", TaskKind.SQL, script, "ann", NOON, NOON, state=TaskState.DEPLOYED)
    store.tasks.create(task)
    after = replace(task, id="t2", name="report", body="SELECT 1", after=("send mail",))
    store.tasks.create(after)
    store.task_runs.record(TaskRun("r", "t1", "send mail", NOON, RunState.FAILED, RunTrigger.SCHEDULED))
    return client


def graph(client: TestClient, select: str | None = None) -> Any:
    answer = client.get("/api/v1/graph", params={} if select is None else {"select": select})
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(found: Any) -> set[str]:
    return {node["id"].removeprefix("lake.public.") for node in found["nodes"]}


def test_graph(filled: TestClient) -> None:
    found = graph(filled)
    assert ids(found) == {
        "orders",
        "clean",
        "by_kind",
        "odd",
        "gone",
        "changes",
        "sent",
        "task:send mail",
        "task:report",
    }
    short = {
        (edge["from"].removeprefix("lake.public."), edge["to"].removeprefix("lake.public."))
        for edge in found["edges"]
    }
    assert short == {
        ("orders", "clean"),
        ("clean", "by_kind"),
        ("by_kind", "odd"),
        ("gone", "odd"),
        ("by_kind", "changes"),
        ("changes", "task:send mail"),
        ("orders", "task:send mail"),
        ("task:send mail", "sent"),
        ("task:send mail", "odd"),
        ("task:send mail", "task:report"),
    }
    nodes = {node["name"]: node for node in found["nodes"]}
    assert (nodes["by_kind"]["mode"], nodes["by_kind"]["requested_mode"]) == ("FULL", "AUTO")
    assert nodes["gone"]["state"] == "missing"
    assert nodes["odd"]["state"] == "waiting for a source"
    assert (nodes["send mail"]["state"], nodes["send mail"]["last_state"]) == ("deployed", "FAILED")
    (group,) = found["groups"]
    assert (group["schema"], group["nodes"], group["states"]["missing"]) == ("public", 9, 1)


@pytest.mark.parametrize(
    ("select", "meant"),
    [
        ("+by_kind", "orders clean by_kind"),
        ("lake.public.clean", "clean"),
        ("public.clean", "clean"),
        ("clean+ kind:dynamic_table", "clean by_kind odd"),
        ("mode:FULL", "by_kind"),
        ("kind:task state:failing", "task:send_mail"),
        ("schema:nosuch", ""),
    ],
)
def test_selection(filled: TestClient, select: str, meant: str) -> None:
    found = graph(filled, select)
    assert {each.replace(" ", "_") for each in ids(found)} == set(meant.split())
    assert {edge["from"] for edge in found["edges"]} <= {node["id"] for node in found["nodes"]}


def test_the_same_selection_filters_the_list(filled: TestClient) -> None:
    listed = filled.get("/api/v1/dynamic-tables", params={"select": "clean+"}).json()["items"]
    assert [each["name"] for each in listed] == [
        "lake.public.by_kind",
        "lake.public.clean",
        "lake.public.odd",
    ]
    wrong = filled.get("/api/v1/dynamic-tables", params={"select": "a++"})
    assert (wrong.status_code, wrong.json()["error"]["kind"]) == (400, "DataError")


def columns(client: TestClient, path: str, **parameters: str) -> Any:
    answer = client.get(f"/api/v1/lineage/columns/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_columns_upstream(filled: TestClient) -> None:
    found = columns(filled, "lake/public/by_kind", column="TOTAL", direction="upstream")
    assert [(node["table"], node["column"]) for node in found["nodes"]] == [
        ("lake.public.by_kind", "total"),
        ("lake.public.clean", "amount"),
        ("lake.public.orders", "amount"),
    ]
    assert {(edge["source"], edge["kind"]) for edge in found["edges"]} == {
        ("lake.public.orders#amount", "COPIED"),
        ("lake.public.clean#amount", "COMPUTED"),
    }
    assert found["unknown"] == ["lake.public.odd"]


def test_columns_downstream(filled: TestClient) -> None:
    found = columns(filled, "lake/public/orders", column="kind", direction="downstream")
    assert [node["id"].removeprefix("lake.public.") for node in found["nodes"]] == [
        "by_kind#kind",
        "clean#kind",
        "orders#Kind",
    ]


def test_all_columns_of_a_table(filled: TestClient) -> None:
    found = columns(filled, "lake/public/clean")
    assert len(found["nodes"]) == 8
    unknown = filled.get("/api/v1/lineage/columns/lake/public/nosuch")
    assert unknown.status_code == 404
