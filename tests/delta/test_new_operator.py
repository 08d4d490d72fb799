"""An operator is a node, a rule, and a line in RULES: the walks, EXPLAIN and the SQL need no more."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import duckdb
import pytest
from sqlglot import exp

import headrace.algebra.operators
from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.relation import Relation, Unary, require_known
from headrace.algebra.render import render
from headrace.algebra.walk import at, scans_of, versions_of
from headrace.delta.change import Change, Context
from headrace.delta.describe_plan import describe_change
from headrace.delta.description import Description
from headrace.delta.differentiate import differentiate
from headrace.delta.identify import identify
from headrace.delta.identity import Identified, IdentityContext, identity_of_child
from headrace.delta.monotone import obstacle
from headrace.delta.rule import Rule
from headrace.delta.rules import RULES
from headrace.model.names import TableName
from tests.delta.duckdb_tables import scan_source

T = TableName("lake", "p", "t")
Row = tuple[int, int]


@dataclass(frozen=True, eq=False)
class KeepEven(Unary):
    """The rows whose ``column`` is even."""

    column: str

    def __post_init__(self) -> None:
        require_known(column_of(self.column), self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        return exp.select(*self.columns).from_(child).where(f"{self.column} % 2 = 0")


class KeepEvenRule(Rule[KeepEven]):
    """d even(X) = even(dX)"""

    def change(self, node: KeepEven, context: Context) -> Change | None:
        change = context.change_of(node.child)
        if change is None:
            return None
        return Change(node.rebuild((change.relation,)), node.columns, change.weight)

    def identity(self, node: KeepEven, context: IdentityContext) -> Identified | None:
        return identity_of_child(node, context)

    def obstacle(self, node: KeepEven) -> str | None:
        return None

    def describe(self, node: KeepEven, description: Description) -> str:
        return f"keep even {description.text(column_of(node.column))}"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, KeepEven, KeepEvenRule())


def counted_even() -> tuple[Relation, Names]:
    """The number of rows with each even ``a``."""
    names = Names()
    scan = Scan(T, (("a", "a"), ("b", "b")))
    keys, measures = (("k", column_of("a")),), (("n", exp.Count(this=exp.Star())),)
    return Aggregate(KeepEven(scan, "a"), keys, measures), names


def test_its_change_is_that_of_recomputing() -> None:
    relation, names = counted_even()
    change = differentiate(relation, frozenset({T}), names)
    assert change is not None
    delta = exp.select(*change.columns, change.weight).from_(
        render(change.relation, scan_source).subquery("x")
    )
    rng = Random(7)
    for _ in range(20):
        old, new = ([(rng.randrange(5), rng.randrange(3)) for _ in range(8)] for _ in range(2))
        duck = filled(old, new)
        before, after = (
            duck.execute(render(at(relation, version), scan_source).sql("duckdb")).fetchall()
            for version in (SourceVersion.OLD, SourceVersion.NEW)
        )
        summed: dict[tuple[int, ...], int] = {}
        for *row, weight in duck.execute(delta.sql("duckdb")).fetchall():
            summed[tuple(row)] = summed.get(tuple(row), 0) + weight
        wanted = {**dict.fromkeys(set(before) - set(after), -1), **dict.fromkeys(set(after) - set(before), 1)}
        assert {row: weight for row, weight in summed.items() if weight} == wanted
        assert before != [] and all(key % 2 == 0 for key, _ in before)


def filled(old: list[Row], new: list[Row]) -> duckdb.DuckDBPyConnection:
    duck = duckdb.connect()
    for name, rows in {"old": old, "new": new}.items():
        duck.execute(f"CREATE TABLE t_{name} (a INT, b INT)")
        duck.executemany(f"INSERT INTO t_{name} VALUES (?, ?)", rows)
    duck.execute("CREATE TABLE t_change AS SELECT *, 1 AS __hr_weight FROM t_new")
    duck.execute("INSERT INTO t_change SELECT *, -1 FROM t_old")
    return duck


def test_explain_describes_it() -> None:
    relation, names = counted_even()
    change = differentiate(relation, frozenset({T}), names)
    assert change is not None
    lines = describe_change(change, lambda scan: f"t ({scan.version.value})")
    assert lines[:5] == [
        "after (+) minus before (-)",
        "  + group by a: COUNT(*)",
        "      only where a occurs in the change",
        "        keep even a",
        "          t (new)",
    ]


def test_it_is_identified_and_monotone() -> None:
    relation, names = counted_even()
    (even,) = relation.children
    found = identify(even, names, lambda _: True)
    assert found is not None and [i.is_row_id for i in found.ids] == [True]
    assert obstacle(even) is None
    assert obstacle(relation) == "GROUP BY"


def test_walks_know_it() -> None:
    relation, _ = counted_even()
    assert versions_of(at(relation, SourceVersion.OLD)) == {SourceVersion.OLD}
    assert [scan.table for scan in scans_of(relation)] == [T]


def operators() -> Iterator[type[Relation]]:
    package = headrace.algebra.operators
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        yield from (
            kind for _, kind in members if kind.__module__ == module.name and issubclass(kind, Relation)
        )


def test_each_operator_has_a_rule() -> None:
    assert {*operators()} == {*RULES} - {KeepEven}


def test_a_relation_can_be_rebuilt_only_with_as_many_children() -> None:
    relation, _ = counted_even()
    assert relation.rebuild(relation.children).columns == relation.columns
    with pytest.raises(ValueError):
        relation.rebuild(())
    (scan,) = scans_of(relation)
    with pytest.raises(ValueError):
        scan.rebuild((relation,))
