"""What Studio asks of a real server: the tutorial step by step, pages of objects, explanations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import headrace
from headrace.lake.directory import make_lake

from .served import Served, serving, until

FOLDER = "Tutorial_Working_With_Dynamic_Table"


class Client:
    def __init__(self, served: Served) -> None:
        self.http = httpx.Client(base_url=f"{served.url}/api/v1", timeout=120)
        self.session = self.post("/sessions")["session"]

    def get(self, path: str, **parameters: Any) -> Any:
        return self._checked(self.http.get(path, params=parameters))

    def post(self, path: str, **content: Any) -> Any:
        return self._checked(self.http.post(path, json=content))

    def put(self, path: str, **content: Any) -> Any:
        return self._checked(self.http.put(path, json=content))

    def run(self, text: str) -> Any:
        """The statement, when it has ended."""
        asked = {"session": self.session, "statement": text, "wait_seconds": 60}
        return self.ended(self.post("/statements", **asked))

    def ended(self, statement: Any) -> Any:
        while not statement["ended"]:
            statement = self.get(f"/statements/{statement['job_id']}", wait_seconds=60)
        assert statement["error"] is None, statement
        return statement

    def rows(self, statement: Any) -> list[list[Any]]:
        rows: list[list[Any]] = self.get(f"/statements/{statement['job_id']}/rows")["rows"]
        return rows

    @staticmethod
    def _checked(answer: httpx.Response) -> Any:
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("studio") / "lake"
    make_lake(path)
    with serving(path) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Client:
    return Client(served)


def submit(client: Client, file: dict[str, Any]) -> Any:
    """With a schedule of a minute, as the tutorial says."""
    found = client.get(f"/files/{file['id']}")
    settings = {**found["settings"], "interval_seconds": 60}
    saved = client.put(
        f"/files/{file['id']}", based_on=found["version"], content=found["content"], settings=settings
    )
    planned = client.post(f"/files/{file['id']}/plan")
    assert {change["action"] for change in planned["changes"]} == {"CREATE"}
    deployed = client.post(f"/files/{file['id']}/submit", version=saved["version"])
    assert client.post(f"/files/{file['id']}/plan")["changes"][0]["action"] == "NONE"
    return deployed


def test_tutorial(client: Client) -> None:
    client.post("/files/tutorial")
    steps = {
        file["name"]: file for file in client.get("/files")["items"] if file["path"].startswith(f"{FOLDER}/")
    }
    first, second, third, last = (steps[name] for name in sorted(steps))
    loading = submit(client, first)["task"]
    client.post(f"/tasks/{loading}/execute")
    until(lambda: client.get(f"/tasks/{loading}")["last_run_state"] == "SUCCEED", 120, "the first run")
    tables = [submit(client, second)["task"], submit(client, third)["task"]]
    for name in ("tutorial_clean_events", "tutorial_sales_by_minute"):
        client.run(f"REFRESH DYNAMIC TABLE {name}")

    texts = headrace_statements(client.get(f"/files/{last['id']}")["content"])
    layers, history = (client.run(text) for text in texts)
    assert sorted(row[0] for row in client.rows(layers)) == [
        "tutorial_clean_events",
        "tutorial_events",
        "tutorial_sales_by_minute",
    ]
    assert all(row[1] is not None for row in client.rows(layers))
    assert len(client.rows(history)) >= 2

    client.post(f"/tasks/{loading}/execute")
    until(lambda: client.get("/objects/lake/public/tutorial_events")["versions"] >= 2, 120, "the second run")
    modes = {
        client.rows(client.run(f"REFRESH DYNAMIC TABLE {name}"))[0][10] for name in ("tutorial_clean_events",)
    }
    assert modes <= {"INCREMENTAL", "FULL", "NO_DATA"}

    run = client.get(f"/tasks/{tables[0]}/runs")["items"][0]
    assert client.get(f"/task-runs/{run['run_id']}")["attempts"] == [run]

    done = client.post("/tasks/bulk", names=[loading, *tables], step="OFFLINE")["items"]
    assert {each["state"] for each in done} == {"OFFLINE"}
    found = client.get("/dynamic-tables/lake/public/tutorial_clean_events")
    assert found["suspended"]


def headrace_statements(script: str) -> list[str]:
    from headrace.sql.tokens.split import split

    return [each.text for each in split(script)]


def test_pages_of_objects(client: Client, served: Served) -> None:
    with headrace.connect(served.url) as lake:
        lake.sql("CREATE SCHEMA pages; USE pages")
        lake.sql(
            "CREATE TABLE t (id BIGINT NOT NULL COMMENT 'the key', at TIMESTAMP, tags ARRAY<STRING>, "
            "s STRUCT<`a b`: INT>, d DECIMAL(10, 2)) PARTITIONED BY (days(at)) COMMENT 'it''s'"
        )
        lake.sql("INSERT INTO t SELECT id, now(), array('x'), named_struct('a b', 1), 1.5 FROM range(150)")
        lake.sql("CREATE VIEW v AS SELECT id FROM t")
        lake.sql("CREATE DYNAMIC TABLE d COMMENT 'sums' AS SELECT s, sum(d) AS total FROM t GROUP BY s")
        lake.sql("REFRESH DYNAMIC TABLE d")
        found = client.get("/objects/lake/pages/t")
        described = dict(lake.sql("DESC t").fetchall())
        assert {column["name"] for column in found["columns"]} == set(described)
        assert (found["comment"], found["columns"][0]["comment"]) == ("it's", "the key")
        assert (found["rows"], found["partitioned_by"]) == (150, ["days(at)"])
        lake.sql("CREATE DYNAMIC TABLE of_view AS SELECT id FROM v")
        readers = client.get("/objects/lake/pages/t")["read_by"]
        assert [(each["name"], each["kind"]) for each in readers] == [("d", "dynamic table"), ("v", "view")]
        view = client.get("/objects/lake/pages/v")
        assert [each["name"] for each in (*view["fed_by"], *view["read_by"])] == ["t", "of_view"]
        history = lake.sql("DESC HISTORY t").fetchall()
        versions = client.get("/objects/lake/pages/t/versions")["items"]
        assert [each["version"] for each in versions] == [row[0] for row in history]
        lake.sql(found["ddl"].replace("lake.pages.t ", "lake.pages.again "))
        assert lake.sql("DESC again").fetchall() == lake.sql("DESC t").fetchall()
        refreshed = client.get("/objects/lake/pages/d/versions")["items"][0]
        trees = client.get(f"/jobs/{refreshed['job_id']}")["plan_trees"]
        operators = [node for tree in trees for node in tree["nodes"] if node["metrics"]]
        scans = [node for node in operators if node["name"].startswith("BatchScan")]
        rows = [
            each["value"]
            for node in scans
            for each in node["metrics"]
            if each["name"] == "number of output rows"
        ]
        assert 150 in rows
        assert refreshed["job_id"] == lake.sql("DESC HISTORY d").fetchall()[0][5]
        dynamic = client.get("/objects/lake/pages/d")
        assert [column["name"] for column in dynamic["columns"]] == ["s", "total"]
        view = client.get("/objects/lake/pages/v")
        assert (view["kind"], [column["name"] for column in view["columns"]]) == ("view", ["id"])
        lake.sql(view["ddl"].replace("lake.pages.v", "lake.pages.w"))
        preview = client.ended(client.post("/objects/lake/pages/t/preview", session=client.session))
        assert len(client.rows(preview)) == 100
        lineage = client.get("/lineage/columns/lake/pages/d", column="total")
        assert [edge["source"] for edge in lineage["edges"]] == ["lake.pages.t#d"]


def test_an_explanation_as_a_tree(client: Client, served: Served) -> None:
    with headrace.connect(served.url) as lake:
        lake.sql("CREATE SCHEMA explained; USE explained")
        lake.sql("CREATE TABLE t AS SELECT id AS a, id % 3 AS k FROM range(10)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT k, sum(a) AS s FROM t GROUP BY k; REFRESH DYNAMIC TABLE d")
        lake.sql("INSERT INTO t VALUES (10, 1)")
    statement = client.run("EXPLAIN REFRESH DYNAMIC TABLE explained.d")
    found = client.get(f"/statements/{statement['job_id']}/explained")
    assert found["mode"] in ("INCREMENTAL", "FULL")
    assert len(found["stages"]) > 0
    assert all(stage["kind"] for stage in found["stages"])
    if found["mode"] == "INCREMENTAL":
        assert found["plan"]["nodes"][0]["parent"] is None
        assert len(found["plan"]["nodes"]) > 1


def test_an_error_of_a_submitted_table_points_into_the_file(client: Client) -> None:
    text = "-- a comment\n\nCREATE DYNAMIC TABLE broken AS\nSELECT nosuch\nFROM no_such_table"
    file = client.post("/files", name="broken", kind="DYNAMIC_TABLE", content=text)
    answer = client.http.post(f"/files/{file['id']}/submit", json={"version": 1})
    assert answer.status_code == 404
    place = answer.json()["error"]["place"]
    assert (place["line"], place["source_line"]) == (5, "FROM no_such_table")
    assert client.get(f"/files/{file['id']}")["deployed_version"] is None


def test_a_stream_with_pending_rows(client: Client, served: Served) -> None:
    with headrace.connect(served.url) as lake:
        lake.sql("CREATE SCHEMA streamed; USE streamed; CREATE TABLE t (a INT); INSERT INTO t VALUES (0)")
        lake.sql("CREATE TABLE STREAM s ON TABLE t WITH PROPERTIES('TABLE_STREAM_MODE'='STANDARD')")
        lake.sql("INSERT INTO t VALUES (1), (2)")
        (found,) = (each for each in client.get("/streams")["items"] if each["schema"] == "streamed")
        assert (found["state"], found["pending_versions"], found["pending_rows_added"]) == ("active", 1, 2)
        lake.sql("CREATE TABLE u AS SELECT a FROM s")
        (found,) = (each for each in client.get("/streams")["items"] if each["schema"] == "streamed")
        assert found["pending_versions"] == 0
