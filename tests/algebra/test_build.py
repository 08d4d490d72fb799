"""Queries as operators: names, shapes, and what is refused."""

from __future__ import annotations

import pytest
from sqlglot import exp

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.operators.generate import Generate
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.query_builder import Built
from headrace.algebra.relation import Relation
from headrace.algebra.render import render
from headrace.algebra.unsupported import NoRule
from headrace.algebra.walk import tables_of
from headrace.model.names import TableName

SCHEMA = {
    TableName("lake", "p", "t"): ("a", "b", "d"),
    TableName("lake", "p", "u"): ("a", "k"),
    TableName("lake", "p", "v"): ("k", "b"),
    TableName("lake", "p", "w"): ("id", "xs", "m", "s"),
}


def built(query: str) -> Built:
    return build(query, SCHEMA, Names())


def generators(query: str) -> list[tuple[str, bool, int]]:
    """Of each generator: its name, whether it is OUTER, and how many columns it makes."""
    found = []
    node: Relation = built(query).relation
    while isinstance(node, Project | Generate):
        if isinstance(node, Generate):
            found.append((node.generator.sql("spark").split("(")[0].lower(), node.outer, len(node.generated)))
        node = node.child
    return found


@pytest.mark.parametrize(
    ("query", "outputs"),
    [
        ("SELECT id, posexplode(xs) AS (p, c) FROM lake.p.w", ("id", "p", "c")),
        ("SELECT id, explode(m) AS (x, y) FROM lake.p.w", ("id", "x", "y")),
        ("SELECT id, explode(array(id, 1)) FROM lake.p.w", ("id", "col")),
        ("SELECT id, posexplode(array(id, 1)) FROM lake.p.w", ("id", "pos", "col")),
        ("SELECT id, explode(map(id, 1)) FROM lake.p.w", ("id", "key", "value")),
        ("SELECT id, inline(xs) AS (p, q) FROM lake.p.w", ("id", "p", "q")),
        ("SELECT id, stack(2, 1, 2, 3) FROM lake.p.w", ("id", "col0", "col1")),
        ("SELECT id, json_tuple(s, 'a', 'b', 'c') FROM lake.p.w", ("id", "c0", "c1", "c2")),
        ("SELECT * FROM lake.p.t JOIN lake.p.v USING (b)", ("b", "a", "d", "k")),
        ("SELECT * FROM lake.p.t NATURAL JOIN lake.p.u", ("a", "b", "d", "k")),
        ("SELECT * FROM lake.p.t PIVOT (sum(d) AS s FOR b IN ('x' AS ex, 'y'))", ("a", "ex", "y")),
        (
            "SELECT * FROM lake.p.t PIVOT (sum(d) AS s, count(*) AS n FOR b IN ('x' AS ex, 'y'))",
            ("a", "ex_s", "ex_n", "y_s", "y_n"),
        ),
        ("WITH c(x, y) AS (SELECT a, b FROM lake.p.t) SELECT * FROM c", ("x", "y")),
    ],
)
def test_outputs(query: str, outputs: tuple[str, ...]) -> None:
    made = built(query)
    assert made.outputs == outputs
    assert len(made.relation.columns) == len(outputs)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SELECT id, posexplode(xs) AS (p, c) FROM lake.p.w", [("posexplode", False, 2)]),
        ("SELECT id, p FROM lake.p.w LATERAL VIEW OUTER explode(xs) g AS p", [("explode", True, 1)]),
        ("SELECT id, g.pos, g.col FROM lake.p.w LATERAL VIEW posexplode(xs) g", [("posexplode", False, 2)]),
        ("SELECT id, g.key FROM lake.p.w LATERAL VIEW explode(m) g", [("explode", False, 2)]),
        ("SELECT id, p FROM lake.p.w LATERAL VIEW json_tuple(s, 'a') g AS p", [("json_tuple", False, 1)]),
        ("SELECT id, x FROM lake.p.w, LATERAL explode(xs) AS g(x)", [("explode", False, 1)]),
    ],
)
def test_generators(query: str, found: list[tuple[str, bool, int]]) -> None:
    assert generators(query) == found


def test_exists_with_a_limit_is_a_semi_join() -> None:
    made = built("SELECT a FROM lake.p.t t WHERE EXISTS (SELECT 1 FROM lake.p.u u WHERE u.a = t.a LIMIT 1)")
    assert isinstance(made.relation, Project)
    assert isinstance(made.relation.child, Join)
    assert made.relation.child.kind is JoinKind.SEMI


def test_a_plain_correlation_needs_no_list_of_values() -> None:
    made = built("SELECT a, (SELECT max(k) FROM lake.p.u u WHERE u.a = t.a) AS m FROM lake.p.t t")
    text = render(made.relation, lambda scan: exp.to_table(scan.table.table)).sql("spark")
    assert text.count("FROM t") == 1


def test_a_scalar_subquery_of_rows_keeps_the_error_for_two() -> None:
    made = built("SELECT a, (SELECT k FROM lake.p.u u WHERE u.a = t.a) AS k FROM lake.p.t t")
    text = render(made.relation, lambda scan: exp.to_table(scan.table.table)).sql("spark")
    assert "RAISE_ERROR('More than one row returned by a subquery used as an expression.')" in text


def test_a_name_means_the_inner_table_first() -> None:
    made = built("SELECT a FROM lake.p.t WHERE EXISTS (SELECT 1 FROM lake.p.t WHERE t.a > 1)")
    assert tables_of(made.relation) == {TableName("lake", "p", "t")}


@pytest.mark.parametrize(
    ("query", "operator"),
    [
        ("SELECT DISTINCT ON (a) a, b FROM lake.p.t", "DISTINCT ON"),
        ("SELECT a FROM lake.p.t LIMIT 1", "LIMIT"),
        ("SELECT id, explode(xs) FROM lake.p.w", "w.xs"),
        ("SELECT * FROM lake.p.t PIVOT (collect_list(d) FOR b IN ('x'))", "PIVOT"),
        ("SELECT id, x FROM lake.p.w LEFT JOIN LATERAL explode(xs) AS g(x)", "LATERAL"),
        ("SELECT a FROM lake.p.t VERSION AS OF 3", "VERSION AS OF"),
        ("SELECT * FROM lake.p.t TABLESAMPLE (10 ROWS)", "TABLESAMPLE"),
        (
            "SELECT t.a FROM lake.p.t t LEFT JOIN lake.p.u u ON EXISTS "
            "(SELECT 1 FROM lake.p.v v WHERE v.k = u.k AND v.b = t.b)",
            "JOIN",
        ),
    ],
)
def test_refused(query: str, operator: str) -> None:
    with pytest.raises(NoRule) as refused:
        built(query)
    assert refused.value.operator == operator
