"""Development files through the API: versions, drafts, two editors, plan and deployment."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service

from ..catalog.samples import table
from .conftest import OpenService

FILES = "/api/v1/files"


@pytest.fixture
def users(service: Service) -> tuple[TestClient, TestClient]:
    """Of a server that wants tokens."""
    app = make_app(service, Access("192.0.2.1", service.store.tokens.holder_of))
    return tuple(
        TestClient(
            app, headers={"Authorization": f"Bearer {service.store.tokens.create(name, service.clock())}"}
        )
        for name in ("ann", "bob")
    )


def create(client: TestClient, name: str, kind: str = "SQL", **more: Any) -> dict[str, Any]:
    answer = client.post(FILES, json={"name": name, "kind": kind, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def save(client: TestClient, file: dict[str, Any], content: str, **settings: Any) -> Any:
    asked = {"based_on": file["version"], "content": content, "settings": settings}
    answer = client.put(f"{FILES}/{file['id']}", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def plan(client: TestClient, file: dict[str, Any]) -> Any:
    answer = client.post(f"{FILES}/{file['id']}/plan")
    assert answer.status_code == 200, answer.text
    return answer.json()


def submit(client: TestClient, file: dict[str, Any], version: int) -> Any:
    answer = client.post(f"{FILES}/{file['id']}/submit", json={"version": version})
    assert answer.status_code == 200, answer.text
    return answer.json()


def fields(change: dict[str, Any]) -> dict[str, tuple[str | None, str | None]]:
    return {each["field"]: (each["old"], each["new"]) for each in change["fields"]}


def test_folders_and_files(client: TestClient) -> None:
    folder = create(client, "Tutorial", "FOLDER")
    made = create(client, "Step01.Preparation", folder_id=folder["id"], content="SELECT 1")
    assert (made["path"], made["version"]) == ("Tutorial/Step01.Preparation", 1)
    listed = client.get(FILES).json()["items"]
    assert [each["path"] for each in listed] == ["Tutorial", "Tutorial/Step01.Preparation"]
    moved = client.post(f"{FILES}/{made['id']}/move", json={"folder_id": None, "name": "One"}).json()
    assert moved["path"] == "One"
    again = client.post(FILES, json={"name": "ONE", "kind": "PYTHON"})
    assert (again.status_code, again.json()["error"]["kind"]) == (409, "AlreadyExists")
    bad = client.post(FILES, json={"name": "a/b", "kind": "SQL"})
    assert (bad.status_code, bad.json()["error"]["kind"]) == (400, "DataError")


def test_versions(client: TestClient) -> None:
    made = create(client, "a", content="SELECT 1")
    second = save(client, made, "SELECT 2", schema="sales", chart={"kind": "LINE", "x": "day", "y": ["n"]})
    assert (second["version"], second["settings"]["schema"]) == (2, "sales")
    assert second["settings"]["chart"] == {"kind": "LINE", "x": "day", "y": ["n"], "group_by": None}
    unchanged = save(
        client, second, "SELECT 2", schema="sales", chart={"kind": "LINE", "x": "day", "y": ["n"]}
    )
    assert unchanged["version"] == 2
    listed = client.get(f"{FILES}/{made['id']}/versions").json()["items"]
    assert [(each["version"], each["characters"]) for each in listed] == [(2, 8), (1, 8)]
    assert client.get(f"{FILES}/{made['id']}/versions/1").json()["content"] == "SELECT 1"
    restore = f"{FILES}/{made['id']}/versions/restore"
    stale = client.post(restore, json={"version": 1, "based_on": 1})
    assert stale.status_code == 409
    third = client.post(restore, json={"version": 1, "based_on": 2}).json()
    assert (third["version"], third["content"], third["settings"]["schema"]) == (3, "SELECT 1", "public")


def test_two_editors(users: tuple[TestClient, TestClient]) -> None:
    ann, bob = users
    made = create(ann, "a", content="SELECT 1")
    url = f"{FILES}/{made['id']}"
    for client, content in ((ann, "ann's"), (bob, "bob's")):
        draft = client.put(f"{url}/draft", json={"based_on": 1, "content": content})
        assert draft.status_code == 200
    seen = bob.get(url).json()
    assert seen["draft"]["content"] == "bob's"
    assert [each["user"] for each in seen["editors"]] == ["ann"]
    save(ann, made, "ann's")
    refused = bob.put(url, json={"based_on": 1, "content": "bob's"})
    assert refused.status_code == 409
    assert refused.json()["error"]["kind"] == "VersionConflict"
    assert refused.json()["error"]["message"] == "ann has saved version 2 of a"
    newer = bob.get(url).json()
    assert (newer["version"], newer["content"], newer["modified_by"]) == (2, "ann's", "ann")
    assert (newer["draft"]["content"], newer["draft"]["based_on"]) == ("bob's", 1)
    assert newer["editors"] == []
    assert save(bob, newer, "both")["version"] == 3
    assert bob.get(url).json()["draft"] is None


def test_discarded_draft(client: TestClient) -> None:
    url = f"{FILES}/{create(client, 'a')['id']}"
    client.put(f"{url}/draft", json={"based_on": 1, "content": "x"})
    assert client.delete(f"{url}/draft").status_code == 204
    assert client.get(url).json()["draft"] is None
    wrong = client.put(f"{url}/draft", json={"based_on": 2, "content": "x"})
    assert (wrong.status_code, wrong.json()["error"]["message"]) == (400, "a has no version 2")


def test_delete_and_restore(client: TestClient) -> None:
    folder = create(client, "f", "FOLDER")
    inside = create(client, "a", folder_id=folder["id"], content="SELECT 1")
    deleted = client.delete(f"{FILES}/{folder['id']}").json()
    assert deleted["deleted_time"] is not None
    assert client.get(f"{FILES}/{inside['id']}").status_code == 404
    assert [each["id"] for each in client.get(FILES, params={"deleted": True}).json()["items"]] == [
        folder["id"]
    ]
    assert client.post(f"{FILES}/{folder['id']}/restore").json()["deleted_time"] is None
    assert client.get(f"{FILES}/{inside['id']}").json()["content"] == "SELECT 1"


def test_a_folder_has_no_content(client: TestClient) -> None:
    folder = create(client, "f", "FOLDER")
    for answer in (client.get(f"{FILES}/{folder['id']}"), client.post(f"{FILES}/{folder['id']}/plan")):
        assert (answer.status_code, answer.json()["error"]["message"]) == (
            400,
            "f is a folder, which has no content",
        )


@pytest.mark.parametrize(
    "settings",
    [{"interval_seconds": 0}, {"retries": -1}, {"nosuch": 1}, {"alerts": ["x"]}, {"chart": {"kind": "PIE"}}],
)
def test_settings_that_are_refused(client: TestClient, settings: dict[str, Any]) -> None:
    answer = client.post(FILES, json={"name": "a", "kind": "SQL", "settings": settings})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "InterfaceError")


def test_interval_and_cron(client: TestClient) -> None:
    settings = {"interval_seconds": 60, "cron": "* * * * *"}
    answer = client.post(FILES, json={"name": "a", "kind": "SQL", "settings": settings})
    assert answer.json()["error"]["message"] == "a file has an interval or a cron expression, not both"


def test_submit_a_script(client: TestClient, service: Service) -> None:
    script = "INSERT INTO t VALUES ('${bizdate}', 'it''s', 'a\\\\b');\nSELECT 1;"
    made = create(client, "Load orders", content=script)
    saved = save(client, made, script, interval_seconds=60, retries=2, backoff_seconds=10, schema="sales")
    planned = plan(client, saved)
    (change,) = planned["changes"]
    assert (change["object"], change["name"], change["action"]) == ("TASK", "Load orders", "CREATE")
    assert fields(change)["script"] == (None, script)
    assert fields(change)["schedule"] == (None, "every 1 minute")
    assert planned["notices"] == []
    assert service.store.tasks.all() == []

    deployed = submit(client, saved, 2)
    assert (deployed["task"], deployed["version"]) == ("Load orders", 2)
    task = client.get("/api/v1/tasks/load orders").json()
    assert (task["state"], task["body"], task["schema"]) == ("DEPLOYED", script, "lake.sales")
    assert (task["retries"], task["backoff_seconds"], task["schedule_interval"]) == (2, 10, "PT1M")
    file = client.get(f"{FILES}/{made['id']}").json()
    assert (file["task"], file["deployed_version"]) == ("Load orders", 2)
    assert plan(client, saved)["changes"][0]["action"] == "NONE"

    third = save(client, saved, script, cron="0 2 * * *", retries=2, backoff_seconds=10, schema="sales")
    (change,) = plan(client, third)["changes"]
    assert change["action"] == "RESCHEDULE"
    assert fields(change) == {"schedule": ("every 1 minute", "cron 0 2 * * *")}
    stale = client.post(f"{FILES}/{made['id']}/submit", json={"version": 2})
    assert (stale.status_code, stale.json()["error"]["kind"]) == (409, "VersionConflict")


def test_a_task_of_another_origin_is_named(client: TestClient) -> None:
    submit(client, create(client, "a", content="SELECT 1", settings={"task": "nightly"}), 1)
    other = create(client, "b", content="SELECT 2", settings={"task": "Nightly"})
    planned = plan(client, other)
    assert planned["notices"] == ["task nightly exists and was not deployed from this file"]
    assert planned["changes"][0]["action"] == "REPLACE"
    assert fields(planned["changes"][0])["script"] == ("SELECT 1", "SELECT 2")


def test_plan_of_a_dynamic_table(client: TestClient, service: Service) -> None:
    existing = table("d")
    service.store.lifecycle.begin_create(existing)
    service.store.lifecycle.finish_create(existing.id)
    text = "-- sums\nCREATE OR REPLACE DYNAMIC TABLE d AS SELECT a FROM t WHERE a > 1;"
    made = create(client, "d", "DYNAMIC_TABLE", content=text, settings={"interval_seconds": 120})
    task, dynamic = plan(client, made)["changes"]
    assert (task["action"], dynamic["action"], dynamic["name"]) == ("CREATE", "REPLACE", "lake.public.d")
    assert fields(dynamic)["query"] == ("select 1", "SELECT a FROM t WHERE a > 1")
    assert fields(dynamic)["refresh interval"] == (None, "2 minutes")


def test_an_error_points_into_the_file(client: TestClient) -> None:
    text = "-- one line\n\n  CREATE DYNAMIC TABLE d\n  REFRESH INTERVAL 1 FORTNIGHT AS SELECT 1 AS a"
    made = create(client, "d", "DYNAMIC_TABLE", content=text)
    answer = client.post(f"{FILES}/{made['id']}/plan")
    place = answer.json()["error"]["place"]
    assert (answer.status_code, place["line"]) == (400, 4)
    assert place["source_line"] == "  REFRESH INTERVAL 1 FORTNIGHT AS SELECT 1 AS a"


@pytest.mark.parametrize("content", ["", "SELECT 1", "CREATE DYNAMIC TABLE a AS SELECT 1 AS x; SELECT 2"])
def test_what_a_file_of_a_dynamic_table_must_contain(client: TestClient, content: str) -> None:
    made = create(client, "d", "DYNAMIC_TABLE", content=content)
    answer = client.post(f"{FILES}/{made['id']}/plan")
    assert answer.status_code == 400
    assert "a single CREATE DYNAMIC TABLE statement" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cron": "x"}, "not a cron expression"),
        ({"cron": "* * * * *", "time_zone": "Mars"}, "time zone 'Mars' does not exist"),
        ({"interval_seconds": 1}, "the minimum interval is 1 minute"),
        ({"after": ["nosuch"]}, "task nosuch does not exist"),
        ({"cluster": "nosuch"}, "virtual cluster nosuch does not exist"),
    ],
)
def test_settings_are_checked_by_the_grammar_of_tasks(
    client: TestClient, settings: dict[str, Any], message: str
) -> None:
    made = create(client, "a", content="SELECT 1", settings=settings)
    error = client.post(f"{FILES}/{made['id']}/plan").json()["error"]
    assert message in error["message"]
    assert error["place"] is None


def test_python_is_refused_by_a_server_that_is_closed(client: TestClient) -> None:
    made = create(client, "a", "PYTHON", content="print(1)")
    assert plan(client, made)["changes"][0]["action"] == "CREATE"
    answer = client.post(f"{FILES}/{made['id']}/submit", json={"version": 1})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "Refused")


def test_python_where_it_is_allowed(open_service: OpenService) -> None:
    service = open_service("allow_outside = true\n")
    app = make_app(service, Access("127.0.0.1", service.store.tokens.holder_of))
    client = TestClient(app, base_url="http://127.0.0.1:8642")
    script = 'print("it\'s", 1)\n'
    made = create(client, "a", "PYTHON", content=script)
    submit(client, made, 1)
    task = client.get("/api/v1/tasks/a").json()
    assert (task["kind"], task["body"]) == ("PYTHON", script)


def test_tutorial(client: TestClient) -> None:
    folder = client.post(f"{FILES}/tutorial")
    assert (folder.status_code, folder.json()["name"]) == (201, "Tutorial_Working_With_Dynamic_Table")
    listed = {each["name"]: each for each in client.get(FILES).json()["items"]}
    steps = {name: each["kind"] for name, each in listed.items() if each["kind"] != "FOLDER"}
    assert steps == {
        "Step01.Preparation": "SQL",
        "Step02.Transformation_With_Dynamic_Table": "DYNAMIC_TABLE",
        "Step03.Aggregation_With_Dynamic_Table": "DYNAMIC_TABLE",
        "Step04.Check_Data_Freshness": "SQL",
    }
    for name in steps:
        assert plan(client, listed[name])["changes"][0]["action"] == "CREATE"
    assert client.post(f"{FILES}/tutorial").status_code == 409
