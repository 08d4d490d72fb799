"""Which queries read a column, and which only look so."""

from __future__ import annotations

import pytest

from headrace.features.dynamic_tables.grammar_clauses import rename_column_in
from headrace.model.names import TableName
from headrace.sql.queries.column_use import reads_column

D, OTHER = TableName("lake", "p", "d"), TableName("lake", "p", "o")
COLUMNS = {D: ("a", "b", "c"), OTHER: ("a", "x")}

READ_IT = [
    "SELECT A FROM lake.p.d",
    "SELECT * FROM lake.p.d",
    "SELECT b FROM lake.p.d ORDER BY a",
    "SELECT z.* FROM lake.p.d z",
    "SELECT o.x FROM lake.p.d d JOIN lake.p.o o USING (a)",
    "SELECT x FROM lake.p.o NATURAL JOIN lake.p.d",
    "SELECT x FROM lake.p.o o WHERE EXISTS (SELECT 1 FROM lake.p.d WHERE d.a = o.x)",
    "SELECT x FROM lake.p.d d, lake.p.o o WHERE EXISTS (SELECT 1 FROM lake.p.o p WHERE p.x = d.a)",
    "WITH q AS (SELECT a AS z, b FROM lake.p.d) SELECT b FROM q",
    "SELECT x FROM lake.p.o UNION ALL SELECT a FROM lake.p.d",
    "SELECT count(DISTINCT a) AS n FROM lake.p.d",
    "SELECT sum(b) OVER (PARTITION BY a) AS s FROM lake.p.d",
    "SELECT * FROM lake.p.d PIVOT (sum(b) FOR c IN (1, 2))",
    "SELECT x FROM lake.p.d AS q(x, y, z)",
    "SELECT a FROM lake.p.d WHERE (((",
]
DO_NOT = [
    "SELECT b FROM lake.p.d",
    "SELECT count(*) AS n FROM lake.p.d",
    "SELECT b AS a FROM lake.p.d",
    "SELECT o.a FROM lake.p.d d JOIN lake.p.o o ON d.b = o.x",
    "SELECT o.* FROM lake.p.d d JOIN lake.p.o o ON d.b = o.x",
    "WITH q AS (SELECT b AS a FROM lake.p.d) SELECT a FROM q",
    "SELECT x FROM lake.p.o o WHERE EXISTS (SELECT 1 FROM lake.p.d WHERE d.b = o.x AND o.a = 1)",
]


@pytest.mark.parametrize("query", READ_IT)
def test_it_is_read(query: str) -> None:
    assert reads_column(query, COLUMNS, D, "a")


@pytest.mark.parametrize("query", DO_NOT)
def test_it_is_not_read(query: str) -> None:
    assert not reads_column(query, COLUMNS, D, "a")


@pytest.mark.parametrize(
    ("part", "renamed"),
    [
        ("a", "b c"),
        ("A DESC NULLS LAST", "b c DESC NULLS LAST"),
        ("bucket(16, a)", "bucket(16, b c)"),
        ("a(a)", "a(b c)"),
        ("aa", "aa"),
        ("`a`", "b c"),
    ],
)
def test_a_column_of_a_partition(part: str, renamed: str) -> None:
    assert rename_column_in(part, "a", "b c") == renamed.replace("b c", "`b c`")
