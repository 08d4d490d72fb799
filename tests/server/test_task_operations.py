"""Operations of tasks through the API: bulk steps, runs, re-runs, backfills, schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from headrace.lake.directory import make_lake
from headrace.model.backfill import BackfillState
from headrace.model.task import RunState, RunTrigger, TaskRun
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service

from ..catalog.operation_samples import task
from ..catalog.samples import NOON
from .conftest import LOCAL
from .fake_cluster import FakeClusters
from .served import until

API = "/api/v1"


@pytest.fixture
def running(tmp_path: Path, clusters: FakeClusters) -> Iterator[Service]:
    """With its loops."""
    path = tmp_path / "lake"
    make_lake(path)
    with (path / "lake.toml").open("a") as settings:
        settings.write("start_default_cluster = false\n")
    service = Service(path, launch=clusters.launch)
    service.start()
    yield service
    service.close()


@pytest.fixture
def live(running: Service) -> TestClient:
    return TestClient(make_app(running, Access("127.0.0.1", running.store.tokens.holder_of)), base_url=LOCAL)


def statement(client: TestClient, text: str) -> None:
    session = client.post(f"{API}/sessions").json()["session"]
    asked = {"session": session, "statement": text, "wait_seconds": 30}
    answer = client.post(f"{API}/statements", json=asked).json()
    assert answer["error"] is None, answer


def create(client: TestClient, *tasks: str) -> None:
    for each in tasks:
        statement(client, f"CREATE TASK {each}")


def ended(client: TestClient, backfill: dict[str, Any]) -> Any:
    def look() -> Any:
        return client.get(f"{API}/backfills/{backfill['id']}").json()

    until(lambda: look()["state"] != "RUNNING", 30, "the end of the backfill")
    return look()


def begun(client: TestClient, name: str, **more: Any) -> Any:
    answer = client.post(
        f"{API}/tasks/{name}/backfill", json={"first": "2024-06-01", "last": "2024-06-03", **more}
    )
    assert answer.status_code == 202, answer.text
    return answer.json()


def seen(clusters: FakeClusters) -> list[str]:
    return [each.text for each in clusters.last.seen if not each.text.startswith("USE")]


def test_bulk(client: TestClient) -> None:
    create(client, "a AS SELECT 1", "b AS SELECT 2")
    asked = {"names": ["a", "nosuch", "B"], "step": "DEPLOY"}
    found = client.post(f"{API}/tasks/bulk", json=asked).json()["items"]
    assert [(each["name"], each["state"]) for each in found] == [
        ("a", "DEPLOYED"),
        ("nosuch", None),
        ("B", "DEPLOYED"),
    ]
    assert found[1]["error"]["message"] == "task nosuch does not exist"
    assert client.post(f"{API}/tasks/a/pause").json()["state"] == "PAUSED"
    assert client.post(f"{API}/tasks/a/resume").json()["state"] == "DEPLOYED"
    offline = client.post(f"{API}/tasks/bulk", json={"names": ["a", "b"], "step": "OFFLINE"}).json()["items"]
    assert {each["state"] for each in offline} == {"OFFLINE"}


def test_next_run_of_a_task(client: TestClient, service: Service) -> None:
    create(client, "a SCHEDULE INTERVAL 1 HOUR AS SELECT 1")
    assert client.get(f"{API}/tasks/a").json()["next_run_time"] is None
    client.post(f"{API}/tasks/a/deploy")
    assert client.get(f"{API}/tasks/a").json()["next_run_time"] is not None


def test_a_run_with_its_attempts(client: TestClient, service: Service) -> None:
    service.store.tasks.create(task("a", id="t"))
    for attempt, state in ((1, RunState.FAILED), (2, RunState.SUCCEED)):
        run = TaskRun("r", "t", "a", NOON, state, RunTrigger.SCHEDULED, attempt=attempt, log=f"log {attempt}")
        service.store.task_runs.record(run)
    found = client.get(f"{API}/task-runs/r").json()
    assert found["state"] == "SUCCEED"
    assert [(each["attempt"], each["log"]) for each in found["attempts"]] == [(1, "log 1"), (2, "log 2")]
    assert client.get(f"{API}/task-runs/nosuch").status_code == 404


def test_runs_of_a_day(client: TestClient, service: Service) -> None:
    for hour in range(6):
        moment = NOON + timedelta(hours=hour)
        service.store.task_runs.record(
            TaskRun(f"r{hour}", "t", "a", moment, RunState.SUCCEED, RunTrigger.SCHEDULED)
        )
    between = {
        "since": (NOON + timedelta(hours=1)).isoformat(),
        "until": (NOON + timedelta(hours=4)).isoformat(),
    }
    whole = client.get(f"{API}/task-runs", params=between).json()
    assert [each["run_id"] for each in whole["items"]] == ["r3", "r2", "r1"]
    first = client.get(f"{API}/task-runs", params={**between, "limit": 2}).json()
    rest = client.get(f"{API}/task-runs", params={**between, "page": first["next_page"]}).json()
    assert [each["run_id"] for each in (*first["items"], *rest["items"])] == ["r3", "r2", "r1"]
    assert rest["next_page"] is None


def test_backfill(live: TestClient, clusters: FakeClusters, running: Service) -> None:
    create(live, "load AS INSERT INTO t SELECT '${bizdate}', ${n}")
    made = begun(live, "load", parameters={"n": "7"}, parallelism=2)
    assert (made["state"], made["runs"]) == ("RUNNING", 3)
    found = ended(live, made)
    assert (found["state"], found["succeeded"]) == ("SUCCEED", 3)
    assert [item["value"] for item in found["items"]] == ["2024-06-01", "2024-06-02", "2024-06-03"]
    assert sorted(seen(clusters)) == [f"INSERT INTO t SELECT '2024-06-0{day}', 7" for day in (1, 2, 3)]
    run = live.get(f"{API}/task-runs/{found['items'][0]['run_id']}").json()
    assert (run["run_trigger"], run["parameters"]["bizdate"]) == ("BACKFILL", "2024-06-01")
    listed = live.get(f"{API}/backfills", params={"like": "load"}).json()["items"]
    assert [(each["id"], each["state"]) for each in listed] == [(made["id"], "SUCCEED")]


def test_downstream_of_a_failed_run_is_skipped(live: TestClient) -> None:
    create(live, "a AS SELECT '${bizdate}'", "b AFTER a AS SELECT nosuch", "c AFTER b AS SELECT 3")
    found = ended(live, begun(live, "a", last="2024-06-01", downstream=True))
    assert found["state"] == "FAILED"
    assert [(item["task"], item["state"]) for item in found["items"]] == [
        ("a", "SUCCEED"),
        ("b", "FAILED"),
        ("c", "SKIPPED"),
    ]
    assert found["items"][1]["error_message"] == "there is no nosuch"


def test_parallelism_is_bounded_and_a_backfill_can_be_cancelled(
    live: TestClient, clusters: FakeClusters
) -> None:
    create(live, "slow AS SLEEP '${bizdate}'")
    made = begun(live, "slow", last="2024-06-09", parallelism=3)

    def running_now() -> int:
        found: int = live.get(f"{API}/backfills/{made['id']}").json()["running"]
        return found

    until(lambda: running_now() == 3 and len([text for text in seen(clusters) if "SLEEP" in text]) == 3)
    assert live.post(f"{API}/backfills/{made['id']}/cancel").status_code == 202
    found = ended(live, made)
    assert (found["state"], found["left_out"]) == ("CANCELLED", 9)
    assert len([text for text in seen(clusters) if "SLEEP" in text]) == 3
    assert live.post(f"{API}/backfills/nosuch/cancel").status_code == 404


def test_a_backfill_does_not_disturb_the_schedule(live: TestClient, running: Service) -> None:
    create(live, "a AS SELECT 1", "b AFTER a AS SELECT 2")
    for name in "ab":
        live.post(f"{API}/tasks/{name}/deploy")
    ended(live, begun(live, "a"))
    running.background.tasks.look()
    running.background.tasks.wait_for_runs(10)
    assert {run.task for run in running.store.task_runs.history()} == {"a"}
    live.post(f"{API}/tasks/a/execute", json={})
    until(lambda: any(run.task == "b" for run in running.store.task_runs.history()), 30)


def test_rerun(live: TestClient, clusters: FakeClusters) -> None:
    create(live, "a AS SELECT '${bizdate}'", "b AFTER a AS SELECT 'b ${bizdate}'")
    first = live.post(f"{API}/tasks/a/execute", json={"parameters": {"bizdate": "2020-02-02"}}).json()[
        "run_id"
    ]
    path = f"{API}/task-runs/{first}"
    until(lambda: live.get(path).json()["state"] == "SUCCEED", 30)
    again = live.post(f"{path}/rerun", json={}).json()
    until(lambda: live.get(f"{API}/task-runs/{again['run_id']}").json()["state"] == "SUCCEED", 30)
    assert seen(clusters) == ["SELECT '2020-02-02'"] * 2
    with_all = live.post(f"{path}/rerun", json={"downstream": True}).json()
    found = ended(live, {"id": with_all["backfill_id"]})
    assert [(item["task"], item["state"]) for item in found["items"]] == [("a", "SUCCEED"), ("b", "SUCCEED")]
    assert seen(clusters)[-1] == "SELECT 'b 2020-02-02'"


def test_what_a_killed_server_left_is_ended(live: TestClient, running: Service) -> None:
    create(live, "a AS SELECT 1")
    made = begun(live, "a")
    ended(live, made)
    left = running.store.backfills.find(made["id"])
    assert left is not None
    items = (left.items[0], *(replace(item, state=RunState.QUEUED) for item in left.items[1:]))
    running.store.backfills.record(replace(left, id="left", state=BackfillState.RUNNING, items=items))
    running.backfills.recover()
    found = live.get(f"{API}/backfills/left").json()
    assert (found["state"], found["succeeded"], found["failed"]) == ("FAILED", 1, 2)


@pytest.mark.parametrize(
    ("parameters", "check"),
    [
        ({"interval_seconds": 3600}, lambda times: len(times) == 5),
        (
            {"cron": "0 2 * * *", "time_zone": "Asia/Shanghai"},
            lambda times: all("T18:00" in each for each in times),
        ),
        ({"cron": "0 2 * * *", "count": 2}, lambda times: len(times) == 2),
    ],
)
def test_next_runs(
    client: TestClient, parameters: dict[str, Any], check: Callable[[list[str]], bool]
) -> None:
    answer = client.get(f"{API}/schedules/next", params=parameters)
    assert answer.status_code == 200, answer.text
    assert check(answer.json()["times"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "expected interval_seconds or cron"),
        ({"interval_seconds": 60, "cron": "* * * * *"}, "expected interval_seconds or cron"),
        ({"cron": "x"}, "not a cron expression"),
        ({"cron": "* * * * *", "time_zone": "Mars"}, "time zone 'Mars' does not exist"),
    ],
)
def test_schedules_that_cannot_be_read(client: TestClient, parameters: dict[str, Any], message: str) -> None:
    answer = client.get(f"{API}/schedules/next", params=parameters)
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]
