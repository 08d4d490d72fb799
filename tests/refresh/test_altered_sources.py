"""A source whose columns were altered: the refresh is exact, or it fails and names the column."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from tests.refresh.helpers import assert_same_bag, failing, refresh

SELECTED = {
    "star": "SELECT * FROM t",
    "listed": "SELECT a, b FROM t",
    "qualified": "SELECT {schema}.t.a, lake.{schema}.t.b FROM t",
}


@pytest.fixture
def tables(lake: Connection) -> Connection:
    """Table t with three dynamic tables, filled."""
    lake.sql("CREATE TABLE t (a INT, b STRING, c DATE); INSERT INTO t VALUES (1, 'x', NULL), (2, NULL, NULL)")
    for name, query in SELECTED.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query.format(schema=lake.schema)}")
        refresh(lake, name)
    return lake


def assert_all_exact(lake: Connection) -> None:
    for name in SELECTED:
        refresh(lake, name)
    assert_same_bag(lake, "star", "SELECT a, b, c FROM t")
    assert_same_bag(lake, "listed", "SELECT a, b FROM t")
    assert_same_bag(lake, "qualified", "SELECT a, b FROM t")


def test_exact(tables: Connection) -> None:
    tables.sql("ALTER TABLE t ADD COLUMN d INT")
    assert_all_exact(tables)
    tables.sql("INSERT INTO t VALUES (3, 'more', NULL, 1)")
    assert_all_exact(tables)
    tables.sql("ALTER TABLE t ALTER COLUMN b FIRST; ALTER TABLE t ALTER COLUMN a TYPE BIGINT")
    assert_all_exact(tables)


def test_a_used_column_is_renamed(tables: Connection) -> None:
    tables.sql("ALTER TABLE t RENAME COLUMN b TO z")
    for name in SELECTED:
        with failing(tables, name, f"lake.{tables.schema}.t no longer has column b, dropped or renamed"):
            refresh(tables, name)
    tables.sql("ALTER TABLE t RENAME COLUMN z TO b")
    assert_all_exact(tables)


def test_a_used_column_is_dropped(tables: Connection) -> None:
    tables.sql("ALTER TABLE t DROP COLUMN b; INSERT INTO t (a) VALUES (3)")
    for name in SELECTED:
        with failing(tables, name, f"lake.{tables.schema}.t no longer has column b, dropped or renamed"):
            refresh(tables, name)
    tables.sql("ALTER TABLE t ADD COLUMN b STRING")
    assert_all_exact(tables)
    assert tables.sql("SELECT DISTINCT b FROM listed").fetchall() == [(None,)]


def test_an_unused_column_is_dropped(tables: Connection) -> None:
    tables.sql("ALTER TABLE t DROP COLUMN c")
    refresh(tables, "qualified")
    with failing(tables, "star", "no longer has column c"):
        refresh(tables, "star")
    tables.sql("INSERT INTO t VALUES (3, 'more')")
    refresh(tables, "qualified")
    assert_same_bag(tables, "qualified", "SELECT a, b FROM t")


def test_another_type_under_the_same_name(tables: Connection) -> None:
    tables.sql("ALTER TABLE t DROP COLUMN b; ALTER TABLE t ADD COLUMN b INT")
    hint = f"DROP DYNAMIC TABLE lake.{tables.schema}.listed and create it again"
    with failing(tables, "listed", "column b of the query is now int, but the table has string", hint):
        refresh(tables, "listed")


def test_a_promoted_value_that_does_not_fit(tables: Connection) -> None:
    tables.sql("ALTER TABLE t ALTER COLUMN a TYPE BIGINT; INSERT INTO t (a) VALUES (9876543210)")
    with failing(tables, "star", "a value is out of the range of column a, which is int"):
        refresh(tables, "star")
    tables.sql("DELETE FROM t WHERE a = 9876543210")
    assert_all_exact(tables)


def test_what_would_be_rounded_is_refused(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (f FLOAT, n INT); INSERT INTO t VALUES (0.1, 1)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT f FROM t; CREATE DYNAMIC TABLE other AS SELECT n FROM t")
    refresh(lake, "d")
    refresh(lake, "other")
    lake.sql("ALTER TABLE t ALTER COLUMN f TYPE DOUBLE; INSERT INTO t VALUES (0.1, 2)")
    with failing(lake, "d", "column f of the query is now double, but the table has float"):
        refresh(lake, "d")
    refresh(lake, "other")
    assert_same_bag(lake, "other", "SELECT n FROM t")


def test_nested_fields(lake: Connection) -> None:
    lake.sql("""
        CREATE TABLE t (id INT, s STRUCT<x: INT>, l ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<x: INT>>);
        INSERT INTO t VALUES
          (1, named_struct('x', 1), array(named_struct('x', 1), NULL), map('k', named_struct('x', 1))),
          (2, NULL, NULL, NULL), (3, named_struct('x', NULL), array(NULL), map());
    """)
    inside = "SELECT id, s.x, l[0].x AS lx, m['k'].x AS mx FROM t"
    lake.sql(f"CREATE DYNAMIC TABLE inside AS {inside}; CREATE DYNAMIC TABLE star AS SELECT * FROM t")
    refresh(lake, "inside")
    refresh(lake, "star")
    lake.sql("ALTER TABLE t ADD COLUMN s.y INT; ALTER TABLE t ADD COLUMN l.element.y INT FIRST")
    lake.sql("ALTER TABLE t ADD COLUMN m.value.y INT; ALTER TABLE t ALTER COLUMN m.value.x TYPE BIGINT")
    refresh(lake, "inside")
    assert_same_bag(lake, "inside", inside)
    with pytest.raises(lake.OperationalError, match="column s of the query is now struct<x:int,y:int>"):
        refresh(lake, "star")
    assert len(lake.sql("SELECT * FROM star")) == 3
    lake.sql("INSERT INTO t (id, s) VALUES (5, named_struct('x', 5, 'y', 6))")
    refresh(lake, "inside")
    assert_same_bag(lake, "inside", inside)


def test_altered_before_anything_was_written(lake: Connection) -> None:
    lake.sql(f"CREATE TABLE t (a INT, b INT); CREATE DYNAMIC TABLE d AS SELECT {lake.schema}.t.* FROM t")
    lake.sql("ALTER TABLE t ADD COLUMN c INT FIRST")
    refresh(lake, "d")
    lake.sql("INSERT INTO t VALUES (1, 2, 3)")
    refresh(lake, "d")
    assert lake.sql("SELECT * FROM d").fetchall() == [(2, 3)]
