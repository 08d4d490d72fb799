"""From a query's text to relational operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from headrace.algebra.correlation import Domain
from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.from_clause import FromClause
from headrace.algebra.generators import Listed, listed, with_generators
from headrace.algebra.grouping import aggregates_in, grouped, is_grouped
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.constant import Constant
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.set_operation import SetKind, SetOperation
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope
from headrace.algebra.subqueries import Subqueries
from headrace.algebra.unsupported import NoRule
from headrace.algebra.windows import with_windows, written_out
from headrace.model.names import TableName
from headrace.sql.dialect import parse_query
from headrace.sql.qualify import UNREADABLE, qualified_tree

Schema = Mapping[TableName, tuple[str, ...]]


@dataclass(frozen=True)
class Built:
    """A query's relation; its columns are the query's outputs, in order."""

    relation: Relation
    outputs: tuple[str, ...]
    """The names the user sees."""
    fixed: tuple[str, ...] = ()
    """Of a correlated subquery: columns after the outputs, with the values it was computed for."""


def build(text: str, schema: Schema, names: Names) -> Built:
    """Raises NoRule where the query is beyond the algebra."""
    try:
        _refuse_collations(text)
        return Builder(schema, names).query(qualified_tree(text, schema), {})
    except UNREADABLE as error:
        raise NoRule("query", f"it cannot be analyzed ({error})") from error


def _refuse_collations(text: str) -> None:
    if "collate" not in text.lower():
        return
    tree = parse_query(text)
    typed = any(kind.args.get("collate") is not None for kind in tree.find_all(exp.DataType))
    if typed or tree.find(exp.Collate) is not None:
        raise NoRule(
            "COLLATE",
            "strings that are equal by a collation can be different texts, and a table keeps the text alone",
            "compare lower(column) or another form that is the same text for equal strings",
        )


Ctes = Mapping[str, tuple[Expr, "Ctes"]]
"""By name in lower case: the query, and the CTEs it can see."""


class Builder:
    def __init__(self, schema: Schema, names: Names) -> None:
        self.schema = schema
        self.names = names

    def subqueries(self, ctes: Ctes) -> Subqueries:
        return Subqueries(self, ctes)

    def query(self, node: Expr, ctes: Ctes, domain: Domain | None = None) -> Built:
        """``domain``: what a correlated subquery is computed for."""
        ctes = self._with_ctes(node, ctes)
        self._refuse_limit(node)
        match node:
            case exp.Subquery():
                return self.query(node.this, ctes, domain)
            case exp.Select():
                return self._select(node, ctes, domain)
            case exp.Union():
                return self._union(node, ctes, domain)
            case exp.Intersect() | exp.Except():
                return self._set_operation(node, ctes, domain)
            case exp.Values() if domain is None:
                return self.values(node)
        raise NoRule(node.key.upper(), "it cannot be maintained incrementally")

    def _with_ctes(self, node: Expr, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_") or node.args.get("with")
        if clause is None:
            return ctes
        if clause.args.get("recursive"):
            raise NoRule("WITH RECURSIVE", "a recursive query cannot be maintained incrementally")
        visible = dict(ctes)
        for cte in clause.expressions:
            if cte.args["alias"].args.get("columns"):
                raise NoRule("WITH", "this column list is not supported", "name the columns in the query")
            visible[cte.alias.lower()] = (cte.this, dict(visible))
        return visible

    def _refuse_limit(self, node: Expr) -> None:
        if node.args.get("limit") is not None or node.args.get("offset") is not None:
            raise NoRule(
                "LIMIT",
                "which rows remain depends on all rows",
                "rank them with row_number() and filter by the rank",
            )

    def _select(self, select: exp.Select, ctes: Ctes, domain: Domain | None) -> Built:
        for unknown in ("sort", "cluster", "distribute", "sample", "kind", "connect", "match"):
            if select.args.get(unknown):
                raise NoRule(unknown.upper(), "it cannot be maintained incrementally")
        relation, scope = FromClause(self, ctes).read(select)
        if domain is not None:
            around = domain.again(self.names)
            relation = Join(relation, around.relation, JoinKind.INNER)
            scope = Scope(scope.columns, around.scope)
            fixed = around.relation.columns
        else:
            fixed = ()
        subqueries = self.subqueries(ctes)
        if (where := select.args.get("where")) is not None:
            relation = subqueries.filtered(relation, where.this, scope)
        items = self._items(select, scope)
        clauses = [c.this for c in (select.args.get("having"), select.args.get("qualify")) if c is not None]
        named = select.args.get("windows") or ()
        written = [written_out(e, named) for e in (*(item.expression for item in items), *clauses)]
        group = select.args.get("group")
        resolved, pending = subqueries.postponed([*written, *([] if group is None else [group])], scope)
        expressions, keys = resolved[: len(written)], resolved[len(written) :]
        base = relation
        if is_grouped(select, written):
            first = [one for one in pending if _is_needed_to_group(one.column, expressions, keys)]
            relation, resolved = subqueries.attached(relation, base, resolved, first, scope)
            expressions, keys = resolved[: len(written)], resolved[len(written) :]
            shown = expressions[: len(items)]
            groups = grouped(relation, next(iter(keys), None), expressions, shown, self.names, domain, fixed)
            relation, expressions = groups.relation, groups.expressions
            pending = [one for one in pending if one not in first]
            scope, fixed = scope.only(groups.keys), tuple(groups.keys[column] for column in fixed)
            base = relation
        relation, expressions = subqueries.attached(relation, base, expressions, pending, scope)
        if select.args.get("having") is not None:
            relation = Filter(relation, expressions[len(items)])
        relation, expressions = with_windows(relation, expressions, self.names, fixed)
        if select.args.get("qualify") is not None:
            relation = Filter(relation, expressions[-1])
        final = [replace(item, expression=e) for item, e in zip(items, expressions, strict=False)]
        relation, shown = with_generators(relation, final, self.names)
        values = [*shown, *map(column_of, fixed)]
        relation = Project(relation, tuple((self.names.new(), value) for value in values))
        if (distinct := select.args.get("distinct")) is not None:
            relation = self._distinct(relation, distinct)
        return _built(relation, tuple(name for item in items for name in item.outputs))

    def _items(self, select: exp.Select, scope: Scope) -> list[Listed]:
        if len(select.expressions) == 1 and isinstance(select.expressions[0], exp.Star):
            return [Listed(exp.column(name, table=alias), (name,)) for alias, name in scope.columns]
        return [listed(item) for item in select.expressions]

    def _distinct(self, relation: Relation, distinct: Expr | None = None) -> Relation:
        if distinct is not None and distinct.args.get("on") is not None:
            raise NoRule("DISTINCT ON", "it cannot be maintained incrementally")
        return Aggregate(relation, tuple((self.names.new(), column_of(c)) for c in relation.columns), ())

    def _sides(self, node: exp.SetOperation, ctes: Ctes, domain: Domain | None) -> tuple[Built, Relation]:
        left = self.query(node.this, ctes, domain)
        right = self.query(node.expression, ctes, domain)
        if not node.args.get("by_name"):
            return left, right.relation
        columns = zip(right.outputs, right.relation.columns, strict=False)
        places = {name.lower(): column for name, column in columns}
        if {name.lower() for name in left.outputs} != set(places) or len(places) != len(right.outputs):
            raise NoRule("UNION BY NAME", "both sides must have the same columns")
        order = [*(places[name.lower()] for name in left.outputs), *right.fixed]
        return left, Project(right.relation, tuple((self.names.new(), column_of(c)) for c in order))

    def _union(self, union: exp.Union, ctes: Ctes, domain: Domain | None) -> Built:
        left, right = self._sides(union, ctes, domain)
        columns = tuple(self.names.new() for _ in left.relation.columns)
        relation: Relation = UnionAll((left.relation, right), columns)
        if union.args.get("distinct"):
            relation = self._distinct(relation)
        return _built(relation, left.outputs)

    def _set_operation(self, node: exp.SetOperation, ctes: Ctes, domain: Domain | None) -> Built:
        left, right = self._sides(node, ctes, domain)
        kind = SetKind.INTERSECT if isinstance(node, exp.Intersect) else SetKind.EXCEPT
        columns = tuple(self.names.new() for _ in left.relation.columns)
        every = not node.args.get("distinct")
        return _built(SetOperation(left.relation, right, kind, every, columns), left.outputs)

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


def _built(relation: Relation, outputs: tuple[str, ...]) -> Built:
    return Built(relation, outputs, relation.columns[len(outputs) :])


def _is_needed_to_group(column: str, expressions: list[Expr], keys: list[Expr]) -> bool:
    """Whether a subquery's value is grouped by, or aggregated."""
    parts = [*keys, *(aggregate for e in expressions for aggregate in aggregates_in(e))]
    return any(c.name == column for part in parts for c in part.find_all(exp.Column))
