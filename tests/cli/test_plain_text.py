from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headrace.cli.plain_text import plain_text
from headrace.cli.refresh_line import refresh_line

CREATE = "CREATE TABLE lake.public.t (\n  a INT,\n\tb STRING)\nUSING iceberg\n"


@pytest.mark.parametrize("statement", ["SHOW CREATE TABLE t", "-- why\n show /* x */ create table t"])
def test_create_statements_can_be_pasted(statement: str) -> None:
    assert plain_text(statement, ["createtab_stmt"], [(CREATE,)]) == CREATE.rstrip("\n")


def test_plans_and_single_texts_keep_their_line_breaks() -> None:
    plan = "== Physical Plan ==\nLocalTableScan [1]\n"
    assert plain_text("EXPLAIN SELECT 1", ["plan"], [(plan,)]) == plan.rstrip("\n")
    assert plain_text("EXPLAIN SELECT 1", ["plan"], [("a",), ("b",)]) == "a\nb"
    assert plain_text("SELECT log FROM runs", ["log"], [("one\ntwo",)]) == "one\ntwo"
    assert plain_text("SELECT log FROM runs", ["log"], [("one\x1b[2J\r\ntwo",)]) == "one\\x1b[2J\ntwo"


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (["a"], [("one line",)]),
        (["a"], [("one\ntwo",), ("three",)]),
        (["a", "b"], [("one\ntwo", 1)]),
        (["a"], [(None,)]),
        (["a"], [(7,)]),
        (["a"], []),
        ([], []),
    ],
)
def test_other_results_are_tables(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    assert plain_text("SELECT a FROM t", columns, rows) is None


def test_the_plan_of_a_refresh_is_in_two_columns_and_its_sql_can_be_pasted() -> None:
    rows = [
        ("mode", "FULL"),
        ("plan", "filter"),
        ("plan", "  scan"),
        ("sql", "INSERT INTO t"),
        ("sql", "SELECT 1"),
    ]
    assert plain_text("EXPLAIN REFRESH DYNAMIC TABLE t", ["item", "detail"], rows) == (
        "mode                FULL\n"
        "plan                filter\n"
        "plan                  scan\n"
        "sql:\n"
        "INSERT INTO t\n"
        "SELECT 1"
    )
    assert plain_text("SELECT * FROM t", ["item", "detail"], rows) is None


ROW = {
    "name": "t",
    "duration": timedelta(seconds=0.412),
    "refresh_mode": "INCREMENTAL",
    "stats": '{"rows_deleted":"3","rows_inserted":"4"}',
    "job_id": "2024-1",
    "refresh_mode_reason": "1 row inserted",
    "refresh_partition": None,
}


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({}, "INCREMENTAL in 0.41 s: +4 -3 rows, job 2024-1"),
        ({"refresh_mode": "FULL"}, "FULL in 0.41 s: +4 -3 rows, job 2024-1"),
        (
            {"refresh_mode": "NO_DATA", "stats": None, "refresh_mode_reason": "no source changed"},
            "NO_DATA in 0.41 s: no source changed, job 2024-1",
        ),
        (
            {"refresh_partition": "day = '1'"},
            "INCREMENTAL in 0.41 s: +4 -3 rows, partition day = '1', job 2024-1",
        ),
    ],
)
def test_a_refresh_answers_in_one_line(changed: dict[str, Any], line: str) -> None:
    row = ROW | changed
    assert refresh_line("refresh DYNAMIC table t FULL", list(row), [tuple(row.values())]) == line


def test_other_statements_have_no_such_line() -> None:
    assert refresh_line("SELECT * FROM history", list(ROW), [tuple(ROW.values())]) is None
    assert refresh_line("REFRESH DYNAMIC TABLE t", ["other"], [(1,)]) is None
    assert refresh_line("REFRESH TABLE t", [], []) is None
