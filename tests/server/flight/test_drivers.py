"""The drivers that people use, and a lake that a server serves: one Spark for all of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pytest

from headrace.commands.databases import open_store
from headrace.lake.directory import make_lake, open_directory

from ...catalog.samples import NOON
from ...test_docs import blocks
from ..large_result import peak_memory
from ..served import Served, flight_address, serving, until
from .adbc_client import BEARER, COOKIES, cursor_at, fetched
from .jdbc_client import driver_report
from .raw_client import RawClient

SETUP = """
CREATE SCHEMA shop;
CREATE TABLE shop.orders (id BIGINT NOT NULL, category STRING, amount DECIMAL(10, 2), day DATE, at TIMESTAMP);
INSERT INTO shop.orders VALUES (1, 'Sports', 2.50, DATE '2026-01-01', NULL), (2, 'Sports', 1, NULL, NULL);
CREATE DYNAMIC TABLE shop.totals AS SELECT category, count(*) AS orders, sum(amount) AS amount
  FROM shop.orders GROUP BY category;
CREATE VIEW shop.sports AS SELECT * FROM shop.orders WHERE category = 'Sports'
"""


@dataclass(frozen=True)
class FlightLake:
    served: Served
    address: str
    token: str


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlightLake]:
    path = make_lake(tmp_path_factory.mktemp("flight") / "lake").path
    with serving(path, "--flight-port", "0") as served:
        with served.connect() as connection:
            connection.sql(SETUP)
        yield FlightLake(served, flight_address(served), make_token(path))


def make_token(path: Path) -> str:
    store = open_store(open_directory(path), lambda _: None)
    try:
        return store.tokens.create("ann", NOON)
    finally:
        store.close()


@pytest.fixture
def cursor(lake: FlightLake) -> Iterator[Any]:
    with cursor_at(lake.address, COOKIES | {BEARER: f"Bearer {lake.token}"}) as found:
        yield found


def test_every_kind_of_statement(cursor: Any) -> None:
    fetched(cursor, "CREATE TABLE shop.kinds (id INT)")
    cursor.execute("INSERT INTO shop.kinds VALUES (1), (2)")
    assert cursor.rowcount == 2
    assert fetched(cursor, "SELECT * FROM shop.kinds ORDER BY id") == [(1,), (2,)]
    (refreshed,) = fetched(cursor, "REFRESH DYNAMIC TABLE shop.totals")
    assert refreshed[1:3] == ("shop", "totals")
    assert ("kinds",) in [(row[1],) for row in fetched(cursor, "SHOW TABLES IN shop")]
    assert fetched(cursor, "EXPLAIN SELECT * FROM shop.kinds")
    assert fetched(cursor, "SHOW JOBS LIMIT 1")[0]
    fetched(cursor, "DROP TABLE shop.kinds")


def test_preparing_a_query_does_not_run_it(lake: FlightLake, cursor: Any) -> None:
    before = all_jobs(lake)
    cursor.adbc_prepare("SELECT * FROM shop.orders WHERE id = ? AND amount > ?")
    schema = cursor.adbc_execute_schema("SELECT category, sum(amount) AS s FROM shop.orders GROUP BY 1")
    assert schema.types == [pa.string(), pa.decimal128(20, 2)]
    assert all_jobs(lake) == before


def all_jobs(lake: FlightLake) -> list[dict[str, str]]:
    found: list[dict[str, str]] = lake.served.get("/api/v1/jobs?limit=1000").json()["items"]
    return found


def test_parameters(cursor: Any) -> None:
    found = fetched(cursor, "SELECT id FROM shop.orders WHERE category = ? AND id < ?", ("Sports", 2))
    assert found == [(1,)]
    assert fetched(cursor, "SELECT id FROM shop.orders WHERE id < 100 LIMIT ?", (1,)) == [(1,)]
    cursor.executemany("INSERT INTO shop.orders (id, category) VALUES (?, ?)", [(50, "a"), (51, "b")])
    assert fetched(cursor, "SELECT count(*) FROM shop.orders WHERE id IN (50, 51)") == [(2,)]


def test_a_session(cursor: Any) -> None:
    fetched(cursor, "USE shop")
    fetched(cursor, "CREATE TEMPORARY VIEW mine AS SELECT 42 AS answer")
    assert fetched(cursor, "SELECT answer FROM mine") == [(42,)]
    assert fetched(cursor, "SELECT count(*) > 0 FROM orders") == [(True,)]
    assert cursor.connection.adbc_current_db_schema == "shop"


def test_the_place_of_an_error(cursor: Any) -> None:
    with pytest.raises(adbc.OperationalError, match="nosuch") as caught:
        fetched(cursor, "SELECT id,\n  nosuch FROM shop.orders")
    assert "line 2, column 3" in str(caught.value)


@pytest.mark.parametrize("mode", ["create", "append", "replace"])
def test_ingestion_is_one_commit(cursor: Any, mode: str) -> None:
    name = f"ingested_{mode}"
    if mode != "create":
        fetched(cursor, f"CREATE TABLE shop.{name} (id BIGINT, name STRING, at TIMESTAMP)")
        fetched(cursor, f"INSERT INTO shop.{name} VALUES (0, 'old', NULL)")
    before = versions(cursor, name) if mode == "append" else 0
    times = pa.array([1, 2, None], pa.timestamp("us", "UTC"))
    rows = pa.table({"id": [1, 2, 3], "name": ["a", None, "c"], "at": times})
    assert cursor.adbc_ingest(name, rows, mode, db_schema_name="shop") == 3
    found = fetched(cursor, f"SELECT id, name, at IS NULL FROM shop.{name} ORDER BY id")
    old = [(0, "old", True)] if mode == "append" else []
    assert found == [*old, (1, "a", False), (2, None, False), (3, "c", True)]
    assert versions(cursor, name) == before + 1


def versions(cursor: Any, name: str) -> int:
    """Of the table as it is now; one that was replaced begins again."""
    return int(fetched(cursor, f"SELECT count(*) FROM shop.{name}.history WHERE is_current_ancestor")[0][0])


def test_rows_that_do_not_fit_are_not_ingested(cursor: Any) -> None:
    before = fetched(cursor, "SELECT count(*) FROM shop.orders")
    with pytest.raises(adbc.OperationalError, match="column id is NOT NULL"):
        cursor.adbc_ingest("orders", pa.table({"id": [1, None]}), "append", db_schema_name="shop")
    with pytest.raises(adbc.ProgrammingError, match="is a dynamic table: only refreshes write to it"):
        cursor.adbc_ingest("totals", pa.table({"id": [1]}), "append", db_schema_name="shop")
    assert fetched(cursor, "SELECT count(*) FROM shop.orders") == before


def test_a_large_result_and_its_cancelling(lake: FlightLake, cursor: Any) -> None:
    cursor.execute("SELECT id, repeat('x', 100) AS s FROM range(300000)")
    assert cursor.fetch_arrow_table()["id"].to_pylist() == list(range(300_000))
    raw = RawClient(lake.address, lake.token)
    slow = "SELECT id, sha2(repeat(CAST(id AS STRING), 9999), 512), repeat('x', 1000) FROM range(10000000)"
    reader = raw.client.do_get(raw.ticket(slow), raw.options)
    assert reader.read_chunk().data.num_rows > 0
    reader.cancel()
    until(lambda: state_of_last(lake) == "CANCELLED", 40, "the cancellation")
    raw.close()


def test_the_server_does_not_hold_a_large_result(lake: FlightLake, cursor: Any) -> None:
    fetched(cursor, "SELECT 1")
    before, megabytes = peak_memory(lake.served.process.pid), 250
    cursor.execute(f"SELECT id, repeat('x', 992) AS s FROM range({megabytes * 1000})")
    assert sum(batch.num_rows for batch in cursor.fetch_record_batch()) == megabytes * 1000
    assert peak_memory(lake.served.process.pid) - before < megabytes / 2


def state_of_last(lake: FlightLake) -> str:
    return str(lake.served.get("/api/v1/jobs?limit=1").json()["items"][0]["state"])


def test_a_program_in_java(lake: FlightLake, tmp_path: Path) -> None:
    found = driver_report(lake.address, lake.token, tmp_path)
    assert "the token is not valid or was revoked" in found.pop("wrong token")
    assert "nosuch" in found.pop("error")
    assert "jdbc" in found.pop("show")
    slow = [job for job in all_jobs(lake) if job["statement"].startswith("SELECT id, repeat('x', 1000)")]
    assert [job["state"] for job in slow] == ["CANCELLED"]
    assert {"totals=DYNAMIC TABLE", "orders=TABLE", "sports=VIEW"} <= listed(found.pop("tables"))
    assert {"lake"} == listed(found.pop("catalogs"))
    assert "shop|lake" in listed(found.pop("schemas"))
    assert found == {
        "token as password": "[ann]",
        "catalog": "[lake]",
        "product": "Headrace",
        "quote": "`",
        "transactions": "false",
        "table types": "[TABLE, DYNAMIC TABLE, VIEW]",
        "columns": "[id -5 NO, category 12 YES, amount 3 YES, day 91 YES, at 2014 YES]",
        "primary keys": "[]",
        "keywords": "true",
        "create": "0",
        "insert": "2",
        "select": "[1|a, 2|null]",
        "explain": "true",
        "drop is update": "true",
        "refresh has rows": "true",
        "refreshed": "[Toys|2|8.00]",
        "insert with parameters": "1",
        "select with 100": "[100|Books|12.50|2026-02-03|04:05:06]",
        "select with 101": "[]",
        "session": "[true]",
        "large": f"1000000 {sum(range(1_000_000))}",
        "slow begins": "true",
        "after cancel": "[1]",
        "without a token": "[1]",
    }


def test_the_example_of_the_docs(lake: FlightLake, capsys: pytest.CaptureFixture[str]) -> None:
    program, _ = blocks("docs/connect.md", "python")
    (shown,) = blocks("docs/connect.md", "text")
    here = program.replace("grpc://127.0.0.1:32010", lake.address)
    assert here != program
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "pandas only supports SQLAlchemy")
        exec(compile(here, "docs/connect.md", "exec"), {})  # noqa: S102  (our own page)
    assert capsys.readouterr().out == shown


def listed(text: str) -> set[str]:
    return set(text.strip("[]").split(", "))
