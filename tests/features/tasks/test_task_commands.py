"""Tasks by SQL where there is no server."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest

from headrace.connection import Connection
from headrace.errors import AlreadyExists, NotFound, OperationalError, Refused
from tests import internals

_names = itertools.count(1)


@pytest.fixture
def name() -> str:
    """Tasks are of the whole lake, which the tests share."""
    return f"task {next(_names)}"


def facts(lake: Connection, name: str) -> dict[str, str]:
    return dict(lake.sql(f"DESC TASK `{name}`").fetchall())


def only_row(lake: Connection, text: str) -> dict[str, object]:
    result = lake.sql(text)
    (row,) = result.fetchall()
    return dict(zip(result.columns, row, strict=True))


def test_create_suspend_resume_and_drop(lake, name):
    lake.sql("CREATE TABLE t (a INT)")
    lake.sql(
        f"CREATE TASK `{name}` SCHEDULE INTERVAL 5 MINUTE START WITH '2024-06-01 08:00:00' "
        "RETRIES 3 BACKOFF INTERVAL 10 SECOND TIMEOUT INTERVAL 1 HOUR "
        "PARAMETERS ('x' = 7) COMMENT 'c' AS INSERT INTO t VALUES (${x})"
    )
    found = facts(lake, name)
    assert (found["kind"], found["state"], found["schedule_interval"]) == ("SQL", "DRAFT", "300 seconds")
    assert (found["start_time"], found["retries"]) == ("2024-06-01 08:00:00+00:00", "3")
    assert (found["backoff_seconds"], found["timeout_seconds"]) == ("10", "3600")
    assert (found["parameters"], found["comment"]) == ('{"x": "7"}', "c")
    assert (found["schema"], found["body"]) == (f"lake.{lake.schema}", "INSERT INTO t VALUES (${x})")

    (notice,) = lake.sql(f"ALTER TASK `{name}` DEPLOY").notices
    assert "start one with `headrace serve`" in notice
    assert facts(lake, name)["state"] == "DEPLOYED"
    lake.sql(f"ALTER TASK `{name}` PAUSE")
    assert lake.sql(f"ALTER TASK `{name}` PAUSE").notices == (
        f"task {name} is already paused, nothing was done",
    )
    lake.sql(f"ALTER TASK `{name}` RESUME; ALTER TASK `{name}` OFFLINE")
    assert facts(lake, name)["state"] == "OFFLINE"

    lake.sql(f"ALTER TASK `{name}` SET SCHEDULE CRON '0 2 * * *' TIME ZONE 'Europe/Berlin' COMMENT 'd'")
    found = facts(lake, name)
    assert (found["cron"], found["time_zone"], found["comment"]) == ("0 2 * * *", "Europe/Berlin", "d")
    assert found["retries"] == "3"
    lake.sql(f"ALTER TASK `{name}` UNSET SCHEDULE, RETRIES, TIMEOUT, COMMENT, PARAMETERS, AFTER, VCLUSTER")
    found = facts(lake, name)
    assert (found["cron"], found["retries"], found["timeout_seconds"]) == (None, "0", None)

    lake.sql(f"DROP TASK `{name}`")
    with pytest.raises(NotFound):
        facts(lake, name)
    assert lake.sql(f"DROP TASK IF EXISTS `{name}`").notices
    assert lake.sql(f"ALTER TASK IF EXISTS `{name}` DEPLOY").notices


def test_execute_runs_the_script_where_the_task_was_created(lake, name):
    lake.sql("CREATE TABLE t (a INT, day STRING)")
    lake.sql(
        f"CREATE TASK `{name}` PARAMETERS ('x' = 1) AS SQL $$"
        "INSERT INTO t VALUES (${x}, '${bizdate}'); INSERT INTO t SELECT a + 1, day FROM t; "
        "SELECT a FROM t ORDER BY a$$"
    )
    lake.sql("USE public")
    row = only_row(lake, f"EXECUTE TASK `{name}` PARAMETERS ('x' = 41, 'bizdate' = '2024-06-01')")
    assert (row["name"], row["state"], row["run_trigger"], row["attempt"]) == (name, "SUCCEED", "MANUAL", 1)
    assert row["parameters"] == '{"bizdate": "2024-06-01", "x": "41"}'
    log = str(row["log"])
    assert [line.split(": ")[1] for line in log.splitlines() if line.startswith("SUCCEED")] == [
        "INSERT INTO t VALUES (41, '2024-06-01')",
        "INSERT INTO t SELECT a + 1, day FROM t",
        "SELECT a FROM t ORDER BY a",
    ]
    assert "| 41 |" in log
    assert only_row(lake, f"SHOW TASK RUNS FOR `{name}`") == row
    assert (lake.workspace, lake.schema) == ("lake", "public")


def test_a_script_that_fails(lake, name):
    lake.sql("CREATE TABLE t (a INT)")
    lake.sql(f"CREATE TASK `{name}` AS SQL 'INSERT INTO t VALUES (1); SELECT nope FROM t; DELETE FROM t'")
    with pytest.raises(OperationalError) as caught:
        lake.sql(f"EXECUTE TASK `{name}`")
    assert caught.value.message.startswith(f"task {name} ended in state FAILED: column nope does not exist")
    assert caught.value.hint == f"SHOW TASK RUNS FOR `{name}` shows its log"
    row = only_row(lake, f"SHOW TASK RUNS FOR `{name}` WHERE state = 'FAILED'")
    assert "FAILED: SELECT nope FROM t" in str(row["log"])
    assert lake.sql("SELECT count(*) FROM t").fetchall() == [(1,)]


def test_a_parameter_without_a_value(lake, name):
    lake.sql(f"CREATE TASK `{name}` AS SQL 'SELECT ${{day}}'")
    with pytest.raises(OperationalError, match=f"parameter day of task {name} has no value"):
        lake.sql(f"EXECUTE TASK `{name}`")


def test_settings_of_a_script_stay_in_it(lake, name):
    lake.sql(f"CREATE TASK `{name}` AS SQL 'SET spark.sql.ansi.enabled = false; SET query_tag = own'")
    before = lake.sql("SET spark.sql.ansi.enabled").fetchall()
    lake.sql(f"EXECUTE TASK `{name}`")
    assert lake.sql("SET spark.sql.ansi.enabled").fetchall() == before


def test_show_tasks(lake, name):
    lake.sql(f"CREATE TASK `{name}` SCHEDULE INTERVAL 1 MINUTE AS SELECT 1")
    lake.sql(f"CREATE TASK `{name} b` AFTER `{name}` AS SELECT 2")
    rows = lake.sql(f"SHOW TASKS LIKE '{name}%' WHERE state = 'DRAFT' LIMIT 5").df()
    assert list(rows["name"]) == [name, f"{name} b"]
    assert list(rows["after"][1]) == [name]
    assert rows["schedule_interval"][0] == timedelta(minutes=1)
    assert len(lake.sql("SHOW TASKS LIMIT 1").fetchall()) == 1


def test_replace_keeps_history_and_state(lake, name):
    lake.sql(f"CREATE TASK `{name}` COMMENT 'old' AS SELECT 1; EXECUTE TASK `{name}`")
    lake.sql(f"ALTER TASK `{name}` DEPLOY")
    with pytest.raises(AlreadyExists):
        lake.sql(f"CREATE TASK `{name}` AS SELECT 2")
    assert lake.sql(f"CREATE TASK IF NOT EXISTS `{name}` AS SELECT 2").notices
    lake.sql(f"CREATE OR REPLACE TASK `{name}` AS SELECT 2; EXECUTE TASK `{name}`")
    found = facts(lake, name)
    assert (found["state"], found["body"], found["comment"]) == ("DEPLOYED", "SELECT 2", None)
    assert len(lake.sql(f"SHOW TASK RUNS FOR `{name}`").fetchall()) == 2


def test_a_dynamic_table_comes_and_rests_with_its_task(lake, name):
    lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
    lake.sql(
        f"CREATE TASK `{name}` SCHEDULE INTERVAL 2 MINUTE "
        "AS CREATE DYNAMIC TABLE d AS SELECT a FROM t WHERE a > 0"
    )
    assert lake.sql("SHOW DYNAMIC TABLES LIKE 'd'").df().query(f"schema_name == '{lake.schema}'").empty
    lake.sql(f"ALTER TASK `{name}` DEPLOY")
    table = internals.definition(lake, "d")
    assert (table.schedule.interval_seconds, table.suspended) == (120, False)
    row = only_row(lake, f"EXECUTE TASK `{name}`")
    assert (row["state"], row["run_trigger"]) == ("SUCCEED", "MANUAL")
    assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]
    refresh = only_row(lake, "SHOW DYNAMIC TABLE REFRESH HISTORY FOR d")
    assert (refresh["refresh_trigger"], refresh["job_id"]) == ("MANUAL", row["run_id"])
    assert only_row(lake, f"SHOW TASK RUNS FOR `{name}`") == row

    with pytest.raises(Refused, match="is deployed, and so is its dynamic table"):
        lake.sql(f"DROP TASK `{name}`")
    lake.sql(f"ALTER TASK `{name}` OFFLINE")
    assert internals.store(lake).definitions.find(table.name).suspended
    (notice,) = lake.sql(f"ALTER TASK `{name}` SET SCHEDULE INTERVAL 3 MINUTE").notices
    assert notice == f"the dynamic table does not change until ALTER TASK `{name}` DEPLOY"
    lake.sql(f"ALTER TASK `{name}` DEPLOY")
    table = internals.store(lake).definitions.find(table.name)
    assert (table.schedule.interval_seconds, table.suspended) == (180, False)
    lake.sql(f"ALTER TASK `{name}` OFFLINE; DROP TASK `{name}`")
    assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]


def test_a_dynamic_table_after_other_tasks_has_no_schedule_of_its_own(lake, name):
    lake.sql("CREATE TABLE t (a INT)")
    lake.sql(f"CREATE TASK `{name}` AS INSERT INTO t VALUES (1)")
    lake.sql(f"CREATE TASK `{name} dt` AFTER `{name}` AS CREATE DYNAMIC TABLE d AS SELECT a FROM t")
    lake.sql(f"ALTER TASK `{name} dt` DEPLOY")
    assert internals.definition(lake, "d").schedule.interval_seconds is None
    lake.sql(f"EXECUTE TASK `{name}`")
    row = only_row(lake, f"EXECUTE TASK `{name} dt`")
    assert "REFRESH DYNAMIC TABLE" in str(row["log"])
    assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]


def test_a_deployment_that_fails_leaves_a_draft(lake, name):
    lake.sql(f"CREATE TASK `{name}` AS CREATE DYNAMIC TABLE d AS SELECT a FROM nowhere")
    with pytest.raises(NotFound, match="nowhere"):
        lake.sql(f"ALTER TASK `{name}` DEPLOY")
    assert facts(lake, name)["state"] == "DRAFT"
