"""Columns that Headrace keeps for itself in a dynamic table, through every statement that could show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import headrace
from headrace.connection import Connection
from headrace.errors import Error, NotFound, NotSupportedError
from tests import internals
from tests.refresh.helpers import assert_same_bag, refresh


def prepare(lake: Connection) -> Connection:
    """``d`` has a hidden column by now; the tag ``old`` is from before, ``new`` from after."""
    lake.sql(
        "CREATE TABLE t (a INT, b STRING); INSERT INTO t VALUES (1, 'x'), (2, 'y');"
        "CREATE TABLE u (a INT, b STRING); INSERT INTO u VALUES (1, 'x');"
        "CREATE DYNAMIC TABLE d AS SELECT a, b FROM t; REFRESH DYNAMIC TABLE d;"
        "CREATE VIEW early AS SELECT * FROM d, (SELECT b AS c FROM u)"
    )
    behind(lake, "CREATE TAG old")
    behind(lake, "ADD COLUMN __hr_count BIGINT")
    refresh(lake, "d", full=True)
    behind(lake, "CREATE TAG new", "CREATE BRANCH fork")
    return lake


@pytest.fixture(scope="module")
def hiding(shared_lake: Connection) -> Iterator[Connection]:
    """For tests that leave it as it was."""
    with headrace.connect(shared_lake.lake_path) as connection:
        connection.sql("CREATE SCHEMA hiding; USE hiding")
        yield prepare(connection)


def behind(lake: Connection, *changes: str, table: str = "d") -> None:
    for change in changes:
        internals.spark(lake).sql(f"ALTER TABLE lake.{lake.schema}.{table} {change}")


def answer(lake: Connection, text: str, parameters: Any = None) -> tuple[list[str], list[tuple[Any, ...]]]:
    result = lake.sql(text.format(s=lake.schema), parameters)
    return result.columns, sorted(result.fetchall(), key=repr)


ROWS = (["a", "b"], [(1, "x"), (2, "y")])


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM d",
        "SELECT x.* FROM d x",
        "SELECT {s}.d.a, lake.{s}.d.b FROM {s}.d WHERE {s}.d.a > 0",
        "SELECT * FROM `lake`.{s}.`d`",
        "SELECT d.* FROM (d) ORDER BY d.a",
        "SELECT * FROM (SELECT * FROM d)",
        "SELECT * FROM d UNION SELECT * FROM d",
        "TABLE d",
        "TABLE d UNION TABLE d",
        "FROM d",
        "FROM d |> WHERE a > 0",
        "TABLE d |> JOIN d x USING (a, b)",
        "SELECT * FROM d NATURAL JOIN d x",
        "SELECT * FROM d LEFT JOIN d x USING (a, b)",
        "SELECT * FROM d x WHERE EXISTS (SELECT * FROM d WHERE {s}.d.a = x.a)",
        "SELECT * FROM d WHERE (a, b) IN (TABLE d)",
        "WITH d AS (SELECT * FROM d) SELECT * FROM d",
        "WITH x AS (TABLE d), y AS (FROM x) SELECT * FROM y",
        "SELECT v.* FROM (SELECT struct(*) AS v FROM d)",
        "SELECT * FROM d TABLESAMPLE (100 PERCENT)",
        "SELECT * FROM d WITH ('split-size' = '1000')",
        "SELECT /*+ BROADCAST(d) */ * FROM d",
        "SELECT * FROM IDENTIFIER('{s}.d')",
        "SELECT * FROM IDENTIFIER('{s}' || '.d') AS x",
        "SELECT * FROM d VERSION AS OF 'old'",
        "SELECT * FROM d VERSION AS OF 'new'",
        "SELECT d.* FROM d UNION SELECT d.* FROM d VERSION AS OF 'old'",
        "SELECT d.* FROM d FOR VERSION AS OF 'fork' WHERE d.a > 0",
        "SELECT * FROM d TIMESTAMP AS OF current_timestamp() - INTERVAL 0 SECONDS x",
        "SELECT * FROM {s}.d.tag_new",
        "SELECT {s}.d.branch_fork.* FROM {s}.d.branch_fork",
        "EXECUTE IMMEDIATE 'SELECT * FROM d'",
        "EXECUTE IMMEDIATE 'SELECT * FROM ' || 'd WHERE a > ?' USING 0",
        "BEGIN SELECT * FROM d; END",
        "BEGIN DECLARE n INT DEFAULT 0; FOR r AS SELECT * FROM d DO SET n = r.a; END FOR; TABLE d; END",
    ],
)
def test_queries(hiding: Connection, query: str) -> None:
    assert answer(hiding, query) == ROWS


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("SELECT * FROM d WHERE a > ?", [0]),
        ("SELECT * FROM d WHERE a > :p", {"p": 0}),
        ("SELECT * FROM IDENTIFIER(:n) WHERE a > :p", {"n": "d", "p": 0}),
        ("SELECT * FROM u, IDENTIFIER(?) x WHERE x.a > ? AND 'x' = ?", ["d", 0, "x"]),
        ("SELECT * FROM d TIMESTAMP AS OF :m WHERE a > :p", {"m": datetime.now(UTC) + timedelta(1), "p": 0}),
        ("SELECT * FROM d WHERE 1 = ? AND a IN (SELECT a FROM d TIMESTAMP AS OF ?)", [1, "2100-01-01"]),
    ],
)
def test_parameters(hiding: Connection, query: str, parameters: Any) -> None:
    columns, rows = answer(hiding, query, parameters)
    assert set(columns) == {"a", "b"}
    assert len(rows) == 2


def test_results_of_statements_that_write(lake: Connection) -> None:
    prepare(lake)
    lake.sql("CREATE TABLE copied AS SELECT * FROM d")
    assert answer(lake, "TABLE copied") == ROWS
    for insertion in ("SELECT * FROM d", "TABLE d", "BY NAME SELECT * FROM d", "(a, b) TABLE d", "FROM d"):
        lake.sql(f"TRUNCATE TABLE copied; INSERT INTO copied {insertion}")
        assert answer(lake, "TABLE copied") == ROWS
    lake.sql(
        "MERGE INTO u USING d ON u.a = d.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert answer(lake, "TABLE u") == ROWS
    lake.sql("TRUNCATE TABLE u; FROM d INSERT INTO u SELECT * WHERE a = 1 INSERT INTO u SELECT * WHERE a = 2")
    assert answer(lake, "TABLE u") == ROWS
    lake.sql("BEGIN FOR r AS TABLE d DO INSERT INTO copied SELECT * FROM d WHERE a = r.a; END FOR; END")
    assert len(lake.sql("TABLE copied")) == 4


def test_views(lake: Connection) -> None:
    prepare(lake)
    views = {
        "v1": "VIEW v1 AS SELECT * FROM d",
        "v2": "OR REPLACE VIEW v2 (a, b) AS TABLE d",
        "v3": f"VIEW v3 AS SELECT {lake.schema}.d.* FROM {lake.schema}.d",
        "v4": "TEMPORARY VIEW v4 AS SELECT * FROM d",
        "v5": "OR REPLACE TEMP VIEW v5 (a, b) AS SELECT d.* FROM d VERSION AS OF 'new'",
    }
    for view, text in views.items():
        lake.sql(f"CREATE {text}")
        assert answer(lake, f"SELECT * FROM {view}") == ROWS
        assert "__hr_" not in str(lake.sql(f"DESC {view}"))
    behind(lake, "ADD COLUMN __hr_sum BIGINT")
    for view in views:
        assert answer(lake, f"SELECT {view}.* FROM {view}") == ROWS


def test_a_view_from_before_the_column(hiding: Connection) -> None:
    assert answer(hiding, "SELECT * FROM early") == (["a", "b", "c"], [(1, "x", "x"), (2, "y", "x")])


def test_cached_query_and_function(hiding: Connection) -> None:
    hiding.sql("CACHE TABLE cached AS SELECT * FROM d")
    assert answer(hiding, "TABLE cached") == ROWS
    hiding.sql("UNCACHE TABLE cached; CREATE TEMPORARY FUNCTION f() RETURNS TABLE RETURN SELECT * FROM d")
    assert answer(hiding, "SELECT * FROM f()") == ROWS
    hiding.sql("DROP TEMPORARY FUNCTION f")


def test_temporary_view_of_the_same_name(hiding: Connection) -> None:
    with headrace.connect(hiding.lake_path) as other:
        other.sql(f"USE {hiding.schema}; CREATE TEMPORARY VIEW d AS SELECT 1 AS __hr_own")
        assert answer(other, "SELECT * FROM d") == (["__hr_own"], [(1,)])
        assert answer(other, "SELECT * FROM {s}.d") == ROWS


def test_tables_of_one_name(lake: Connection) -> None:
    prepare(lake)
    schema = lake.schema
    lake.sql(f"CREATE SCHEMA {schema}x; CREATE TABLE {schema}x.d AS SELECT a, b AS other FROM u")
    joined = f"{schema}.d JOIN {schema}x.d ON {schema}.d.a = {schema}x.d.a"
    expected = (["a", "b", "other"], [(1, "x", "x")])
    assert answer(lake, f"SELECT lake.{schema}.d.*, {schema}x.d.other FROM {joined}") == expected
    with pytest.raises(NotSupportedError, match="table name d is ambiguous here"):
        lake.sql(f"SELECT d.b FROM {joined}")


def test_dataframe(hiding: Connection) -> None:
    assert hiding.sql("SELECT * FROM d").spark().columns == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "DESC d",
        "DESC TABLE EXTENDED d",
        "DESC DYNAMIC TABLE d",
        "DESCRIBE QUERY SELECT * FROM d",
        "DESC FROM d",
        "SHOW COLUMNS IN d",
        "SHOW COLUMNS FROM d IN {s}",
        "SHOW COLUMNS IN lake.{s}.d",
        "SHOW TABLE EXTENDED LIKE 'd'",
        "SHOW CREATE TABLE d",
        "EXPLAIN SELECT * FROM d",
        "SHOW TABLES WHERE table_name IN (SELECT max('d') FROM (SELECT * FROM d))",
    ],
)
def test_descriptions(hiding: Connection, text: str) -> None:
    shown = str(hiding.sql(text.format(s=hiding.schema)))
    assert "a" in shown
    assert "__hr_" not in shown


def test_changelog_view(hiding: Connection) -> None:
    hiding.sql(f"CALL lake.system.create_changelog_view(table => '{hiding.schema}.d')")
    columns, rows = answer(hiding, "SELECT * FROM d_changes")
    assert columns == ["a", "b", "_change_type", "_change_ordinal", "_commit_snapshot_id"]
    assert len(rows) >= 2
    hiding.sql("DROP VIEW d_changes")


def test_tables_of_iceberg(hiding: Connection) -> None:
    schema = hiding.schema
    (count,) = hiding.sql(f"SELECT count(*) FROM {schema}.d.snapshots").fetchall()
    assert count >= (2,)
    joined = f"SELECT {schema}.d.files.record_count, {schema}.d.a FROM {schema}.d.files, {schema}.d"
    assert hiding.sql(joined).columns == ["record_count", "a"]
    assert hiding.sql(f"SELECT * FROM lake.{schema}.d.history").columns[0] == "made_current_at"


def test_columns_of_iceberg(hiding: Connection) -> None:
    assert hiding.sql("SELECT a, _row_id, _file FROM d").columns == ["a", "_row_id", "_file"]
    assert hiding.sql("SELECT _row_id, * FROM d ORDER BY d._row_id").columns == ["_row_id", "a", "b"]


def test_own_columns_of_other_tables_stay(hiding: Connection) -> None:
    hiding.sql("CREATE TABLE own (__hr_x INT)")
    assert hiding.sql("SELECT own.* FROM own LEFT JOIN d ON true").columns == ["__hr_x"]
    assert hiding.sql("SHOW COLUMNS IN own").fetchall() == [("__hr_x",)]
    assert "__hr_x" in str(hiding.sql("DESC own __hr_x"))


@pytest.mark.parametrize(
    ("text", "parameters", "words"),
    [
        ("SELECT __hr_count FROM d", None, "column __hr_count does not exist"),
        ("SELECT x.__hr_count FROM d x", None, "column x.__hr_count does not exist"),
        ("SELECT a FROM d VERSION AS OF 'new' WHERE __hr_count > 1", None, "__hr_count"),
        ("DESC d __hr_count", None, "column __hr_count does not exist"),
        ("DESC TABLE EXTENDED {s}.d __hr_count", None, "column __hr_count does not exist"),
        ("CREATE DYNAMIC TABLE e AS SELECT __hr_count FROM d", None, "column __hr_count does not exist"),
        ("SELECT a FROM d JOIN u USING (__hr_count)", None, "__hr_count"),
    ],
)
def test_hidden_columns_by_name(hiding: Connection, text: str, parameters: Any, words: str) -> None:
    with pytest.raises(Error) as caught:
        hiding.sql(text.format(s=hiding.schema), parameters)
    assert words in caught.value.message
    assert caught.value.place is not None or "USING" in text


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("SELECT a,\n  «nope»\nFROM {table} JOIN u USING (a)", None),
        ("SELECT * FROM {table}, {table} AS x WHERE {table}.a = ? AND «c» = ?", [1, 2]),
        ("SELECT * FROM {table} WHERE a = :p AND b <> :p OR\n\n «c» = :p", {"p": 1}),
        ("SELECT * FROM {table} x JOIN {table} y ON x.a = y.a AND «x.nope» = y.nope", None),
        ("SELECT * FROM {table} WHERE a = 1 «)»", None),
        ("SELECT «CAST(b AS INT)» FROM {table}", None),
        ("SELECT 1 FROM u; SELECT * FROM {table}, «nowhere» WHERE a = 1", None),
        ("SELECT * FROM {table} WHERE «{s}.{table}.nope» = 1", None),
        ("SELECT «lake.{s}.{table}.nope» FROM {s}.{table} WHERE {s}.{table}.a = 1", None),
        ("EXECUTE IMMEDIATE 'SELECT «nope» FROM {table}'", None),
        ("INSERT INTO u SELECT a, «nope» FROM {table}", None),
        ("CREATE DYNAMIC TABLE e AS SELECT *, «nope» FROM {table}", None),
        ("CREATE DYNAMIC TABLE e AS\nSELECT * FROM u JOIN {table} x ON «x.nope» = 1", None),
        ("CREATE VIEW v AS SELECT «nope» FROM {table}", None),
        ("MERGE INTO u USING {table} ON u.a = «{table}.nope» WHEN MATCHED THEN DELETE", None),
    ],
)
def test_places_are_those_of_a_table_without_hidden_columns(
    hiding: Connection, text: str, parameters: Any
) -> None:
    told = []
    for table in ("t", "d"):
        marked = text.format(table=table, s=hiding.schema)
        with pytest.raises(Error) as caught:
            hiding.sql(re.sub("[«»]", "", marked), parameters).fetchall()
        place = caught.value.place
        assert place is not None
        culprit = place.source_line[place.column - 1 :][: place.length]
        assert [culprit] == re.findall("«(.*)»", marked)
        told.append((caught.value.message.replace(f"{table}.", "t."), place.line, place.column))
    assert told[0] == told[1]


def test_definitions_see_the_visible_columns(lake: Connection) -> None:
    prepare(lake)
    schema = lake.schema
    lake.sql(
        "CREATE VIEW v AS SELECT * FROM d;"
        f"CREATE DYNAMIC TABLE plain AS SELECT {schema}.d.* FROM {schema}.d;"
        "CREATE DYNAMIC TABLE natural_one AS SELECT * FROM d NATURAL JOIN v;"
        "CREATE DYNAMIC TABLE of_view AS SELECT * FROM early"
    )
    store = internals.store(lake)
    for table in store.definitions.in_schema("lake", schema):
        for source in table.definition.sources:
            assert not any(column.startswith("__hr_") for column in source.columns)
        assert "__hr_count" not in table.definition.qualified
    for name, query in (
        ("plain", "SELECT * FROM d"),
        ("natural_one", "SELECT * FROM d NATURAL JOIN v"),
        ("of_view", "SELECT * FROM early"),
    ):
        refresh(lake, name)
        assert_same_bag(lake, name, query)
        assert "__hr_" not in str(lake.sql(f"DESC EXTENDED {name}"))


@pytest.mark.incremental
def test_refreshes_go_on(lake: Connection) -> None:
    prepare(lake)
    lake.sql("CREATE DYNAMIC TABLE e AS SELECT * FROM d WHERE a > 0")
    refresh(lake, "e")
    lake.sql("INSERT INTO t VALUES (3, 'z')")
    assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
    assert refresh(lake, "e")["refresh_mode"] == "INCREMENTAL"
    assert_same_bag(lake, "e", "SELECT * FROM t")
    lake.sql("DELETE FROM t WHERE a = 1")
    assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
    behind(lake, "ADD COLUMN __hr_sum BIGINT")
    refresh(lake, "e")
    assert_same_bag(lake, "e", "SELECT * FROM t")
    lake.sql("INSERT INTO t VALUES (4, 'z')")
    refresh(lake, "d")
    assert refresh(lake, "e")["refresh_mode"] == "INCREMENTAL"
    assert_same_bag(lake, "e", "SELECT * FROM t")


def test_a_rewrite_fills_hidden_columns_with_null(lake: Connection) -> None:
    lake.sql(
        "CREATE TABLE t (a INT, m MAP<INT, INT>); INSERT INTO t VALUES (1, map(1, 1));"
        "CREATE DYNAMIC TABLE d AS SELECT * FROM t; REFRESH DYNAMIC TABLE d"
    )
    behind(lake, "ADD COLUMN __hr_count BIGINT")
    lake.sql("DELETE FROM t; INSERT INTO t VALUES (2, map(2, 2))")
    refresh(lake, "d", full=True)
    assert lake.sql("SELECT * FROM d").fetchall() == [(2, {2: 2})]


def test_a_table_without_hidden_columns_is_read_as_typed(
    lake: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql("CREATE TABLE t (a INT); CREATE DYNAMIC TABLE d REFRESH_MODE = FULL AS SELECT * FROM t")
    sent: list[str] = []
    spark = internals.spark(lake)
    sql = type(spark).sql
    monkeypatch.setattr(
        type(spark), "sql", lambda self, text, **given: sent.append(text) or sql(self, text, **given)
    )
    lake.sql("SELECT * FROM d JOIN t USING (a)")
    assert sent == ["SELECT * FROM d JOIN t USING (a)"]


def test_unknown_names_are_spark_s_to_refuse(hiding: Connection) -> None:
    for query in ("SELECT * FROM nowhere.d", "SELECT * FROM a.b.c.d", "SELECT * FROM IDENTIFIER(d)"):
        with pytest.raises(Error):
            hiding.sql(query)
    with pytest.raises(NotFound, match="77"):
        hiding.sql("SELECT * FROM d VERSION AS OF 77")
