"""What cannot be maintained incrementally: a query of each shape, and the table that users read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.unsupported import NoRule, Unsupported
from tests.algebra.test_build import SCHEMA

SQL_PAGE = Path(__file__).parents[2] / "docs" / "sql.md"
EXAMPLES = {
    Unsupported.LIMIT: "SELECT a FROM lake.p.t LIMIT 1",
    Unsupported.RECURSION: "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT n FROM r",
    Unsupported.COLLATION: "SELECT a FROM lake.p.t WHERE b COLLATE UTF8_LCASE = 'x'",
    Unsupported.SORT_BY: "SELECT a FROM lake.p.t SORT BY a",
    Unsupported.CLUSTER_BY: "SELECT a FROM lake.p.t CLUSTER BY a",
    Unsupported.DISTRIBUTE_BY: "SELECT a FROM lake.p.t DISTRIBUTE BY a",
    Unsupported.TABLESAMPLE: "SELECT a FROM lake.p.t TABLESAMPLE (10 ROWS)",
    Unsupported.VERSION_AS_OF: "SELECT a FROM lake.p.t TIMESTAMP AS OF '2024-01-01'",
    Unsupported.TABLE_FUNCTION: "SELECT col FROM explode(array(1, 2)) AS g(col)",
    Unsupported.GENERATED_COLUMNS: "SELECT id, explode(xs) FROM lake.p.w",
    Unsupported.SUBQUERY_ON_BOTH_SIDES: """
        SELECT t.a FROM lake.p.t t LEFT JOIN lake.p.u u
        ON EXISTS (SELECT 1 FROM lake.p.v v WHERE v.k = u.k AND v.b = t.b)""",
    Unsupported.LATERAL_JOIN: "SELECT id, y FROM lake.p.w, LATERAL f(xs) AS g(y)",
    Unsupported.LATERAL_GENERATOR: "SELECT id, x FROM lake.p.w LEFT JOIN LATERAL explode(xs) AS g(x)",
    Unsupported.IN_OF_SUBQUERY: """
        SELECT (SELECT max(k) FROM lake.p.u) IN (SELECT k FROM lake.p.v) AS x FROM lake.p.t""",
    Unsupported.SUBQUERY: "SELECT array(SELECT k FROM lake.p.u) AS ks FROM lake.p.t",
    Unsupported.PIVOT_AGGREGATE: "SELECT * FROM lake.p.t PIVOT (collect_list(d) FOR b IN ('x'))",
    Unsupported.PIVOT_NAME: "SELECT * FROM lake.p.t PIVOT (sum(d) FOR b IN (concat('x', 'y')))",
    Unsupported.SOURCE: "SELECT x.k FROM LATERAL (SELECT 1 AS k) x",
    Unsupported.QUERY: "SELECT (VALUES (t.a)) AS x FROM lake.p.t t",
    Unsupported.ANALYSIS: "SELECT z FROM lake.p.t",
    Unsupported.CLAUSE: "SELECT AS STRUCT a FROM lake.p.t",
    Unsupported.DISTINCT_ON: "SELECT DISTINCT ON (a) a, b FROM lake.p.t",
    Unsupported.IN_WIDTH: "SELECT a FROM lake.p.t WHERE (a, b) IN (SELECT k FROM lake.p.v)",
    Unsupported.JOIN_KIND: "SELECT t.a FROM lake.p.t t RIGHT SEMI JOIN lake.p.u u ON t.a = u.a",
    Unsupported.JOIN_WITHOUT_ON: "SELECT t.a FROM lake.p.t t ASOF JOIN lake.p.u u ON t.a = u.a",
    Unsupported.PIVOT: "SELECT * FROM lake.p.t PIVOT (sum(d) FOR b IN ('x') GROUP BY a)",
    Unsupported.UNION_BY_NAME: "SELECT a FROM lake.p.t UNION ALL BY NAME SELECT k FROM lake.p.u",
    Unsupported.UNPIVOT_WIDTH: "SELECT * FROM lake.p.t UNPIVOT (x FOR n IN ((a, d)))",
    Unsupported.WITH_TOTALS: "SELECT a, count(*) AS n FROM lake.p.t GROUP BY a WITH TOTALS",
}


@pytest.mark.parametrize("shape", EXAMPLES, ids=lambda shape: shape.name)
def test_example(shape: Unsupported) -> None:
    with pytest.raises(NoRule) as refused:
        build(EXAMPLES[shape], SCHEMA, Names())
    assert refused.value.shape is shape
    assert str(refused.value) == f"{refused.value.operator}: {refused.value.reason}"
    assert "{" not in str(refused.value)
    assert refused.value.rewrite == shape.rewrite


def test_each_shape_that_a_user_can_meet_has_an_example() -> None:
    assert [shape for shape in Unsupported if shape not in EXAMPLES and not shape.is_refused_before] == []


def test_the_text_has_the_names_of_the_query() -> None:
    with pytest.raises(
        NoRule, match=re.escape("PIVOT: COLLECT_LIST(t.d) cannot be maintained incrementally")
    ):
        build(EXAMPLES[Unsupported.PIVOT_AGGREGATE], SCHEMA, Names())


def test_the_documentation_lists_them() -> None:
    rows = [_row(shape) for shape in Unsupported if not shape.is_refused_before]
    table = "\n".join(["| query | why | write instead |", "|---|---|---|", *rows])
    assert table in SQL_PAGE.read_text(), f"the table of docs/sql.md must be\n{table}"


def _row(shape: Unsupported) -> str:
    """``{...}``, a part of the query, in italics; what is SQL in the query's column, as code."""
    operator = f"`{shape.operator}`" if shape.operator.isupper() else shape.operator
    texts = [re.sub(r"\{(\w+)\}", r"*\1*", text) for text in (operator, shape.reason, shape.rewrite or "")]
    return f"| {' | '.join(texts)} |".replace("|  |", "| |")
