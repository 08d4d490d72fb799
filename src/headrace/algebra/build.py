"""From a query's text to relational operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.from_clause import FromClause
from headrace.algebra.grouping import grouped, is_grouped
from headrace.algebra.names import Names, column_of
from headrace.algebra.relation import (
    Aggregate,
    Constant,
    Expr,
    Filter,
    Project,
    Relation,
    SetKind,
    SetOperation,
    UnionAll,
)
from headrace.algebra.scope import Scope
from headrace.algebra.subqueries import Subqueries
from headrace.algebra.unsupported import NoRule
from headrace.algebra.windows import with_generators, with_windows
from headrace.model.names import TableName
from headrace.sql.qualify import UNREADABLE, qualified_tree

Schema = Mapping[TableName, tuple[str, ...]]


@dataclass(frozen=True)
class Built:
    """A query's relation; its columns are the query's outputs, in order."""

    relation: Relation
    outputs: tuple[str, ...]
    """The names the user sees."""


def build(text: str, schema: Schema, names: Names) -> Built:
    """Raises NoRule where the query is beyond the algebra."""
    try:
        return Builder(schema, names).query(qualified_tree(text, schema), Scope(), {})
    except UNREADABLE as error:
        raise NoRule("query", f"it does not fit the algebra ({error})") from error


Ctes = Mapping[str, tuple[Expr, "Ctes"]]
"""By name in lower case: the query, and the CTEs it can see."""


class Builder:
    def __init__(self, schema: Schema, names: Names) -> None:
        self.schema = schema
        self.names = names

    def query(self, node: Expr, scope: Scope, ctes: Ctes) -> Built:
        ctes = self._with_ctes(node, ctes)
        self._refuse_limit(node)
        match node:
            case exp.Subquery():
                return self.query(node.this, scope, ctes)
            case exp.Select():
                return self._select(node, scope, ctes)
            case exp.Union():
                return self._union(node, scope, ctes)
            case exp.Intersect() | exp.Except():
                return self._set_operation(node, scope, ctes)
            case exp.Values():
                return self.values(node)
        raise NoRule(node.key.upper(), "there is no rule for it")

    def _with_ctes(self, node: Expr, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_") or node.args.get("with")
        if clause is None:
            return ctes
        if clause.args.get("recursive"):
            raise NoRule("WITH RECURSIVE", "a recursive query has no delta")
        visible = dict(ctes)
        for cte in clause.expressions:
            if cte.args["alias"].args.get("columns"):
                raise NoRule("WITH", "column lists of common table expressions are not followed")
            visible[cte.alias.lower()] = (cte.this, dict(visible))
        return visible

    def _refuse_limit(self, node: Expr) -> None:
        if node.args.get("limit") is not None or node.args.get("offset") is not None:
            raise NoRule(
                "LIMIT",
                "which rows remain depends on all rows",
                "rank them with row_number() and filter by the rank",
            )

    def _select(self, select: exp.Select, scope: Scope, ctes: Ctes) -> Built:
        for unknown in ("sort", "cluster", "distribute", "sample", "kind", "connect", "match"):
            if select.args.get(unknown):
                raise NoRule(unknown.upper(), "there is no rule for it")
        relation, inner = FromClause(self, ctes).read(select, scope)
        subqueries = Subqueries(self, ctes)
        if (where := select.args.get("where")) is not None:
            relation = subqueries.filtered(relation, where.this, inner)
        outputs = tuple(item.alias_or_name for item in select.expressions)
        having, qualifies = select.args.get("having"), select.args.get("qualify")
        clauses = [clause.this for clause in (having, qualifies) if clause is not None]
        written = [e.copy() for e in (*(item.unalias() for item in select.expressions), *clauses)]
        if is_grouped(select, written):
            expressions, pending = subqueries.postponed(written, inner)
            shown = expressions[: len(outputs)]
            relation, expressions = grouped(relation, select, expressions, shown, inner, self.names)
            relation = subqueries.attached(relation, pending)
        else:
            relation, expressions = subqueries.computed(relation, written, inner)
        if having is not None:
            relation = Filter(relation, expressions[len(outputs)])
        relation, expressions = with_windows(relation, expressions, self.names)
        if qualifies is not None:
            relation = Filter(relation, expressions[-1])
        relation, shown = with_generators(relation, expressions[: len(outputs)], self.names)
        relation = Project(relation, tuple((self.names.new(), item) for item in shown))
        if (distinct := select.args.get("distinct")) is not None:
            relation = self._distinct(relation, distinct)
        return Built(relation, outputs)

    def _distinct(self, relation: Relation, distinct: Expr | None = None) -> Relation:
        if distinct is not None and distinct.args.get("on") is not None:
            raise NoRule("DISTINCT ON", "there is no rule for it")
        return Aggregate(relation, tuple((self.names.new(), column_of(c)) for c in relation.columns), ())

    def _union(self, union: exp.Union, scope: Scope, ctes: Ctes) -> Built:
        left = self.query(union.this, scope, ctes)
        right = self.query(union.expression, scope, ctes)
        self._refuse_by_name(union)
        parts = (left.relation, right.relation)
        relation: Relation = UnionAll(parts, tuple(self.names.new() for _ in left.outputs))
        if union.args.get("distinct"):
            relation = self._distinct(relation)
        return Built(relation, left.outputs)

    def _set_operation(self, node: exp.SetOperation, scope: Scope, ctes: Ctes) -> Built:
        self._refuse_by_name(node)
        left = self.query(node.this, scope, ctes)
        right = self.query(node.expression, scope, ctes)
        kind = SetKind.INTERSECT if isinstance(node, exp.Intersect) else SetKind.EXCEPT
        columns = tuple(self.names.new() for _ in left.outputs)
        every = not node.args.get("distinct")
        return Built(SetOperation(kind, every, left.relation, right.relation, columns), left.outputs)

    def _refuse_by_name(self, node: Expr) -> None:
        if node.args.get("by_name"):
            raise NoRule("UNION BY NAME", "there is no rule for it", "list the columns in the same order")

    def values(self, node: Expr) -> Built:
        """VALUES, with the names Spark gives where the query gives none."""
        alias = node.args.get("alias")
        given = tuple(column.name for column in alias.args.get("columns") or ()) if alias else ()
        first = node.expressions[0] if node.expressions else None
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        outputs = given or tuple(f"col{index + 1}" for index in range(width))
        bare = node.copy()
        bare.set("alias", None)
        return Built(Constant(bare, tuple(self.names.new() for _ in outputs)), outputs)
