"""Prepared statements: their columns without running them, and their parameters."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pytest

from headrace.lake.table.object_metadata import MetadataColumn
from headrace.model.access_token import acting_for
from headrace.model.names import TableName
from headrace.server.flight.parameter_types import parameter_schema
from headrace.server.flight.parameters import bound_rows, markers_of
from headrace.server.flight.prepared_statements import Answer, answer_of
from headrace.server.service import Service
from headrace.sql.parsed import ParsedStatement

from ..fake_cluster import FakeClusters
from ..served import until
from .adbc_client import cursor_at, fetched


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("SELECT 1", Answer.QUERY),
        ("(SELECT 1)", Answer.QUERY),
        ("WITH a AS (SELECT 1) SELECT * FROM a", Answer.QUERY),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", Answer.COUNT),
        ("FROM t INSERT INTO u SELECT *", Answer.COUNT),
        ("SHOW TABLES", Answer.QUERY),
        ("-- all\ndesc t", Answer.QUERY),
        ("EXPLAIN SELECT 1", Answer.QUERY),
        ("REFRESH DYNAMIC TABLE t", Answer.RUN_FOR_ROWS),
        ("BEGIN SELECT 1; END", Answer.RUN_FOR_ROWS),
        ("CREATE TABLE t AS SELECT 1", Answer.COUNT),
        ("INSERT INTO t VALUES (1)", Answer.COUNT),
        ("DROP TABLE t", Answer.COUNT),
    ],
)
def test_what_a_statement_answers_with(text: str, answer: Answer) -> None:
    assert answer_of(ParsedStatement(text)) is answer


def test_preparing_runs_nothing(address: str, clusters: FakeClusters) -> None:
    with cursor_at(address) as cursor:
        cursor.adbc_prepare("INSERT INTO t VALUES (1)")
        cursor.adbc_prepare("REFRESH DYNAMIC TABLE t")
        assert clusters.processes == []
        assert cursor.adbc_prepare("SELECT 1") is not None
        assert [each.text for each in clusters.last.described] == ["SELECT 1"]
    assert clusters.last.seen == []


def test_an_error_is_found_when_it_is_prepared(address: str) -> None:
    with (
        cursor_at(address) as cursor,
        pytest.raises(adbc.OperationalError, match="there is no nosuch\nhint: look"),
    ):
        cursor.adbc_prepare("SELECT nosuch WHERE a = ?")


NOON = datetime(2026, 1, 2, 12)  # noqa: DTZ001  (a time without a zone is of the lake's)
VALUES = (1, 1.5, "a", None, True, b"b", date(2026, 1, 2), NOON, Decimal("1.50"))


def test_values_arrive_in_their_types(address: str, clusters: FakeClusters) -> None:
    with cursor_at(address) as cursor:
        fetched(cursor, f"SELECT {', '.join('?' * len(VALUES))}", VALUES)
    assert clusters.last.seen[-1].parameters == list(VALUES)


def test_named_parameters(address: str, clusters: FakeClusters) -> None:
    with cursor_at(address) as cursor:
        fetched(cursor, "SELECT :low, :high, :low", (1, 2))
    assert clusters.last.seen[-1].parameters == {"low": 1, "high": 2}


def test_a_statement_is_run_for_each_row(address: str, clusters: FakeClusters) -> None:
    with cursor_at(address) as cursor:
        cursor.executemany("INSERT INTO t VALUES (?, ?)", [(1, "a"), (2, "b")])
    assert [each.parameters for each in clusters.last.seen] == [[1, "a"], [2, "b"]]


def test_a_row_that_fails_is_named(address: str) -> None:
    with (
        cursor_at(address) as cursor,
        pytest.raises(adbc.OperationalError, match="row 1 of the parameters: there is no nosuch"),
    ):
        cursor.executemany("INSERT INTO nosuch VALUES (?)", [(1,), (2,)])


def test_rows_beyond_the_limit(address: str) -> None:
    with (
        cursor_at(address) as cursor,
        pytest.raises(adbc.OperationalError, match=r"1,000 rows of parameters at most\nhint: .*adbc_ingest"),
    ):
        cursor.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(1_001)])


@pytest.mark.parametrize(("given", "said"), [((), "no values were given"), ((1, 2), "2 values were given")])
def test_a_wrong_number_of_values(address: str, given: tuple[int, ...], said: str) -> None:
    with cursor_at(address) as cursor, pytest.raises(adbc.OperationalError, match=said):
        fetched(cursor, "SELECT ?", given or None)


def test_a_query_takes_one_row(address: str) -> None:
    with cursor_at(address) as cursor:
        cursor.adbc_prepare("SELECT ?")
        with pytest.raises(adbc.OperationalError, match="a query takes one row of parameters"):
            cursor.execute("SELECT ?", pa.table({"a": [1, 2]}))


def test_both_kinds_of_parameters() -> None:
    with pytest.raises(Exception, match="cannot be both"):
        markers_of(ParsedStatement("SELECT ?, :a"))


def test_times_with_nanoseconds() -> None:
    batch = pa.record_batch({"t": pa.array([NOON], pa.timestamp("ns"))})
    assert bound_rows([batch], ("?",)) == [[NOON]]


def columns_of_lake() -> dict[TableName, list[MetadataColumn]]:
    def columns(**kinds: str) -> list[MetadataColumn]:
        return [MetadataColumn(name, kind, None, False) for name, kind in kinds.items()]

    return {
        TableName("lake", "public", "orders"): columns(
            id="bigint", customer="string", amount="decimal(10,2)", day="date", at="timestamp", paid="boolean"
        ),
        TableName("lake", "public", "other"): columns(id="string"),
    }


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("SELECT * FROM orders WHERE id = ?", [pa.int64()]),
        ("SELECT * FROM orders o WHERE o.Amount > ? AND ? <= day", [pa.decimal128(10, 2), pa.date32()]),
        ("SELECT * FROM orders WHERE at BETWEEN ? AND ?", [pa.timestamp("ms")] * 2),
        ("SELECT * FROM orders WHERE id IN (?, ?) LIMIT ?", [pa.int64()] * 3),
        ("SELECT * FROM orders WHERE customer LIKE ?", [pa.string()]),
        ("INSERT INTO orders VALUES (?, ?, 1, ?)", [pa.int64(), pa.string(), pa.date32()]),
        ("INSERT INTO orders (paid, id) VALUES (?, ?)", [pa.bool_(), pa.int64()]),
        ("UPDATE orders SET paid = ? WHERE id = ?", [pa.bool_(), pa.int64()]),
        ("DELETE FROM orders WHERE id = CAST(? AS INT)", [pa.int64()]),
        ("SELECT * FROM orders JOIN other WHERE orders.id = ?", [pa.string()]),
        ("SELECT ? + 1", [pa.string()]),
        ("SELECT ??? FROM", [pa.string()] * 3),
    ],
)
def test_types_of_parameters(text: str, types: list[pa.DataType]) -> None:
    assert types_in(text) == types


def types_in(text: str) -> list[Any]:
    parsed = ParsedStatement(text)
    return list(parameter_schema(parsed, markers_of(parsed), columns_of_lake).types)


def test_an_update_without_parameters(address: str, clusters: FakeClusters) -> None:
    with cursor_at(address) as cursor:
        cursor.adbc_statement.set_sql_query("UPDATE t SET a = 1")
        cursor.adbc_statement.prepare()
        assert cursor.adbc_statement.execute_update() == 0
    assert clusters.last.seen[-1].parameters is None


def test_planning_does_not_wait_for_what_runs(address: str, service: Service) -> None:
    statements = [f"SLEEP {number}" for number in range(9)]
    session = service.sessions.open(acting_for("ann"))
    running = [service.runner.submit(session, text, None) for text in statements]
    until(lambda: service.pool.cluster("default").queued, 20, "a full queue")
    with cursor_at(address) as cursor:
        assert cursor.adbc_execute_schema("SELECT 1").names == ["n", "s"]
    for statement in running:
        service.runner.cancel(statement)
