"""Conditions go to where they are first known, and inner joins are ordered by them."""

from __future__ import annotations

import re

import pytest

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.join import Join
from headrace.algebra.operators.scan import Scan
from headrace.algebra.predicate_pushdown import with_predicates_pushed_down
from headrace.algebra.relation import Relation
from headrace.algebra.walk import parts_of
from headrace.model.names import TableName

SCHEMA = {
    TableName("lake", "p", "t"): ("a", "b"),
    TableName("lake", "p", "u"): ("c", "d"),
    TableName("lake", "p", "v"): ("e", "f"),
}
CASES = {
    "SELECT 1 AS one FROM lake.p.t, lake.p.u WHERE a = c AND b > 1 AND d = 2": [
        "a = c",
        "t: b > 1",
        "u: d = 2",
    ],
    "SELECT 1 AS one FROM lake.p.t JOIN lake.p.u ON a = c AND d = 2": ["a = c", "u: d = 2"],
    "SELECT 1 AS one FROM lake.p.t, lake.p.v, lake.p.u WHERE a = c AND d = e": ["a = c", "d = e"],
    "SELECT 1 AS one FROM lake.p.t, lake.p.v WHERE a < e": ["a < e"],
    "SELECT 1 AS one FROM lake.p.t LEFT JOIN lake.p.u ON a = c AND d = 2 WHERE b > 1 AND d > 3": [
        "a = c",
        "d > 3",
        "t: b > 1",
        "u: d = 2",
    ],
    "SELECT 1 AS one FROM lake.p.t LEFT JOIN lake.p.u ON a = c AND b = 2": ["a = c AND b = 2"],
    "SELECT b FROM lake.p.t WHERE EXISTS (SELECT 1 FROM lake.p.u WHERE c = a AND d = 2) AND b > 1": [
        "c = a",
        "t: b > 1",
        "u: d = 2",
    ],
    "SELECT b FROM lake.p.t LEFT ANTI JOIN lake.p.u ON a = c AND b = 2": ["a = c AND b = 2"],
    "SELECT x FROM (SELECT a AS x FROM lake.p.t UNION ALL SELECT c + 1 FROM lake.p.u) WHERE x > 1": [
        "? > 1",
        "t: a > 1",
    ],
    "SELECT a FROM (SELECT a, sum(b) AS s FROM lake.p.t GROUP BY a) WHERE a > 1 AND s > 2": [
        "? > 2",
        "t: a > 1",
    ],
    "SELECT a FROM lake.p.t QUALIFY rank() OVER (PARTITION BY a ORDER BY b) < 3": ["? < 3"],
    "SELECT 1 AS one FROM lake.p.t, lake.p.u WHERE (a = c AND b = 1) OR (a = c AND d = 2)": [
        "a = c AND (b = 1 OR d = 2)"
    ],
}


@pytest.mark.parametrize("query", CASES)
def test_where_conditions_are_decided(query: str) -> None:
    relation = build(query, SCHEMA, Names()).relation
    pushed = with_predicates_pushed_down(relation)
    assert pushed.columns == relation.columns
    assert sorted(_conditions(pushed)) == CASES[query]


def test_joins_follow_their_conditions() -> None:
    query = "SELECT 1 AS one FROM lake.p.t, lake.p.v, lake.p.u WHERE a = c AND d = e"
    pushed = with_predicates_pushed_down(build(query, SCHEMA, Names()).relation)
    joins = [part for part in parts_of(pushed) if isinstance(part, Join)]
    assert all(join.condition is not None for join in joins)
    assert [scan.table.table for scan in parts_of(pushed) if isinstance(scan, Scan)] == ["t", "u", "v"]


def test_columns_that_are_known_by_place_stay_in_their_order() -> None:
    joined = "SELECT * FROM lake.p.t, lake.p.v, lake.p.u WHERE a = c AND d = e"
    full = f"SELECT * FROM ({joined}) AS x FULL JOIN lake.p.v AS y ON x.a = y.e"
    relation = build(full, SCHEMA, Names()).relation
    assert with_predicates_pushed_down(relation).columns == relation.columns


def _conditions(relation: Relation) -> list[str]:
    """Of filters and joins, in the names of tables, after the table that is read right below; computed: ?."""
    names = {
        column: name for part in parts_of(relation) if isinstance(part, Scan) for column, name in part.fields
    }
    found = []
    for part in parts_of(relation):
        if isinstance(part, Filter | Join) and part.condition is not None:
            below = part.children[0]
            table = f"{below.table.table}: " if isinstance(part, Filter) and isinstance(below, Scan) else ""
            found.append(table + re.sub(r"\bc\d+\b", lambda c: names.get(c[0], "?"), part.condition.sql()))
    return found
