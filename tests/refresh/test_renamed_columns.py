"""A name that means another column than at the last refresh: the table is what the query gives by now."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.connection import Connection
from tests.oracle import assert_exact
from tests.refresh.helpers import as_dict, refresh

pytestmark = pytest.mark.incremental

OTHER = "is another column than at the last refresh: columns were renamed, or a new one has the old name"
SWAP = """
    ALTER TABLE t RENAME COLUMN a TO was_a;
    ALTER TABLE t RENAME COLUMN b TO a;
    ALTER TABLE t RENAME COLUMN was_a TO b
"""
ANEW = "ALTER TABLE t RENAME COLUMN a TO a_old; ALTER TABLE t ADD COLUMN a STRING"
READ_A = {
    "listed": "SELECT id, a FROM t",
    "grouped": "SELECT a, count(*) AS rows, sum(n) AS n FROM t GROUP BY a",
    "joined": "SELECT t.id, t.a, u.name FROM t JOIN u ON t.a = u.a",
    "viewed": "SELECT * FROM v",
}
READ_OTHERS = {"sums": "SELECT id, sum(n) AS n FROM t GROUP BY id"}


SOURCES = """
    CREATE TABLE t (id INT, a STRING, b STRING, n BIGINT);
    INSERT INTO t VALUES (1, 'a1', 'b1', 10), (2, 'a2', 'b2', 20), (3, 'a2', 'b3', 30);
    CREATE TABLE u (a STRING, name STRING); INSERT INTO u VALUES ('a1', 'one'), ('b2', 'two');
    CREATE VIEW v AS SELECT id + 1 AS next, a FROM t WHERE n > 0
"""


def make(lake: Connection, queries: dict[str, str]) -> None:
    lake.sql(SOURCES)
    for name, query in queries.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query}; REFRESH DYNAMIC TABLE {name}")


def verified(lake: Connection, name: str) -> Any:
    return as_dict(lake.sql(f"VERIFY DYNAMIC TABLE {name}"))["result"]


def refreshed(lake: Connection, name: str, query: str) -> dict[str, Any]:
    row = refresh(lake, name)
    assert_exact(lake, name, query)
    return row


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(f"{SWAP}; DELETE FROM t WHERE id = 2", id="swapped"),
        pytest.param(f"{ANEW}; INSERT INTO t VALUES (4, 'a1', 'b4', 40, 'b2')", id="added anew"),
    ],
)
def test_a_name_means_another_column(lake: Connection, change: str) -> None:
    make(lake, {**READ_A, **READ_OTHERS})
    lake.sql(change)
    for name, query in READ_A.items():
        assert verified(lake, name) == "exact", "at the versions and columns of the last refresh"
        row = refreshed(lake, name, query)
        assert row["refresh_mode"] == "FULL"
        assert f"column a of lake.{lake.schema}.t {OTHER}" in row["refresh_mode_reason"]
    lake.sql("INSERT INTO t (id, a, n) VALUES (5, 'a1', 50); UPDATE t SET a = 'b2' WHERE id = 1")
    for name, query in {**READ_A, **READ_OTHERS}.items():
        assert refreshed(lake, name, query)["refresh_mode"] == "INCREMENTAL", name


def test_names_alone_change(lake: Connection) -> None:
    """No version of the table is made, and yet the result is another one."""
    make(lake, {"listed": READ_A["listed"]})
    lake.sql(SWAP)
    assert OTHER in refreshed(lake, "listed", READ_A["listed"])["refresh_mode_reason"]
    assert verified(lake, "listed") == "exact"
    lake.sql(SWAP)
    lake.sql(SWAP)
    row = refreshed(lake, "listed", READ_A["listed"])
    assert row["refresh_mode"] == "NO_DATA", "swapped and swapped back"


def test_a_new_definition_takes_effect_when_a_name_means_another_column(lake: Connection) -> None:
    make(lake, {"listed": READ_A["listed"]})
    query = "SELECT id, a, n FROM t"
    lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE listed AS {query}; ALTER TABLE t ADD COLUMN unread INT")
    assert refresh(lake, "listed")["refresh_mode"] == "NO_DATA"
    lake.sql(SWAP)
    row = refreshed(lake, "listed", query)
    assert (row["refresh_mode"], row["refresh_mode_reason"]) == ("FULL", "the definition changed")


def test_columns_of_a_dynamic_table_are_swapped(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (id INT, x STRING, y STRING); INSERT INTO t VALUES (1, 'x1', 'y1')")
    lake.sql("CREATE DYNAMIC TABLE lower AS SELECT * FROM t; REFRESH DYNAMIC TABLE lower")
    lake.sql("CREATE DYNAMIC TABLE upper AS SELECT id, x FROM lower; REFRESH DYNAMIC TABLE upper")
    lake.sql("DROP DYNAMIC TABLE upper")
    lake.sql("ALTER DYNAMIC TABLE lower RENAME COLUMN x TO z; ALTER DYNAMIC TABLE lower RENAME COLUMN y TO x")
    lake.sql("ALTER DYNAMIC TABLE lower RENAME COLUMN z TO y; UNDROP TABLE upper")
    row = refreshed(lake, "upper", "SELECT id, x FROM lower")
    assert row["refresh_mode"] == "FULL"
    assert f"column x of lake.{lake.schema}.lower {OTHER}" in row["refresh_mode_reason"]
    assert lake.sql("SELECT * FROM upper").fetchall() == [(1, "y1")]


def test_partitions(lake: Connection) -> None:
    """Each has versions of its own, by which its columns are told."""
    lake.sql("CREATE TABLE t (dt STRING, a STRING, b STRING); INSERT INTO t VALUES ('d1', 'a1', 'b1')")
    query = "SELECT dt, a FROM t WHERE dt = SESSION_CONFIGS()['dt.args.day']"
    lake.sql(f"CREATE DYNAMIC TABLE by_day PARTITIONED BY (dt) AS {query}")

    def of_day(day: str) -> str:
        lake.sql(f"SET dt.args.day = '{day}'")
        row = as_dict(lake.sql(f"REFRESH DYNAMIC TABLE by_day PARTITION (dt = '{day}')"))
        rows, wanted = (f"SELECT dt, a FROM {table} WHERE dt = '{day}'" for table in ("by_day", "t"))
        assert_exact(lake, f"({rows})", wanted)
        return f"{row['refresh_mode']} {row['refresh_mode_reason']}"

    of_day("d1")
    lake.sql(SWAP)
    lake.sql("INSERT INTO t VALUES ('d1', 'more', 'a2'), ('d2', 'more', 'a3')")
    assert "FULL first refresh" in of_day("d2")
    assert OTHER in of_day("d1")
    lake.sql("INSERT INTO t VALUES ('d1', 'most', 'a4')")
    assert of_day("d1").startswith("INCREMENTAL")
