"""Jobs, downloads, tokens, streams, alerts and what an editor needs, without Spark."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from headrace.errors import NotSupportedError
from headrace.features.streams.model import StreamMode, TableStream
from headrace.model.access_token import Principal
from headrace.model.alert import AlertKind, FiredAlert
from headrace.model.history import RefreshMode
from headrace.model.job import JobKind, JobState
from headrace.model.role import Role
from headrace.model.version import TableVersion
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.downloads import check_parquet
from headrace.server.service import Service

from ..catalog.operation_samples import job
from ..catalog.samples import NOON, name, profile, refresh
from ..paper_catalog import PaperCatalog
from .conftest import OpenService

API = "/api/v1"


def with_token(service: Service, user: str) -> TestClient:
    token = service.store.tokens.create(user, NOON)
    app = make_app(service, Access("192.0.2.1", service.store.tokens.holder_of))
    return TestClient(app, headers={"Authorization": f"Bearer {token}"})


def run(client: TestClient, text: str) -> str:
    session = client.post(f"{API}/sessions").json()["session"]
    asked = {"session": session, "statement": text, "wait_seconds": 30}
    return str(client.post(f"{API}/statements", json=asked).json()["job_id"])


@pytest.fixture
def jobs(service: Service) -> None:
    for minute, more in enumerate(
        [
            {"tag": "nightly", "statement": "INSERT INTO orders SELECT 1"},
            {"cluster": "big", "creator": "bob", "statement": "SELECT * FROM orders", "tag": "mine"},
            {"kind": JobKind.TASK, "state": JobState.FAILED},
        ]
    ):
        moment = NOON + timedelta(minutes=minute)
        ended = {"start_time": moment, "end_time": moment + timedelta(seconds=minute * 10)}
        service.store.jobs.record(job(f"j{minute}", minute, **ended, **more))
    service.store.refreshes.record(
        refresh(
            "r1",
            "orders_by_day",
            minute=9,
            mode=RefreshMode.FULL,
            end_time=NOON + timedelta(minutes=9, seconds=5),
        ),
        replace(profile("r1"), plans=("Project [a]\n+- LocalTableScan [a]",)),
    )


@pytest.mark.parametrize(
    ("parameters", "ids"),
    [
        ({}, ["r1", "j2", "j1", "j0"]),
        ({"kind": "REFRESH"}, ["r1"]),
        ({"state": "FAILED"}, ["j2"]),
        ({"cluster": "BIG"}, ["j1"]),
        ({"creator": "ann"}, ["j2", "j0"]),
        ({"table": "orders"}, ["r1", "j0"]),
        ({"table": "orders_by_day"}, ["r1"]),
        ({"query_tag": "night%"}, ["j0"]),
        ({"query_tag": "mine"}, []),
        ({"min_seconds": 6}, ["j2", "j1"]),
        ({"min_seconds": 5, "max_seconds": 12}, ["r1", "j1"]),
        ({"since": "2024-06-01T12:01:00Z", "until": "2024-06-01T12:02:00Z"}, ["j1"]),
        ({"like": "j%"}, ["j2", "j1", "j0"]),
    ],
)
def test_filters_of_jobs(service: Service, jobs: None, parameters: dict[str, Any], ids: list[str]) -> None:
    """For ann, who must not read the statement of bob."""
    found = with_token(service, "ann").get(f"{API}/jobs", params=parameters).json()["items"]
    assert [each["job_id"] for each in found] == ids


def test_plans_of_a_profile_are_trees(client: TestClient, jobs: None) -> None:
    found = client.get(f"{API}/jobs/r1").json()
    (tree,) = found["plan_trees"]
    assert [(node["parent"], node["name"]) for node in tree["nodes"]] == [
        (None, "Project"),
        (0, "LocalTableScan"),
    ]


def test_csv(client: TestClient) -> None:
    job_id = run(client, "SELECT 1")
    answer = client.get(f"{API}/statements/{job_id}/download")
    assert answer.headers["content-disposition"] == f'attachment; filename="{job_id}.csv"'
    assert list(csv.reader(io.StringIO(answer.text))) == [["n", "s"], ["1", "a"], ["2", "b"], ["3", ""]]


@pytest.mark.parametrize("text", ["SELECT 1", "MANY 5"])
def test_parquet(client: TestClient, text: str) -> None:
    """A small result, and one that is read in parts."""
    job_id = run(client, text)
    answer = client.get(f"{API}/statements/{job_id}/download", params={"format": "parquet"})
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    found = pq.read_table(io.BytesIO(answer.content))
    expected = client.get(f"{API}/statements/{job_id}/rows").json()["rows"]
    assert [list(row.values()) for row in found.to_pylist()] == expected
    rows = client.get(f"{API}/statements/{job_id}/download").text.count("\r\n") - 1
    assert rows == len(expected)


def test_a_type_that_parquet_does_not_have() -> None:
    with pytest.raises(NotSupportedError, match="cannot be written as Parquet"):
        check_parquet(pa.schema([("x", pa.month_day_nano_interval())]))


def test_a_download_of_what_failed(client: TestClient) -> None:
    answer = client.get(f"{API}/statements/{run(client, 'SELECT nosuch')}/download")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "NotFound")


def test_tokens(client: TestClient, service: Service) -> None:
    made = client.post(f"{API}/tokens", json={"name": " ann "}).json()
    assert made["name"] == "ann"
    assert service.store.tokens.holder_of(made["token"]) == Principal("ann", Role.DEVELOPER)
    listed = client.get(f"{API}/tokens")
    assert [each["name"] for each in listed.json()["items"]] == ["ann"]
    assert made["token"] not in listed.text
    assert client.post(f"{API}/tokens", json={"name": "ann"}).status_code == 409
    assert client.post(f"{API}/tokens", json={"name": " "}).status_code == 400
    assert client.delete(f"{API}/tokens/ann").status_code == 204
    assert service.store.tokens.holder_of(made["token"]) is None
    assert client.delete(f"{API}/tokens/ann").status_code == 404


def test_others_manage_only_their_own_tokens(service: Service) -> None:
    ann, bob = with_token(service, "ann"), with_token(service, "bob")
    assert [each["name"] for each in ann.get(f"{API}/tokens").json()["items"]] == ["ann"]
    for answer in (ann.post(f"{API}/tokens", json={"name": "eve"}), ann.delete(f"{API}/tokens/bob")):
        assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "PermissionDenied")
    assert bob.get(f"{API}/tokens").status_code == 200
    assert ann.delete(f"{API}/tokens/ann").status_code == 204
    assert ann.get(f"{API}/tokens").status_code == 401


def test_streams(client: TestClient, service: Service) -> None:
    paper = PaperCatalog(service.directory)
    for minute in range(3):
        paper.commit(name("t"), NOON + timedelta(minutes=minute), {"added-records": "4"})
    service.store.streams.create(
        TableStream(
            "s",
            name("s"),
            name("t"),
            TableVersion("uuid-t", 3, 0),
            StreamMode.APPEND_ONLY,
            False,
            False,
            "ann",
            NOON,
        )
    )
    (found,) = client.get(f"{API}/streams").json()["items"]
    assert (found["id"], found["table"], found["mode"]) == ("lake.public.s", "lake.public.t", "APPEND_ONLY")
    assert (found["offset_version"], found["current_version"], found["pending_versions"]) == (3, 3, 0)


def test_completion(client: TestClient, service: Service) -> None:
    PaperCatalog(service.directory).create(name("orders"))
    found = client.get(f"{API}/completion").json()
    assert {"SELECT", "DYNAMIC", "TASK"} <= set(found["keywords"])
    assert {"date_trunc", "sum"} <= set(found["functions"])
    assert found["tables"] == [{"workspace": "lake", "schema": "public", "name": "orders", "columns": []}]


def test_format(client: TestClient) -> None:
    assert client.post(f"{API}/format", json={"text": "select 1"}).json() == {"text": "SELECT 1\n"}
    wrong = client.post(f"{API}/format", json={"text": "select 'x"})
    assert (wrong.status_code, wrong.json()["error"]["kind"]) == (400, "SqlSyntaxError")


def test_only_an_explanation_is_explained(client: TestClient) -> None:
    answer = client.get(f"{API}/statements/{run(client, 'SELECT 1')}/explained")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "InterfaceError")


def test_alerts(client: TestClient, service: Service) -> None:
    over = FiredAlert(AlertKind.TASK_FAILED, "task load", "no", NOON, NOON + timedelta(minutes=1))
    service.store.alerts.record([over, FiredAlert(AlertKind.LAG, "dynamic table t", "late", NOON)])
    found = client.get(f"{API}/alerts").json()["items"]
    assert [(each["kind"], each["ended_time"] is None) for each in found] == [
        ("task_failed", False),
        ("lag", True),
    ]
    (still,) = client.get(f"{API}/alerts", params={"resolved": False}).json()["items"]
    assert still["subject"] == "dynamic table t"


def test_rules_show_no_secret(open_service: OpenService) -> None:
    service = open_service(
        "[settings.alerts]\nlag_seconds = 600\n"
        "targets = ['mailtos://user:secret@example.com', 'jsons://hook/key']\n"
    )
    client = TestClient(
        make_app(service, Access("127.0.0.1", service.store.tokens.holder_of)),
        base_url="http://127.0.0.1:8642",
    )
    answer = client.get(f"{API}/alert-rules")
    assert answer.json()["targets"] == ["mailtos", "jsons"]
    assert (answer.json()["lag_seconds"], "secret" in answer.text) == (600, False)
