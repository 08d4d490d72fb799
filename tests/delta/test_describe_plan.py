"""A change as EXPLAIN describes it."""

from __future__ import annotations

import textwrap

import pytest

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.delta.algebraic import groups_of
from headrace.delta.describe_plan import describe_change, describe_group_changes
from headrace.delta.differentiate import differentiate
from headrace.model.names import TableName
from tests.delta.test_rules import QUERIES

T, U, V = (TableName("lake", "p", name) for name in "tuv")
SCHEMA = {T: ("a", "b", "d"), U: ("a", "k"), V: ("k", "b")}


def describe_scan(scan: Scan) -> str:
    name = scan.table.table
    return f"change of {name}" if scan.version is SourceVersion.CHANGE else f"{name} ({scan.version.value})"


def described(query: str, *changed: TableName) -> str:
    names = Names()
    relation = build(query, SCHEMA, names).relation
    change = differentiate(relation, frozenset(changed), names)
    assert change is not None
    return "\n".join(describe_change(change, describe_scan))


CASES = {
    "SELECT a, upper(b) AS b, 1 AS one FROM lake.p.t WHERE a > 1": """
        compute UPPER(b)
          filter a > 1
            change of t
    """,
    "SELECT t.a, u.k + 1 AS k FROM lake.p.t JOIN lake.p.u ON t.a = u.a WHERE d > 0": """
        compute k + 1
          filter d > 0
            sum of changes
              join inner on t.a = u.a
                change of t
                u (old)
              join inner on t.a = u.a
                t (new)
                change of u
    """,
    "SELECT t.a, u.k FROM lake.p.t LEFT JOIN lake.p.u ON t.a = u.a": """
        sum of changes
          join left on t.a = u.a
            change of t
            u (new)
          + join left on t.a = u.a
              [1] only rows that match the change on t.a = u.a
                t (old)
                change of u
              u (new)
          - join left on t.a = u.a
              [1] again
              u (old)
    """,
    "SELECT a, max(d) AS d FROM lake.p.t GROUP BY a": """
        after (+) minus before (-)
          + group by a: MAX(d)
              only where a occurs in the change
                t (new)
                change of t
          - group by a: MAX(d)
              only where a occurs in the change
                t (old)
                change of t
    """,
    "SELECT max(d) AS d FROM lake.p.t": """
        after (+) minus before (-)
          + aggregate: MAX(d)
              t (new)
          - aggregate: MAX(d)
              t (old)
    """,
    "SELECT a, 1 AS one FROM lake.p.t UNION ALL SELECT k, -1 FROM lake.p.u": """
        sum of changes
          change of t
          change of u
    """,
    """SELECT a FROM (SELECT a, 1 AS o FROM lake.p.t UNION ALL SELECT k, -1 FROM lake.p.u)
       GROUP BY a HAVING max(o) > 0""": """
        filter MAX(1) > 0
          after (+) minus before (-)
            + group by a: MAX(1)
                only where a occurs in the change
                  union all
                    t (new)
                    u (new)
                  [1] sum of changes
                    change of t
                    change of u
            - group by a: MAX(1)
                only where a occurs in the change
                  union all
                    t (old)
                    u (old)
                  [1] again
    """,
    "SELECT a, row_number() OVER (PARTITION BY a ORDER BY d) AS n FROM lake.p.t": """
        after (+) minus before (-)
          + window by a: ROW_NUMBER() OVER (PARTITION BY a ORDER BY d)
              only where a occurs in the change
                t (new)
                change of t
          - window by a: ROW_NUMBER() OVER (PARTITION BY a ORDER BY d)
              only where a occurs in the change
                t (old)
                change of t
    """,
}


@pytest.mark.parametrize("query", CASES)
def test_description(query: str) -> None:
    assert described(query, T, U, V) == textwrap.dedent(CASES[query]).strip()


def test_what_did_not_change_is_read_once() -> None:
    assert described("SELECT t.a, u.k FROM lake.p.t JOIN lake.p.u ON t.a = u.a", U) == (
        "join inner on t.a = u.a\n  t (new)\n  change of u"
    )


def test_growth_of_groups() -> None:
    names = Names()
    relation = build("SELECT b, count(*) AS n, avg(d) AS d FROM lake.p.t GROUP BY b", SCHEMA, names).relation
    groups = groups_of(relation, names)
    assert groups is not None
    change = differentiate(groups.aggregate.child, frozenset({T}), names)
    assert change is not None
    assert describe_group_changes(groups, change, describe_scan) == [
        "add to groups by b: COUNT(*), COUNT(d), SUM(d)",
        "  change of t",
    ]


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_each_operator_has_a_description(query: str) -> None:
    lines = described(query, T, U, V).splitlines()
    assert all(line.strip() for line in lines)
    assert max(map(len, lines)) < 200
