"""Of each table a query has only the columns that its result depends on."""

from __future__ import annotations

import pytest

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.walk import scans_of
from headrace.model.names import TableName

SCHEMA = {
    TableName("lake", "p", "t"): ("a", "b", "c", "d"),
    TableName("lake", "p", "u"): ("a", "e", "f"),
}
CASES = {
    "SELECT * FROM lake.p.t": {"t": "abcd"},
    "SELECT b FROM lake.p.t WHERE d > 1": {"t": "bd"},
    "SELECT count(*) AS n FROM lake.p.t": {"t": "a"},
    "SELECT 1 AS one FROM lake.p.t": {"t": "a"},
    "SELECT b FROM (SELECT a, b, c + d AS e FROM lake.p.t)": {"t": "b"},
    "WITH x AS (SELECT * FROM lake.p.t) SELECT c FROM x": {"t": "c"},
    "SELECT b, sum(c) AS s FROM lake.p.t GROUP BY b": {"t": "bc"},
    "SELECT b FROM (SELECT b, sum(c) AS s FROM lake.p.t GROUP BY b)": {"t": "b"},
    "SELECT n FROM (SELECT count(*) AS n, max(d) AS d FROM lake.p.t)": {"t": "a"},
    "SELECT 1 AS one FROM (SELECT sum(d) AS d FROM lake.p.t)": {"t": "d"},
    "SELECT DISTINCT b, c FROM lake.p.t": {"t": "bc"},
    "SELECT a FROM (SELECT DISTINCT a, b FROM lake.p.t)": {"t": "ab"},
    "SELECT t.b, u.e FROM lake.p.t JOIN lake.p.u ON t.a = u.a": {"t": "ab", "u": "ae"},
    "SELECT t.b FROM lake.p.t CROSS JOIN lake.p.u": {"t": "b", "u": "a"},
    "SELECT t.b, u.e FROM lake.p.t FULL JOIN lake.p.u ON t.a = u.a": {"t": "ab", "u": "ae"},
    "SELECT b FROM lake.p.t WHERE EXISTS (SELECT * FROM lake.p.u WHERE u.a = t.a)": {"t": "ab", "u": "a"},
    "SELECT b FROM lake.p.t WHERE c NOT IN (SELECT e FROM lake.p.u)": {"t": "bc", "u": "e"},
    "SELECT b FROM (SELECT a, b FROM lake.p.t UNION ALL SELECT e, f FROM lake.p.u)": {"t": "b", "u": "f"},
    "SELECT count(*) AS n FROM (SELECT b FROM lake.p.t UNION ALL SELECT f FROM lake.p.u)": {
        "t": "b",
        "u": "f",
    },
    "SELECT b FROM (SELECT a, b FROM lake.p.t EXCEPT SELECT e, f FROM lake.p.u)": {"t": "ab", "u": "ef"},
    "SELECT b, rank() OVER (PARTITION BY c ORDER BY d) AS r FROM lake.p.t": {"t": "bcd"},
    "SELECT b FROM (SELECT b, rank() OVER (PARTITION BY c ORDER BY d) AS r FROM lake.p.t)": {"t": "b"},
    "SELECT x.v FROM lake.p.t LATERAL VIEW explode(split(d, ',')) x AS v": {"t": "d"},
    "SELECT * FROM (SELECT a, b, c FROM lake.p.t) PIVOT (sum(c) FOR b IN (1, 2))": {"t": "abc"},
}


@pytest.mark.parametrize("query", CASES)
def test_columns_of_tables(query: str) -> None:
    found: dict[str, set[str]] = {}
    for scan in scans_of(build(query, SCHEMA, Names()).relation):
        found.setdefault(str(scan.table).rsplit(".")[-1], set()).update(name for _, name in scan.fields)
    assert found == {table: set(names) for table, names in CASES[query].items()}


def test_columns_of_the_result_stay_in_order() -> None:
    query = "SELECT d, a FROM lake.p.t UNION ALL SELECT f, e FROM lake.p.u"
    relation = build(query, SCHEMA, Names()).relation
    assert len(relation.columns) == 2
    assert [name for scan in scans_of(relation) for _, name in scan.fields] == ["a", "d", "e", "f"]
