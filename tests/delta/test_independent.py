"""The second oracle is one: it tells a front end that reads a query wrongly."""

from __future__ import annotations

import duckdb
import pytest

from tests.delta import duckdb_tables
from tests.delta.duckdb_tables import TABLES, DuckDbTables
from tests.delta.independent import is_translated, rows_at

QUERY = "SELECT t.a, u.k FROM lake.p.t LEFT JOIN lake.p.u ON t.a = u.a"
ROWS = {"t": [(1, "x", None), (2, "y", None)], "u": [(1, 7)]}


def test_a_misread_query_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def misread(query: str, schema: object) -> object:
        return qualified(query.replace("LEFT JOIN", "JOIN"), schema)

    qualified = duckdb_tables.qualified_tree
    duck = duckdb.connect()
    right, wrong = DuckDbTables(TABLES, duck), DuckDbTables(TABLES, duck)
    right.assert_exact(QUERY, (ROWS, ROWS))
    assert right.result(QUERY, "new") == rows_at(duck, TABLES, QUERY, "new")
    monkeypatch.setattr(duckdb_tables, "qualified_tree", misread)
    wrong.assert_exact(QUERY, (ROWS, ROWS))
    assert wrong.result(QUERY, "new") != rows_at(duck, TABLES, QUERY, "new")


def test_what_only_spark_reads_so_is_left_out() -> None:
    assert is_translated(QUERY)
    assert not is_translated("SELECT a NOT IN (SELECT k FROM lake.p.u) FROM lake.p.t")
