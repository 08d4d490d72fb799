"""Large results through the API: fetched while the statement runs, in pages, as Arrow or as JSON."""

from __future__ import annotations

import getpass
import time
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from headrace.errors import NotFound
from headrace.result import END_OF_STREAM, from_stream
from headrace.server import statements
from headrace.server.service import Service
from headrace.wire import ARROW_STREAM

from .fake_cluster import FakeClusters
from .test_statements import session_of, submit

ARROW = {"Accept": ARROW_STREAM}
MANY = 5


def rows_of(client: TestClient, job: str, **parameters: int) -> Any:
    return client.get(f"/api/v1/statements/{job}/rows", params=parameters)


def arrow_of(client: TestClient, job: str, **parameters: int) -> pa.Table:
    answer = client.get(f"/api/v1/statements/{job}/rows", params=parameters, headers=ARROW)
    assert answer.content.endswith(END_OF_STREAM)
    return from_stream(answer.content)


def test_a_large_result_is_streamed(client: TestClient, service: Service) -> None:
    told = submit(client, f"MANY {MANY}")
    assert (told["state"], told["rows_ready"], told["row_count"]) == ("SUCCEED", True, MANY * 1000)
    answer = client.get(f"/api/v1/statements/{told['job_id']}/rows", headers=ARROW)
    assert "content-length" not in answer.headers
    table = from_stream(answer.content)
    assert table["n"].to_pylist() == list(range(MANY * 1000))
    statement = service.statements.find(told["job_id"], getpass.getuser())
    assert statement.size == 0
    assert arrow_of(client, told["job_id"]) == table
    rows = rows_of(client, told["job_id"]).json()
    assert rows["columns"] == [{"name": "n", "type": "bigint"}, {"name": "s", "type": "string"}]
    assert [number for number, _ in rows["rows"]] == list(range(MANY * 1000))


@pytest.mark.parametrize("text", [f"MANY {MANY}", "SELECT 1"])
def test_pages(client: TestClient, text: str) -> None:
    job = submit(client, text)["job_id"]
    everything = rows_of(client, job).json()["rows"]
    size = max(2, len(everything) // 3 + 1)
    pages = [rows_of(client, job, offset=at, limit=size).json()["rows"] for at in range(0, 4 * size, size)]
    assert [row for page in pages for row in page] == everything
    assert pages[-1] == []
    assert len(pages[0]) == size
    part = arrow_of(client, job, offset=1, limit=size)
    assert [list(row) for row in zip(*part.to_pydict().values(), strict=True)] == everything[1 : size + 1]
    assert rows_of(client, job, limit=0).json()["rows"] == []
    assert rows_of(client, job, offset=-1).status_code == 400


def test_rows_are_fetched_while_the_statement_runs(client: TestClient) -> None:
    told = submit(client, f"MANY {MANY} UNTIL_CANCELLED", wait_for="rows")
    assert (told["ended"], told["rows_ready"], told["types"]) == (False, True, ["bigint", "string"])
    first = rows_of(client, told["job_id"], limit=10).json()["rows"]
    assert [number for number, _ in first] == list(range(10))
    assert submit(client, "SELECT 1", wait_for="rows")["ended"]
    client.post(f"/api/v1/statements/{told['job_id']}/cancel")
    told = client.get(f"/api/v1/statements/{told['job_id']}", params={"wait_seconds": 5}).json()
    assert (told["state"], told["rows_ready"]) == ("CANCELLED", False)
    assert rows_of(client, told["job_id"]).json()["error"]["kind"] == "Cancelled"


def test_a_failure_after_some_rows_is_no_complete_response(
    client: TestClient, clusters: FakeClusters
) -> None:
    job = submit(client, f"MANY {MANY} UNTIL_CANCELLED", wait_for="rows")["job_id"]
    spool = clusters.last.results.find(job)
    spool.fail(NotFound("the rest is not there"))
    answer = client.get(f"/api/v1/statements/{job}/rows", headers=ARROW)
    assert not answer.content.endswith(END_OF_STREAM)
    assert not rows_of(client, job).text.endswith("]}")
    again = rows_of(client, job, offset=MANY * 1000)
    assert (again.status_code, again.json()["error"]["message"]) == (404, "the rest is not there")


def test_a_cluster_that_is_lost_with_the_rows_of_an_ended_statement(
    client: TestClient, clusters: FakeClusters
) -> None:
    job = submit(client, f"MANY {MANY}")["job_id"]
    clusters.last.kill()
    answer = rows_of(client, job)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (503, "ClusterLost")


def test_rows_are_released_when_they_are_old(
    client: TestClient, service: Service, clusters: FakeClusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [submit(client, f"MANY {MANY}")["job_id"] for _ in range(2)]
    assert clusters.last.rows_read == set(jobs)
    read = service.statements.find(jobs[1], getpass.getuser())
    read.read_at = time.monotonic() + statements.KEPT_SECONDS
    ended = service.statements.find(jobs[0], getpass.getuser())
    ended.ended_at -= statements.KEPT_SECONDS + 1
    service.background.housekeeping.look()
    assert clusters.last.rows_read == {jobs[1]}
    assert rows_of(client, jobs[0]).json()["error"]["message"] == f"statement {jobs[0]} no longer exists"


def test_rows_are_released_with_their_session(client: TestClient, clusters: FakeClusters) -> None:
    session = session_of(client)
    job = submit(client, f"MANY {MANY}", session)["job_id"]
    client.delete(f"/api/v1/sessions/{session}")
    assert clusters.last.rows_read == set()
    assert "no longer available" in rows_of(client, job).json()["error"]["message"]


def test_a_cluster_is_not_suspended_while_it_stores_rows(
    client: TestClient, service: Service, clusters: FakeClusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of(client)
    submit(client, f"MANY {MANY}", session)
    cluster = service.pool.cluster("default")
    monkeypatch.setattr(cluster, "_idle_since", -1e9)
    cluster.suspend_if_idle()
    assert clusters.last.is_alive
    client.delete(f"/api/v1/sessions/{session}")
    cluster.suspend_if_idle()
    assert not clusters.last.is_alive


def test_a_task_logs_the_first_rows_of_a_large_result(client: TestClient, service: Service) -> None:
    session = session_of(client)
    submit(client, f"CREATE TASK big AS MANY {MANY}", session)
    told = submit(client, "EXECUTE TASK big", session)
    assert told["error"] is None, told
    (run,) = service.store.task_runs.history()
    assert run.log.count("x" * 1000) == 20
    assert f"and {MANY * 1000 - 20} more rows" in run.log
