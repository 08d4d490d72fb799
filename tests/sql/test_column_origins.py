"""From which columns each column of a query comes."""

from __future__ import annotations

import pytest

from headrace.model.names import TableName
from headrace.sql.queries.column_origins import column_origins

T, U = TableName("lake", "public", "t"), TableName("lake", "Other", "U")
COLUMNS = {T: ("a", "b", "Day", "items"), U: ("a", "c")}


def origins(query: str) -> list[str] | None:
    """``t.a`` is copied, ``(t.a)`` is part of an expression."""
    text = query.replace("FROM t", "FROM lake.public.t").replace("JOIN u", "JOIN lake.Other.U")
    found = column_origins(text.replace("FROM u", "FROM lake.Other.U"), COLUMNS)
    if found is None:
        return None
    forms = {"COPIED": "{}", "COMPUTED": "({})"}
    return [
        " ".join(forms[each.kind].format(f"{each.table.table}.{each.column}") for each in sorted(column))
        for column in found
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a, b + 1 AS c FROM t", ["t.a", "(t.b)"]),
        ("SELECT * FROM t", ["t.a", "t.b", "t.Day", "t.items"]),
        ("SELECT DAY AS d FROM t", ["t.Day"]),
        ("SELECT ((a)) AS x FROM t", ["t.a"]),
        ("SELECT 1 AS one, count(*) AS n FROM t", ["", ""]),
        ("SELECT a, sum(b) AS s FROM t GROUP BY a", ["t.a", "(t.b)"]),
        ("SELECT a FROM t WHERE b > 1", ["t.a"]),
        ("SELECT x.a, y.c FROM t x JOIN u y ON x.b = y.a", ["t.a", "U.c"]),
        ("SELECT a, c FROM t JOIN u USING (a)", ["t.a", "U.c"]),
        ("SELECT a, c FROM t FULL JOIN u USING (a)", ["(U.a) (t.a)", "U.c"]),
        ("SELECT s.x * 2 AS y FROM (SELECT a + b AS x FROM t) s", ["(t.a) (t.b)"]),
        ("SELECT s.x FROM (SELECT a AS x FROM t) s", ["t.a"]),
        ("WITH w AS (SELECT a AS k FROM t), v AS (SELECT k FROM w) SELECT k FROM v", ["t.a"]),
        ("SELECT a FROM t UNION ALL SELECT c FROM u", ["U.c t.a"]),
        ("SELECT a FROM t UNION SELECT upper(c) FROM u", ["(U.c) t.a"]),
        ("SELECT a FROM t EXCEPT SELECT c FROM u", ["t.a"]),
        ("SELECT a FROM t INTERSECT SELECT c FROM u", ["t.a"]),
        ("SELECT t.a, e.x FROM t t LATERAL VIEW explode(t.items) e AS x", ["t.a", "(t.items)"]),
        ("SELECT explode(items) AS x FROM t", ["(t.items)"]),
        ("SELECT a, row_number() OVER (PARTITION BY b ORDER BY day) AS r FROM t", ["t.a", "(t.b) (t.Day)"]),
        (
            "SELECT x.a, (SELECT max(y.c) FROM u y WHERE y.a = x.b) AS m FROM t x",
            ["t.a", "(U.a) (U.c) (t.b)"],
        ),
        ("SELECT a FROM t WHERE b IN (SELECT c FROM u)", ["t.a"]),
        ("SELECT x.p FROM VALUES (1) AS x(p)", [""]),
        ("SELECT a, b FROM t UNION ALL BY NAME SELECT c AS b, a FROM u", ["U.a t.a", "U.c t.b"]),
        ("SELECT a, b FROM t UNION ALL BY NAME SELECT a FROM u", ["U.a t.a", "t.b"]),
        (
            "WITH RECURSIVE r AS (SELECT a FROM t UNION ALL SELECT a + 1 FROM r) SELECT a FROM r",
            ["(t.a) t.a"],
        ),
        (
            "WITH RECURSIVE r(x, y, z) AS (SELECT a, b, day FROM t UNION ALL SELECT y, z, x FROM r) "
            "SELECT x, z FROM r",
            ["t.a t.b t.Day", "t.a t.b t.Day"],
        ),
        (
            "SELECT * FROM (SELECT a, b, day AS d FROM t) PIVOT (sum(d) FOR b IN ('x', 'y' AS why))",
            ["t.a", "(t.Day)", "(t.Day)"],
        ),
        (
            "SELECT p.a, p.x_s, p.x_m FROM (SELECT a, b, day, items FROM t) "
            "PIVOT (sum(day) AS s, max(items) AS m FOR b IN ('x')) p",
            ["t.a", "(t.Day)", "(t.items)"],
        ),
        ("SELECT * FROM t UNPIVOT (v FOR n IN (b, day))", ["t.a", "t.items", "", "t.Day t.b"]),
        ("SELECT CASE WHEN a > 1 THEN b END AS x FROM t", ["(t.a) (t.b)"]),
    ],
)
def test_origins(query: str, expected: list[str]) -> None:
    found = origins(query)
    assert found is not None
    assert [set(each.split()) for each in found] == [set(each.split()) for each in expected]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t UNPIVOT ((v, w) FOR n IN ((a, b), (day, items)))",
        "SELECT x FROM t s(x, y, z, w)",
        "SELECT nosuch FROM t",
        "SELECT FROM WHERE",
    ],
)
def test_what_is_not_known(query: str) -> None:
    assert origins(query) is None
