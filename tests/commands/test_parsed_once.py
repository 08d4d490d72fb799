"""A statement is read once in each process that handles it."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from tests.parsing import Calls, counted_calls

SELECT = "SELECT k, n FROM d WHERE k > 0"


@pytest.fixture
def tables(lake: Connection) -> Connection:
    """``d`` has hidden columns."""
    lake.sql("CREATE TABLE t (k INT, v INT); INSERT INTO t VALUES (1, 1), (2, 2)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT k, count(*) AS n FROM t GROUP BY k; REFRESH DYNAMIC TABLE d")
    return lake


def run(connection: Connection, text: str) -> Calls:
    with counted_calls() as calls:
        connection.sql(text).fetchall()
    return calls


@pytest.mark.parametrize(
    "text", [SELECT, "SELECT * FROM t", "INSERT INTO t VALUES (3, 3)", "DELETE FROM t WHERE k = 1"]
)
def test_statements_of_spark(text: str, tables: Connection) -> None:
    calls = run(tables, text)
    assert calls.tokenize == [text]
    assert calls.effects_of == [text]


@pytest.mark.parametrize("text", ["SHOW DYNAMIC TABLES", "DESC d"])
def test_statements_of_headrace(text: str, tables: Connection) -> None:
    calls = run(tables, text)
    assert calls.tokenize == [text]
    assert calls.effects_of == []


def test_a_refresh(tables: Connection) -> None:
    """What it knows of the definition it has kept from the one before."""
    tables.sql("INSERT INTO t VALUES (3, 3)")
    calls = run(tables, "REFRESH DYNAMIC TABLE d")
    assert calls.tokenize == ["REFRESH DYNAMIC TABLE d"]
    assert calls.effects_of == []


def test_a_script_is_read_as_a_whole(tables: Connection) -> None:
    script = f"INSERT INTO t VALUES (3, 3);\n{SELECT}; SELECT v FROM t"
    calls = run(tables, script)
    assert calls.tokenize == [script]
    assert calls.effects_of == ["INSERT INTO t VALUES (3, 3)", SELECT, "SELECT v FROM t"]


def test_a_rewritten_statement_is_read_once_more(tables: Connection) -> None:
    tables.sql("SET dt.args.least = '1'")
    text = "SELECT n FROM d WHERE k > SESSION_CONFIGS()['dt.args.least']"
    calls = run(tables, text)
    assert len(calls.tokenize) == len(calls.effects_of) == 2
