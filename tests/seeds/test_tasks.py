"""Pipelines of tasks on a server whose clock the test turns; the clusters are real."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import headrace
from headrace.connection import Connection
from headrace.lake.directory import make_lake
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.serve import listen_at
from headrace.server.service import Service

from ..endless import ENDLESS
from .test_events import EVENTS


class Turned:
    """A server that looks when the test says so."""

    def __init__(self, service: Service, connection: Connection) -> None:
        self.service = service
        self.sql = connection.sql

    def pass_time(self, seconds: float) -> None:
        """Until everything that became due is done."""
        clock.now += timedelta(seconds=seconds)
        for _ in range(4):
            self.service.background.tasks.look()
            self.service.background.tasks.wait_for_runs(120)
            self.service.background.scheduler.look()
            self.service.background.scheduler.wait_for_rounds(120)

    def states(self, task: str) -> list[str]:
        rows = self.sql(f"SHOW TASK RUNS FOR `{task}`").df()
        return list(reversed(rows["state"].tolist()))

    def api(self, method: str, path: str, **options: Any) -> Any:
        return self._ask(method, path, **options)

    _ask: Callable[..., Any]


class _Clock:
    """Ahead of that of the clusters, which are processes of their own: what they make is older than now."""

    now = datetime.now(UTC).replace(second=30, microsecond=0) + timedelta(minutes=30)

    def __call__(self) -> datetime:
        return self.now


clock = _Clock()


@contextmanager
def listening(service: Service) -> Iterator[str]:
    with listen_at("127.0.0.1", 0) as here:
        address = f"http://127.0.0.1:{here.getsockname()[1]}"
        service.task_work.url = address
        server = uvicorn.Server(
            uvicorn.Config(make_app(service, Access("127.0.0.1", service.holder_of)), log_level="warning")
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [here]}, daemon=True)
        thread.start()
        until = time.monotonic() + 20
        while not server.started:
            assert time.monotonic() < until
            time.sleep(0.02)
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Turned]:
    path: Path = tmp_path_factory.mktemp("tasks") / "lake"
    make_lake(path)
    with (path / "lake.toml").open("a") as settings:
        settings.write("full_refresh_margin = 1000\nallow_outside = true\n")
    service = Service(path, clock)
    try:
        with listening(service) as address, headrace.connect(address) as connection:
            turned = Turned(service, connection)
            http = connection._api._http  # type: ignore[attr-defined]
            turned._ask = lambda method, path, **options: http.request(method, f"/api/v1{path}", **options)
            yield turned
    finally:
        service.close()


FIRST = "1. Time Processing dy"
SECOND = "2. Aggregate dy"


def test_time_processing_then_aggregation(server):
    server.sql("CREATE SCHEMA events; USE events")
    server.sql(EVENTS)
    server.sql(f"""
    CREATE TASK `{FIRST}` SCHEDULE INTERVAL 1 MINUTE AS SQL $$
      CREATE dynamic TABLE IF NOT EXISTS event_gettime AS
      SELECT event, process, YEAR(event_time) event_year, MONTH(event_time) event_month,
             DAY(event_time) event_day, hour(event_time) event_hour, minute(event_time) event_minute
      FROM event_tb;
      REFRESH dynamic TABLE event_gettime;
    $$;
    CREATE TASK `{SECOND}` SCHEDULE INTERVAL 1 MINUTE AFTER `{FIRST}` AS SQL $$
      CREATE dynamic TABLE IF NOT EXISTS event_group_minute AS
      SELECT event, event_hour, event_minute, SUM(process) process_sum
      FROM event_gettime GROUP BY event, event_hour, event_minute;
      refresh dynamic table event_group_minute;
    $$;
    ALTER TASK `{FIRST}` DEPLOY;
    ALTER TASK `{SECOND}` DEPLOY
    """)
    server.pass_time(29)
    assert server.states(FIRST) == []
    server.pass_time(1)
    assert (server.states(FIRST), server.states(SECOND)) == (["SUCCEED"], ["SUCCEED"])
    assert server.sql("SELECT count(*) FROM event_group_minute").fetchall() == [(4,)]

    server.sql("INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2024-01-20 14:43:13')")
    server.pass_time(60)
    rows = server.sql("SELECT * FROM event_group_minute ORDER BY ALL").fetchall()
    assert rows == [
        ("event-0", 11, 40, 20.0),
        ("event-0", 14, 43, 40.0),
        ("event-1", 14, 20, 22.0),
        ("event-1", 14, 30, 21.0),
    ]
    history = server.sql("SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'event_gettime' LIMIT 1").df()
    assert (history["refresh_trigger"][0], history["refresh_mode"][0]) == ("MANUAL", "INCREMENTAL")
    assert history["stats"][0] == '{"rows_deleted":"0","rows_inserted":"1"}'

    runs = server.api("GET", f"/tasks/{SECOND}/runs").json()["items"]
    assert [datetime.fromisoformat(run["scheduled_time"]) for run in runs] == [
        clock.now,
        clock.now - timedelta(minutes=1),
    ]
    jobs = server.sql("SHOW JOBS").df().set_index("job_id")
    assert [jobs["state"][job] for job in runs[0]["job_ids"]] == ["SUCCEED"] * 3
    assert runs[0]["job_ids"][-1] in runs[0]["log"]

    server.sql("ALTER TABLE event_tb RENAME TO event_gone; DROP TABLE event_gone")
    server.sql(f"ALTER TASK `{FIRST}` SET PARAMETERS ('x' = 1)")
    server.sql(f"CREATE OR REPLACE TASK `{FIRST}` SCHEDULE INTERVAL 1 MINUTE AS SELECT * FROM event_tb")
    server.pass_time(60)
    assert (server.states(FIRST)[-1], server.states(SECOND)[-1]) == ("FAILED", "SKIPPED")
    assert server.api("POST", f"/tasks/{FIRST}/offline").json()["state"] == "OFFLINE"
    server.sql(f"ALTER TASK `{SECOND}` OFFLINE")
    before = server.states(SECOND)
    server.pass_time(300)
    assert server.states(SECOND) == before


IMPORT = "Step01.Preparation"
TRANSFORM = "Step02.Transformation_With_Dynamic_Table"
AGGREGATE = "Step03.Aggregation_With_Dynamic_Table"
CHECK = "Step04.Check_Data_Freshness"


def test_import_transform_aggregate_check(server):
    server.sql("CREATE SCHEMA behaviour; USE behaviour")
    server.sql(f"""
    CREATE TASK `{IMPORT}` SCHEDULE INTERVAL 1 MINUTE AS SQL $$
      CREATE TABLE IF NOT EXISTS behaviour_log (user_id INT, action STRING, at TIMESTAMP);
      INSERT INTO behaviour_log SELECT id, if(id % 2 = 0, 'view', ' BUY '), TIMESTAMP '${{bizdate}} 10:00:00'
      FROM range(10);
    $$;
    CREATE TASK `{TRANSFORM}` SCHEDULE INTERVAL 1 MINUTE AS
      CREATE DYNAMIC TABLE clean AS SELECT user_id, lower(trim(action)) AS action, at FROM behaviour_log;
    CREATE TASK `{AGGREGATE}` SCHEDULE INTERVAL 1 MINUTE AS
      CREATE DYNAMIC TABLE by_action AS SELECT action, count(*) AS times FROM clean GROUP BY action;
    CREATE TASK `{CHECK}` SCHEDULE INTERVAL 1 MINUTE AFTER `{AGGREGATE}` AS
      SELECT sum(times) AS seen FROM by_action;
    ALTER TASK `{IMPORT}` DEPLOY;
    EXECUTE TASK `{IMPORT}`
    """)
    for task in (TRANSFORM, AGGREGATE, CHECK):
        assert server.api("POST", f"/tasks/{task}/deploy").json() == {"state": "DEPLOYED", "notices": []}
    for _ in range(4):
        server.pass_time(60)
    rows = server.sql("SELECT action, times FROM by_action ORDER BY action").fetchall()
    imported = len(server.states(IMPORT))
    assert server.states(IMPORT) == ["SUCCEED"] * imported
    assert imported == 5
    assert rows == [("buy", 5 * imported), ("view", 5 * imported)]
    refreshes = server.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR by_action").df()
    assert set(refreshes["refresh_trigger"]) == {"SYSTEM_SCHEDULED"}
    assert server.states(AGGREGATE) == ["SUCCEED"] * len(refreshes)
    assert refreshes["refresh_mode"].tolist().count("INCREMENTAL") >= 3
    assert server.states(CHECK) == ["SUCCEED"] * 4
    log = server.sql(f"EXECUTE TASK `{CHECK}`").df()["log"][0]
    assert f"| {10 * imported} " in log

    for task in (IMPORT, TRANSFORM, AGGREGATE, CHECK):
        server.sql(f"ALTER TASK `{task}` OFFLINE")
    before = [server.states(task) for task in (IMPORT, TRANSFORM, AGGREGATE, CHECK)]
    server.pass_time(300)
    assert [server.states(task) for task in (IMPORT, TRANSFORM, AGGREGATE, CHECK)] == before
    states = server.sql("SHOW DYNAMIC TABLES WHERE schema_name = 'behaviour'").df()["state"]
    assert set(states) == {"suspended"}


def test_a_python_script_has_a_connection(server):
    server.sql("CREATE SCHEMA scripts; USE scripts; CREATE TABLE made (day STRING, n INT)")
    server.sql("""
    CREATE TASK script PARAMETERS ('n' = 3) AS PYTHON $$
import os
import headrace

with headrace.connect(os.environ["HEADRACE_URL"]) as lake:
    lake.sql("INSERT INTO scripts.made VALUES ('${bizdate}', " + os.environ["HEADRACE_PARAM_N"] + ")")
    print(lake.sql("SELECT count(*) FROM scripts.made").fetchall(), os.environ["HEADRACE_TOKEN"])
$$""")
    (row,) = server.sql("EXECUTE TASK script").df().to_dict("records")
    assert (row["state"], row["log"]) == ("SUCCEED", "[(1,)] ***\n")
    day = clock.now.date().isoformat()
    assert server.sql("SELECT * FROM made").fetchall() == [(day, 3)]


def test_a_statement_that_takes_too_long_is_stopped(server):
    server.sql(f"CREATE TASK slow TIMEOUT INTERVAL 10 SECOND AS {ENDLESS}")
    run_id = server.api("POST", "/tasks/slow/execute", json={}).json()["run_id"]
    until = time.monotonic() + 60
    while server.service.store.jobs.unended() == [] or not server.service.pool.cluster("default").running:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert server.api("POST", "/tasks/slow/execute", json={}).status_code == 403
    server.pass_time(11)
    (run,) = server.api("GET", "/tasks/slow/runs").json()["items"]
    assert (run["run_id"], run["state"]) == (run_id, "TIMEOUT")
    assert run["error_message"] == "the run took longer than 10 seconds"
    assert server.service.pool.cluster("default").running == 0


def test_a_run_is_cancelled(server):
    server.sql("CREATE TASK endless AS PYTHON 'import time; time.sleep(600)'")
    run_id = server.api("POST", "/tasks/endless/execute", json={}).json()["run_id"]
    assert server.api("POST", f"/task-runs/{run_id}/cancel").status_code == 202
    server.service.background.tasks.wait_for_runs(30)
    (run,) = server.api("GET", "/tasks/endless/runs").json()["items"]
    assert run["state"] == "CANCELLED"
    assert server.api("POST", "/task-runs/nobody/cancel").status_code == 404
    assert server.api("GET", "/tasks/nobody").status_code == 404
    names = {task["name"] for task in server.api("GET", "/tasks").json()["items"]}
    assert "endless" in names


def test_health_tells_of_tasks_and_alerts(server):
    health = server.api("GET", "/health").json()
    assert health.items() >= {"status": "ok", "scheduler": "ok", "tasks": "ok", "alerts": "ok"}.items()
