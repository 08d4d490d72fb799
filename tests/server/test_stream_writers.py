"""Rows streamed over HTTP, on a server whose clusters have no Spark."""

from __future__ import annotations

import base64
import json
import re
import threading
from typing import Any

import httpx
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from headrace.cluster.messages import CommitRows, RowsCommitted
from headrace.errors import ClusterLost, DataError, OperationalError
from headrace.ingest.stream_writers.stream_writes import CommitOrder
from headrace.model.names import TableName
from headrace.remote import RemoteConnection
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service
from headrace.wire import ARROW_STREAM
from tests.ingest.stream_writers.paper_lake import PaperCommits
from tests.paper_catalog import PaperCatalog

from .conftest import LOCAL, OpenService
from .fake_cluster import FakeClusters
from .test_documents import PAGE, curl

EVENTS = TableName("lake", "ods", "events")
PATH = "/api/v1/stream-writers/ods.events"
COLUMNS = {"id": "long!", "at": "timestamptz", "amount": "decimal(10, 2)", "raw": "binary"}


@pytest.fixture
def commits(service: Service, clusters: FakeClusters) -> PaperCommits:
    return attach(service, clusters)


def attach(service: Service, clusters: FakeClusters) -> PaperCommits:
    catalog = PaperCatalog(service.directory)
    catalog.create(EVENTS, COLUMNS)
    commits = PaperCommits(catalog)

    def commit(request: CommitRows) -> RowsCommitted:
        order = CommitOrder(request.table, request.uuid, request.files, request.ended)
        return RowsCommitted(request.job, commits.commit(order))

    clusters.commit = commit
    return commits


def post(
    http: TestClient, sequence: int, *lines: Any, client: str = "c", **parameters: Any
) -> httpx.Response:
    body = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    return http.post(
        PATH,
        params={"client": client, "sequence": sequence, **parameters},
        content=body,
        headers={"Content-Type": "application/x-ndjson"},
    )


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["message"]


def run(client: TestClient, statement: str) -> dict[str, Any]:
    session = client.post("/api/v1/sessions").json()["session"]
    asked = {"session": session, "statement": statement, "wait_seconds": 20}
    state: dict[str, Any] = client.post("/api/v1/statements", json=asked).json()
    return state


def test_json_lines(client: TestClient, commits: PaperCommits) -> None:
    row = {"id": 1, "at": "2026-01-31T12:00:00+01:00", "amount": 1.10, "raw": "AAE="}
    answer = post(client, 1, row, {"id": 2})
    assert answer.json() == {"client": "c", "sequence": 1, "rows": 2, "duplicate": False}
    assert post(client, 1, row, {"id": 2}).json()["duplicate"] is True
    assert commits.rows[EVENTS] == []
    assert run(client, "SELECT count(*) FROM ods.events")["ended"] is True
    first, second = commits.rows[EVENTS]
    assert (first["id"], str(first["amount"]), first["raw"]) == (1, "1.10", b"\x00\x01")
    assert first["at"].timestamp() == 1769857200 and second["at"] is None


def test_arrow(client: TestClient, commits: PaperCommits) -> None:
    rows = pa.table({"id": pa.array([1, 2], pa.int32())})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    answer = client.post(
        PATH,
        params={"client": "c", "sequence": 1},
        content=bytes(sink.getvalue()),
        headers={"Content-Type": ARROW_STREAM},
    )
    assert answer.json()["rows"] == 2
    state = client.get(PATH, params={"client": "c"}).json()
    assert (state["table"], state["last_sequence"]) == ("lake.ods.events", 1)
    columns = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(state["columns"])))
    assert columns.names == list(COLUMNS)
    assert client.post(f"{PATH}/flush").status_code == 204
    assert [row["id"] for row in commits.rows[EVENTS]] == [1, 2]
    assert client.delete(PATH, params={"client": "c"}).status_code == 204


BAD_ROWS: list[tuple[Any, str]] = [
    ({"id": "1"}, "row 2: column id is BIGINT, and the value is a string"),
    ({"id": 1.5}, "row 2: column id is BIGINT, and the value is a number"),
    ({"id": True}, "row 2: column id is BIGINT, and the value is a boolean"),
    ({"id": 2**63}, "row 2: column id is BIGINT, and the value is an integer out of its range"),
    ({"amount": 1}, "row 2: column id is NOT NULL, and the row has no value for it"),
    (
        {"id": 1, "amount": 1.234},
        "row 2: column amount is DECIMAL(10,2), and the value is a number with 3 decimals",
    ),
    (
        {"id": 1, "amount": 123456789},
        "row 2: column amount is DECIMAL(10,2), and the value is a number out of its range",
    ),
    (
        {"id": 1, "at": "2026-01-31T12:00:00"},
        "row 2: column at is TIMESTAMP, and the value is a timestamp without an offset from UTC",
    ),
    (
        {"id": 1, "at": "soon"},
        "row 2: column at is TIMESTAMP, and the value is a string that is not an ISO 8601 timestamp",
    ),
    ({"id": 1, "raw": "%"}, "row 2: column raw is BINARY, and the value is a string that is not base64"),
    ({"id": 1, "idd": 2}, "row 2: the table has no column 'idd'"),
    ([1], "row 2 is a list, not an object of columns and values"),
    ('{"id": 1', "line 2 is not valid JSON: Expecting ',' delimiter: line 1 column 9 (char 8)"),
    ('{"id": NaN}', 'line 2 is not valid JSON: write NaN as the string "NaN"'),
]


def test_a_bad_row(client: TestClient, commits: PaperCommits) -> None:
    for line, message in BAD_ROWS:
        assert refusal(post(client, 1, {"id": 0}, line)) == (400, message)
    assert client.get(PATH, params={"client": "c"}).json()["last_sequence"] == 0


def test_bad_requests(client: TestClient, commits: PaperCommits) -> None:
    status, message = refusal(post(client, 2, {"id": 1}))
    assert status == 409 and message.startswith("request 2 of client c does not follow 0")
    assert refusal(post(client, 1, {"id": 1}, client="a b"))[0] == 400
    assert refusal(post(client, 0, {"id": 1}))[0] == 400
    assert refusal(post(client, 1, {"id": 1}, mode="upsert")) == (
        400,
        "mode upsert requires key columns: the table has no identifier fields",
    )
    assert post(client, 1, {"id": 1}, mode="upsert", key="id").status_code == 200
    missing = client.get("/api/v1/stream-writers/ods.nothing", params={"client": "c"})
    assert refusal(missing) == (404, "table lake.ods.nothing does not exist")
    other = client.post(PATH, params={"client": "c", "sequence": 2}, headers={"Content-Type": "text/csv"})
    assert refusal(other) == (400, "rows cannot be read as text/csv")


def test_a_token_is_required_from_elsewhere(service: Service, commits: PaperCommits) -> None:
    access = Access("0.0.0.0", service.store.tokens.holder_of)  # noqa: S104  (nothing listens there)
    client = TestClient(make_app(service, access), base_url=LOCAL)
    assert post(client, 1, {"id": 1}).status_code == 401
    assert client.get(PATH, params={"client": "c"}).status_code == 401


def test_back_pressure(open_service: OpenService, clusters: FakeClusters) -> None:
    service = open_service("stream_pending_mb = 1\n")
    commits = attach(service, clusters)
    commits.failure = ClusterLost("the process has ended")
    client = TestClient(
        make_app(service, Access("127.0.0.1", service.store.tokens.holder_of)), base_url=LOCAL
    )
    large = {"id": 1, "raw": base64.b64encode(b"x" * (1 << 20)).decode()}
    assert post(client, 1, large).status_code == 200
    answer = post(client, 2, {"id": 2})
    assert refusal(answer) == (429, "1 MB of stream writers wait for their commit")
    assert answer.headers["Retry-After"] == "2"
    assert client.post(f"{PATH}/flush").status_code == 503
    assert "the last commit failed: the process has ended" in refusal(post(client, 2, {"id": 2}))[1]
    commits.failure = None
    assert client.post(f"{PATH}/flush").status_code == 204
    assert post(client, 2, {"id": 2}).status_code == 200


def test_a_worker_that_dies_after_its_commit(client: TestClient, commits: PaperCommits) -> None:
    """The commit is tried again at once, and brings nothing twice."""
    post(client, 1, {"id": 1})
    commits.failure, commits.fails_after = ClusterLost("the process has ended"), True
    state = run(client, "SELECT * FROM ods.events")
    assert len(commits.orders) == 2
    assert any("are not in the table yet" in notice for notice in state["notices"])
    commits.failure = None
    assert run(client, "SELECT * FROM ods.events")["notices"] == ["a notice"]
    assert [row["id"] for row in commits.rows[EVENTS]] == [1]


def test_they_are_shown(client: TestClient, commits: PaperCommits) -> None:
    post(client, 1, {"id": 1}, {"id": 2})
    (row,) = client.get("/api/v1/stream-writers").json()["items"]
    assert (row["table_name"], row["client"], row["last_sequence"], row["pending_rows"]) == (
        "events",
        "c",
        1,
        2,
    )
    assert 'headrace_stream_writer_pending_rows{table="lake.ods.events"} 2.0' in client.get("/metrics").text
    state = run(client, "SHOW STREAM WRITERS LIKE 'ev%'")
    shown = client.get(f"/api/v1/statements/{state['job_id']}/rows").json()
    assert shown["rows"][0][:5] == ["lake", "ods", "events", "c", 1]
    assert "unexpected" in run(client, "SHOW STREAM WRITERS FOR t")["error"]["message"]


def test_what_the_page_shows(client: TestClient, commits: PaperCommits) -> None:
    section = PAGE.split("### Rows over HTTP")[1].split("```console\n")[1].split("```")[0]
    commands = re.findall(r"^\$ (curl(?:.*\\\n)*.*)$", section, re.MULTILINE)
    (shown,) = re.findall(r"^\{.*$", section, re.MULTILINE)
    answers = [curl(client, each.replace("\\\n", " "), URL=LOCAL) for each in commands]
    assert [answer.status_code for answer in answers] == [200, 200, 204, 200, 204]
    assert answers[0].text == shown
    assert len(commits.rows[EVENTS]) == 1


def test_a_client_in_python_writes_again_what_was_not_answered(
    client: TestClient, commits: PaperCommits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(httpx, "Client", lambda **_: client)
    lost: list[str] = []
    request = client.request

    def unreliable(method: str, url: str, **options: Any) -> httpx.Response:
        """Every second write is carried out, and its answer is lost."""
        answer = request(method, url, **options)
        if method == "POST" and url.endswith("ods.events") and len(lost) < 3:
            lost.append(url)
            raise httpx.ReadError("the connection was lost")
        return answer

    monkeypatch.setattr(client, "request", unreliable)
    connection = RemoteConnection(LOCAL)
    with connection.stream("ods.events", client="p") as writer:
        writer.write([{"id": 1}, {"id": 2}])
        writer.write({"id": 3})
        with pytest.raises(DataError, match="row 1: column id is BIGINT"):
            writer.write({"id": "x"})
        writer.flush()
    assert len(lost) == 3
    lost.clear()
    impatient = connection.stream("ods.events", client="q", retry_seconds=0)
    for _ in range(3):
        with pytest.raises(OperationalError, match="cannot be reached"):
            impatient.write({"id": 4})
    impatient.write({"id": 4})
    impatient.write({"id": 5})
    impatient.flush()
    assert [row["id"] for row in commits.rows[EVENTS]] == [1, 2, 3, 4, 5]


def test_requests_that_wait_for_a_commit_do_not_hold_others_up(
    service: Service, client: TestClient, commits: PaperCommits
) -> None:
    post(client, 1, {"id": 1})
    (table,) = service.stream_writes._all()
    with client, table.committing:
        flushes = [threading.Thread(target=client.post, args=(f"{PATH}/flush",)) for _ in range(60)]
        for flush in flushes:
            flush.start()
        answers: list[int] = []
        asked = threading.Thread(target=lambda: answers.append(client.get("/api/v1/pipes").status_code))
        asked.start()
        asked.join(5)
        in_time = list(answers)
        table.committing.release()
        for thread in (*flushes, asked):
            thread.join()
        table.committing.acquire()
    assert in_time == [200]
    assert len(commits.orders) == 1
