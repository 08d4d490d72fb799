"""What passes to Spark and what does not. Refusals one by one are in ``bad_inputs/``."""

from __future__ import annotations

import pytest

from headrace import errors
from headrace.connection import Connection
from tests.oracle import assert_exact

SETUP = """
CREATE TABLE orders (id INT, product STRING);
INSERT INTO orders VALUES (1, 'lamp'), (2, 'desk');
CREATE DYNAMIC TABLE copy AS SELECT * FROM orders;
REFRESH DYNAMIC TABLE copy
"""


def refused(lake: Connection, statement: str) -> errors.Error:
    with pytest.raises(errors.Refused) as caught:
        lake.sql(statement).fetchall()
    return caught.value


def test_ordinary_tables_are_nobodys_business(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql(f"CREATE SCHEMA {lake.schema}_b; CREATE TABLE {lake.schema}_b.copy (id INT)")
    lake.sql(f"INSERT INTO {lake.schema}_b.copy VALUES (1)")
    lake.sql("WITH w AS (SELECT 3, 'rug') INSERT INTO orders SELECT * FROM w")
    lake.sql("EXECUTE IMMEDIATE 'INSERT INTO orders VALUES (?, ?)' USING 4, 'pen'")
    lake.sql("EXECUTE IMMEDIATE 'DELETE FROM ' || 'orders WHERE id = 1'")
    lake.sql("BEGIN DECLARE n INT DEFAULT 9; INSERT INTO orders VALUES (n, 'cup'); END")
    lake.sql("INSERT INTO IDENTIFIER('orders') SELECT id + 100, product FROM copy WHERE id = 1")
    ids = lake.sql("SELECT id FROM orders ORDER BY id").fetchall()
    assert ids == [(2,), (3,), (4,), (9,), (101,)]
    lake.sql("ALTER TABLE orders CREATE BRANCH side")
    lake.sql(f"INSERT INTO {lake.schema}.orders.branch_side VALUES (0, 'only there')")
    assert len(lake.sql("SELECT * FROM orders")) == 5
    lake.sql(f"CALL lake.system.rewrite_data_files(table => '{lake.schema}.orders')")
    lake.sql(f"DROP TABLE {lake.schema}_b.copy; DROP SCHEMA {lake.schema}_b")


def test_reading_a_dynamic_table_is_free(lake: Connection) -> None:
    lake.sql(SETUP)
    name = f"{lake.schema}.copy"
    assert len(lake.sql(f"SELECT * FROM {name}.snapshots")) == 1
    assert len(lake.sql(f"CALL lake.system.ancestors_of('{name}')")) == 1
    lake.sql("CREATE TABLE from_it AS SELECT * FROM copy; CREATE VIEW over_it AS SELECT * FROM copy")
    lake.sql("INSERT INTO from_it SELECT * FROM copy; EXPLAIN DELETE FROM orders")
    lake.sql("CACHE TABLE copy; UNCACHE TABLE copy")
    assert len(lake.sql("SELECT * FROM from_it JOIN over_it USING (id)")) == 4
    (notice,) = lake.sql("REFRESH TABLE copy").notices
    assert notice == (
        f"REFRESH TABLE only clears Spark's cache: REFRESH DYNAMIC TABLE lake.{name} brings it up to date"
    )


@pytest.mark.parametrize("schema", ["session", "system", "spark_catalog"])
def test_schemas_with_names_that_mean_something_to_spark(lake: Connection, schema: str) -> None:
    table = f"dt_{lake.schema}"
    name = f"lake.{schema}.{table}"
    lake.sql(f"CREATE SCHEMA IF NOT EXISTS lake.{schema}; USE lake.{schema}")
    lake.sql(f"CREATE DYNAMIC TABLE {name} AS SELECT 1 AS a; REFRESH DYNAMIC TABLE {name}")
    for way in (table, f"{schema}.{table}", name):
        assert refused(lake, f"DELETE FROM {way}").message.startswith(f"{name} is a dynamic table")
    assert lake.sql(f"SELECT * FROM {name}").fetchall() == [(1,)]
    lake.sql(f"DROP DYNAMIC TABLE {name}")


def test_a_temporary_view_of_the_same_name_opens_no_door(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql("CREATE TEMPORARY VIEW copy AS SELECT 0 AS id, 'shadow' AS product")
    for statement in (
        "CREATE OR REPLACE TABLE copy AS SELECT 1 AS a",
        "CREATE OR REPLACE VIEW copy AS SELECT 1 AS a",
        "INSERT INTO copy VALUES (3, 'rug')",
        "DROP TABLE copy",
    ):
        refused(lake, statement)
    assert_exact(lake, f"lake.{lake.schema}.copy", "SELECT * FROM orders")


def test_a_script_stops_where_it_is_refused(lake: Connection) -> None:
    lake.sql(SETUP)
    script = """INSERT INTO orders VALUES (3, 'rug');
      -- and now something else
      INSERT INTO copy VALUES (3, 'rug');
      INSERT INTO orders VALUES (4, 'pen')"""
    error = refused(lake, script)
    assert error.place is not None
    assert (error.place.line, error.place.column) == (3, 19)
    assert lake.sql("SELECT max(id) FROM orders").fetchall() == [(3,)]


def test_parameters_do_not_hide_a_dynamic_table(lake: Connection) -> None:
    lake.sql(SETUP)
    for statement, parameters in (
        ("INSERT INTO IDENTIFIER(?) VALUES (3, 'rug')", ["copy"]),
        ("DELETE FROM IDENTIFIER(:t)", {"t": "copy"}),
        ("CALL lake.system.rewrite_manifests(?)", [f"{lake.schema}.copy"]),
        ("CALL lake.system.rewrite_manifests(table => :t)", {"t": f"{lake.schema}.copy"}),
    ):
        with pytest.raises(errors.Refused, match="requires the table name as a literal"):
            lake.sql(statement, parameters)
    with pytest.raises(errors.ProgrammingError):
        lake.sql("EXECUTE IMMEDIATE ?", ["DELETE FROM copy"])
    assert_exact(lake, "copy", "SELECT * FROM orders")


def test_variables_do_not_hide_a_dynamic_table(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql("DECLARE OR REPLACE VARIABLE stmt STRING DEFAULT 'DELETE FROM copy'")
    assert "is a dynamic table" in refused(lake, "EXECUTE IMMEDIATE stmt").message
    lake.sql("SET VARIABLE stmt = 'SELECT 1'")
    assert lake.sql("EXECUTE IMMEDIATE stmt").fetchall() == [(1,)]
    shadowing = "BEGIN DECLARE stmt STRING DEFAULT 'DELETE FROM copy'; EXECUTE IMMEDIATE stmt; END"
    assert "inside a block" in refused(lake, shadowing).message
    assert_exact(lake, "copy", "SELECT * FROM orders")


def test_other_ways_to_name_a_dynamic_table(lake: Connection) -> None:
    lake.sql(SETUP)
    here = lake.schema
    lake.sql("USE public")
    for block in (
        f"BEGIN USE {here}; DELETE FROM copy; END",
        f"BEGIN EXECUTE IMMEDIATE 'USE {here}'; DELETE FROM copy; END",
    ):
        assert refused(lake, block).message == "USE is not supported inside a block"
    alias = f"CREATE TEMPORARY VIEW alias USING iceberg OPTIONS (path '{here}.copy')"
    assert refused(lake, alias).message == (
        f"lake.{here}.copy is a dynamic table and cannot be written to under another name"
    )
    lake.sql(f"CREATE TEMPORARY VIEW alias USING iceberg OPTIONS (path '{here}.orders')")
    lake.sql(f"EXECUTE IMMEDIATE 'USE {here}'")
    assert lake.schema == here
    assert_exact(lake, "copy", "SELECT * FROM alias")


def test_a_dropped_name_is_free_again(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql("CREATE DYNAMIC TABLE reader AS SELECT id FROM copy")
    (notice,) = lake.sql("DROP DYNAMIC TABLE copy").notices
    here = f"lake.{lake.schema}"
    assert notice == f"this statement drops {here}.copy, which is read by dynamic table {here}.reader (id)"
    (notice,) = lake.sql("DROP DYNAMIC TABLE IF EXISTS copy").notices
    assert notice == f"dynamic table lake.{lake.schema}.copy does not exist, nothing was done"
    lake.sql("CREATE TABLE copy (id INT); INSERT INTO copy VALUES (7); REFRESH DYNAMIC TABLE reader")
    assert lake.sql("SELECT * FROM reader").fetchall() == [(7,)]
