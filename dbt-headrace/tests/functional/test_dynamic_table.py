"""Models that are dynamic tables: built once, refreshed by the lake, changed when the model changes."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_commands import Outcome, Project
from headrace.connection import Connection

ORDERS = """
CREATE TABLE orders (id INT, category STRING, amount DECIMAL(10,2), day DATE);
INSERT INTO orders VALUES (1, 'toys', 10, DATE '2024-06-01'), (2, 'toys', 20, DATE '2024-06-02'),
                          (3, 'books', 5, DATE '2024-06-02');
"""
SOURCES = """
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables: [{name: orders}]
"""
LARGE = "select id, category, amount from {{ source('raw', 'orders') }} where amount > 6"
SALES = "select category, sum(amount) as total from {{ source('raw', 'orders') }} group by category"


@pytest.fixture
def project(shop: Project, lake: Connection) -> Project:
    lake.sql(ORDERS)
    shop.write("models/sources.yml", SOURCES)
    return shop


def model(query: str, **config: Any) -> str:
    given = {"materialized": "dynamic_table", **config}
    return "{{ config(" + ", ".join(f"{key}={value!r}" for key, value in given.items()) + ") }}\n" + query


def details(lake: Connection, table: str) -> dict[str, str]:
    return dict(lake.sql(f"DESC EXTENDED {table}").fetchall())


def refreshes(lake: Connection, table: str) -> list[str]:
    history = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {table}").df()
    return [str(mode) for mode in history["refresh_mode"]]


def statements(outcome: Outcome) -> str:
    return "\n".join(outcome.sent).lower()


def test_built_once_and_left_to_the_lake(project: Project, lake: Connection) -> None:
    project.write("models/large.sql", model(LARGE, refresh_interval="5 MINUTE"))
    built = project.dbt("run")
    assert built.statuses == {"large": "success"}
    assert built.messages == {"large": "REFRESH FULL"}
    assert "is not refreshed automatically" in built.said or "headrace serve" in built.said
    assert sorted(lake.sql("SELECT id FROM large").fetchall()) == [(1,), (2,)]
    again = project.dbt("run")
    assert again.messages == {"large": "nothing to do"}
    assert "dynamic table `" not in statements(again)
    assert refreshes(lake, "large") == ["FULL"]


def test_configuration_that_changes(project: Project, lake: Connection) -> None:
    project.write("models/large.sql", model(LARGE, refresh_interval="5 minutes"))
    assert project.dbt("run").succeeded
    for choice, interval in (("fail", "300"), ("continue", "300"), ("apply", "600")):
        changed = model(LARGE, refresh_interval="10 minutes", on_configuration_change=choice)
        project.write("models/large.sql", changed)
        ran = project.dbt("run")
        assert ran.succeeded is (choice != "fail")
        if choice != "apply":
            assert "refresh_interval (300 seconds -> 600 seconds)" in ran.said
            assert f"on_configuration_change is {choice}" in ran.said
        assert details(lake, "large")["refresh_interval_second"] == interval
    assert refreshes(lake, "large") == ["FULL"]


def test_a_query_that_the_table_can_follow(project: Project, lake: Connection) -> None:
    project.write("models/large.sql", model(LARGE))
    assert project.dbt("run").succeeded
    project.write("models/large.sql", model(LARGE.replace("> 6", "> 15")))
    assert project.dbt("run").succeeded
    assert lake.sql("SELECT id FROM large").fetchall() == [(2,)]
    assert refreshes(lake, "large") == ["FULL", "FULL"]


def test_a_new_query_whose_first_refresh_failed(project: Project, lake: Connection) -> None:
    project.write("models/large.sql", model(LARGE))
    assert project.dbt("run").succeeded
    project.write("models/large.sql", model(LARGE.replace("> 6", "> 6 and 100 / (id - 1) > 0")))
    assert "division by zero" in project.dbt("run").messages["large"]
    lake.sql("DELETE FROM orders WHERE id = 1")
    assert project.dbt("run").messages == {"large": "REFRESH FULL"}
    assert project.dbt("run").messages == {"large": "nothing to do"}
    assert lake.sql("SELECT id FROM large").fetchall() == [(2,)]


def test_a_query_that_needs_another_table(project: Project, lake: Connection) -> None:
    project.write("models/sales.sql", model(SALES))
    assert project.dbt("run").succeeded
    project.write("models/sales.sql", model(SALES.replace("sum(", "max(")))
    refused = project.dbt("run")
    assert refused.statuses == {"sales": "error"}
    assert "DROP DYNAMIC TABLE" in refused.said
    assert "with dbt: --full-refresh drops and recreates it" in refused.said
    assert sorted(lake.sql("SELECT * FROM sales").fetchall())[1][1] == 30
    assert project.dbt("run", "--full-refresh").succeeded
    assert sorted(lake.sql("SELECT * FROM sales").fetchall())[1][1] == 20
    assert [row[1] for row in lake.sql("SHOW TABLES").fetchall()] == ["orders", "sales"]


def test_full_refresh_that_keeps_the_table(project: Project, lake: Connection) -> None:
    kept = model(LARGE, full_refresh_strategy="refresh")
    project.write("models/large.sql", kept)
    assert project.dbt("run").succeeded
    created = details(lake, "large")["created_time"]
    assert project.dbt("run", "--full-refresh").messages == {"large": "REFRESH FULL"}
    assert details(lake, "large")["created_time"] == created
    project.write("models/large.sql", kept.replace("'refresh'", "'never'"))
    failed = project.dbt("run", "--full-refresh")
    assert "full_refresh_strategy must be 'recreate' (drop and create) or 'refresh'" in failed.said


def test_all_clauses(project: Project, lake: Connection) -> None:
    documented = """
models:
  - name: by_day
    description: what was sold on each day, in 'large' amounts
    config: {persist_docs: {relation: true, columns: true}}
    columns:
      - {name: total, description: the day's sum}
"""
    config = {
        "refresh_interval": "1 hour",
        "refresh_vc": "default_ap",
        "refresh_mode": "INCREMENTAL",
        "partition_by": ["day"],
        "properties": {"owner": "it's ann"},
    }
    query = "select day, sum(amount) as total from {{ source('raw', 'orders') }} group by day"
    project.write("models/by_day.sql", model(query, **config))
    project.write("models/by_day.yml", documented)
    assert project.dbt("run").succeeded
    described = details(lake, "by_day")
    assert described["refresh_vcluster"] == "DEFAULT_AP"
    assert described["refresh_mode"].startswith("INCREMENTAL")
    assert described["comment"] == "what was sold on each day, in 'large' amounts"
    assert described["properties"] == '(("owner","it\'s ann"))'
    assert "day: identity" in described["partitioning"]
    comments = lake.sql(
        "SELECT column_name, comment FROM information_schema.columns WHERE table_name = 'by_day' "
        f"AND table_schema = '{lake.schema}'"
    ).fetchall()
    assert sorted(comments) == [("day", None), ("total", "the day's sum")]
    assert project.dbt("run").messages == {"by_day": "nothing to do"}
    project.write("models/by_day.yml", documented.replace("the day's sum", "the sum"))
    assert "column descriptions" in statements_or_log(project.dbt("run", "--debug"))


def statements_or_log(outcome: Outcome) -> str:
    return "\n".join(event.info.msg for event in outcome.events)


def test_other_kinds_of_the_same_name(project: Project, lake: Connection) -> None:
    def kind() -> str:
        ((is_view, is_dynamic),) = [
            (row[2], row[5]) for row in lake.sql("SHOW TABLES LIKE 'large'").fetchall()
        ]
        return "view" if is_view else "dynamic table" if is_dynamic else "table"

    for wanted, configured in (
        ("table", "table"),
        ("dynamic table", "dynamic_table"),
        ("view", "view"),
        ("dynamic table", "dynamic_table"),
        ("table", "incremental"),
    ):
        project.write("models/large.sql", model(LARGE, materialized=configured))
        assert project.dbt("run").succeeded, configured
        assert kind() == wanted
        assert sorted(lake.sql("SELECT id FROM large").fetchall()) == [(1,), (2,)]


def test_refresh_as_an_operation(project: Project, lake: Connection) -> None:
    project.write("models/sales.sql", model(SALES))
    assert project.dbt("run").succeeded
    lake.sql("INSERT INTO orders VALUES (4, 'books', 7, DATE '2024-06-03')")
    refreshed = project.dbt("run-operation", "refresh_dynamic_table", "--args", "{model: sales}")
    assert refreshed.succeeded
    assert "INCREMENTAL" in refreshed.said
    assert sorted(lake.sql("SELECT * FROM sales").fetchall())[0][1] == 12
    assert project.dbt(
        "run-operation", "refresh_dynamic_table", "--args", "{model: sales, full: true}"
    ).succeeded
    missing = project.dbt("run-operation", "refresh_dynamic_table", "--args", "{model: orders}")
    assert "dynamic_table model orders does not exist" in str(missing.result.exception) + missing.said


def test_what_cannot_be(project: Project, lake: Connection) -> None:
    project.write("models/large.sql", model(LARGE, refresh_interval="soon"))
    assert "the interval requires a number" in project.dbt("run").said
    project.write("models/large.sql", model(LARGE + " and rand() > 0.5"))
    assert "rand" in project.dbt("run").said
    lake.sql("CREATE TABLE STREAM news ON TABLE orders")
    project.write("models/large.sql", model("select * from {{ target.schema }}.news"))
    assert "stream" in project.dbt("run").said
    project.write("models/large.sql", "{{ config(alias='news', materialized='table') }} select 1 as id")
    assert "is a table stream: use another name or alias for the model" in project.dbt("run").said
