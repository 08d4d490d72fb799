"""From a query's text to relational operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headrace.algebra.correlation import Domain
from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.from_clause import FromClause, values
from headrace.algebra.generators import SelectItem, select_item, with_generators
from headrace.algebra.grouping import aggregates_in, grouped, is_grouped
from headrace.algebra.names import Names
from headrace.algebra.needed_columns import with_needed_columns
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.set_operation import SetKind, SetOperation
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.query_builder import Built, Schema
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope
from headrace.algebra.subqueries import Subqueries
from headrace.algebra.unsupported import NoRule, Unsupported
from headrace.algebra.windows import with_named_windows, with_windows
from headrace.sql.queries.dialect import parse_query
from headrace.sql.queries.qualify import UNREADABLE, qualified_tree

Ctes = Mapping[str, tuple[Expr, "Ctes"]]
"""By name in lower case: the query, and the CTEs it can see."""

_CLAUSES = {
    "sort": Unsupported.SORT_BY,
    "cluster": Unsupported.CLUSTER_BY,
    "distribute": Unsupported.DISTRIBUTE_BY,
    "sample": Unsupported.TABLESAMPLE,
    "kind": Unsupported.CLAUSE,
    "connect": Unsupported.CLAUSE,
    "match": Unsupported.CLAUSE,
}


def build(text: str, schema: Schema, names: Names) -> Built:
    """Raises NoRule where the query is beyond the algebra."""
    try:
        _refuse_collations(text)
        built = _Builder(schema, names).query(qualified_tree(text, schema))
    except UNREADABLE as error:
        raise NoRule(Unsupported.ANALYSIS, error=str(error)) from error
    return replace(built, relation=with_needed_columns(built.relation))


def _refuse_collations(text: str) -> None:
    if "collate" not in text.lower():
        return
    tree = parse_query(text)
    typed = any(kind.args.get("collate") is not None for kind in tree.find_all(exp.DataType))
    if typed or tree.find(exp.Collate) is not None:
        raise NoRule(Unsupported.COLLATION)


@dataclass(frozen=True)
class _Builder:
    schema: Schema
    names: Names
    ctes: Ctes = field(default_factory=dict)

    def query(self, node: Expr, domain: Domain | None = None) -> Built:
        if node.args.get("limit") is not None or node.args.get("offset") is not None:
            raise NoRule(Unsupported.LIMIT)
        return self._with_ctes_of(node)._body(node, domain)

    def cte(self, name: str) -> Built | None:
        if (found := self.ctes.get(name.lower())) is None:
            return None
        query, visible = found
        return replace(self, ctes=visible).query(query)

    def from_clause(self, select: exp.Select) -> tuple[Relation, Scope]:
        return FromClause(self).read(select)

    def where(self, relation: Relation, condition: Expr, scope: Scope) -> Relation:
        return Subqueries(self).filtered(relation, condition, scope)

    def _with_ctes_of(self, node: Expr) -> _Builder:
        clause = node.args.get("with_") or node.args.get("with")
        if clause is None:
            return self
        if clause.args.get("recursive"):
            raise NoRule(Unsupported.RECURSION)
        visible = dict(self.ctes)
        for cte in clause.expressions:
            if cte.args["alias"].args.get("columns"):
                raise NoRule(Unsupported.CTE_COLUMNS)
            visible[cte.alias.lower()] = (cte.this, dict(visible))
        return replace(self, ctes=visible)

    def _body(self, node: Expr, domain: Domain | None) -> Built:
        match node:
            case exp.Subquery():
                return self.query(node.this, domain)
            case exp.Select():
                return self._select(node, domain)
            case exp.Union():
                return self._union(node, domain)
            case exp.Intersect() | exp.Except():
                return self._set_operation(node, domain)
            case exp.Values() if domain is None:
                return values(node, self.names)
        raise NoRule(Unsupported.QUERY, query=node.key.upper())

    def _select(self, select: exp.Select, domain: Domain | None) -> Built:
        for clause, shape in _CLAUSES.items():
            if select.args.get(clause):
                raise NoRule(shape, clause=clause.upper())
        subqueries = Subqueries(self)
        relation, scope, fixed = self._rows(select, domain)
        items = self._items(select, scope)
        clauses = [c.this for c in (select.args.get("having"), select.args.get("qualify")) if c is not None]
        named = select.args.get("windows") or ()
        written = [with_named_windows(e, named) for e in (*(item.expression for item in items), *clauses)]
        group = [found] if (found := select.args.get("group")) is not None else []
        resolved, pending = subqueries.with_placeholders([*written, *group], scope)
        expressions, keys = resolved[: len(written)], resolved[len(written) :]
        base = relation
        if is_grouped(select, written):
            first = [one for one in pending if _is_needed_to_group(one.column, expressions, keys)]
            relation, resolved = subqueries.join_pending(relation, base, resolved, first, scope)
            expressions, keys = resolved[: len(written)], resolved[len(written) :]
            selected = expressions[: len(items)]
            groups = grouped(
                relation, next(iter(keys), None), expressions, selected, self.names, domain, fixed
            )
            relation, expressions = groups.relation, groups.expressions
            pending = [one for one in pending if one not in first]
            scope, fixed = scope.only(groups.keys), tuple(groups.keys[column] for column in fixed)
            base = relation
        relation, expressions = subqueries.join_pending(relation, base, expressions, pending, scope)
        if select.args.get("having") is not None:
            relation = Filter(relation, expressions[len(items)])
        relation, expressions = with_windows(relation, expressions, self.names, fixed)
        if select.args.get("qualify") is not None:
            relation = Filter(relation, expressions[-1])
        final = [replace(item, expression=e) for item, e in zip(items, expressions, strict=False)]
        relation, shown = with_generators(relation, final, self.names)
        output = [*shown, *map(column_of, fixed)]
        relation = Project(relation, tuple((self.names.new(), value) for value in output))
        if (distinct := select.args.get("distinct")) is not None:
            relation = self._distinct(relation, distinct)
        return _built(relation, tuple(name for item in items for name in item.outputs))

    def _rows(self, select: exp.Select, domain: Domain | None) -> tuple[Relation, Scope, tuple[str, ...]]:
        """FROM and WHERE, for each value of ``domain``, and the columns that have these values."""
        relation, scope = self.from_clause(select)
        fixed: tuple[str, ...] = ()
        if domain is not None:
            around = domain.again(self.names)
            relation = Join(relation, around.relation, JoinKind.INNER)
            scope = Scope(scope.columns, around.scope)
            fixed = around.relation.columns
        if (where := select.args.get("where")) is not None:
            relation = self.where(relation, where.this, scope)
        return relation, scope, fixed

    def _items(self, select: exp.Select, scope: Scope) -> list[SelectItem]:
        if len(select.expressions) == 1 and isinstance(select.expressions[0], exp.Star):
            return [SelectItem(exp.column(name, table=alias), (name,)) for alias, name in scope.columns]
        return [select_item(item) for item in select.expressions]

    def _distinct(self, relation: Relation, distinct: Expr | None = None) -> Relation:
        if distinct is not None and distinct.args.get("on") is not None:
            raise NoRule(Unsupported.DISTINCT_ON)
        return Aggregate(relation, tuple((self.names.new(), column_of(c)) for c in relation.columns), ())

    def _sides(self, node: exp.SetOperation, domain: Domain | None) -> tuple[Built, Relation]:
        left = self.query(node.this, domain)
        right = self.query(node.expression, domain)
        if not node.args.get("by_name"):
            return left, right.relation
        columns = zip(right.outputs, right.relation.columns, strict=False)
        places = {name.lower(): column for name, column in columns}
        if {name.lower() for name in left.outputs} != set(places) or len(places) != len(right.outputs):
            raise NoRule(Unsupported.UNION_BY_NAME)
        order = [*(places[name.lower()] for name in left.outputs), *right.fixed]
        return left, Project(right.relation, tuple((self.names.new(), column_of(c)) for c in order))

    def _union(self, union: exp.Union, domain: Domain | None) -> Built:
        left, right = self._sides(union, domain)
        columns = tuple(self.names.new() for _ in left.relation.columns)
        relation: Relation = UnionAll((left.relation, right), columns)
        if union.args.get("distinct"):
            relation = self._distinct(relation)
        return _built(relation, left.outputs)

    def _set_operation(self, node: exp.SetOperation, domain: Domain | None) -> Built:
        left, right = self._sides(node, domain)
        kind = SetKind.INTERSECT if isinstance(node, exp.Intersect) else SetKind.EXCEPT
        columns = tuple(self.names.new() for _ in left.relation.columns)
        every = not node.args.get("distinct")
        return _built(SetOperation(left.relation, right, kind, every, columns), left.outputs)


def _built(relation: Relation, outputs: tuple[str, ...]) -> Built:
    return Built(relation, outputs, relation.columns[len(outputs) :])


def _is_needed_to_group(column: str, expressions: list[Expr], keys: list[Expr]) -> bool:
    """Whether a subquery's value is grouped by, or aggregated."""
    parts = [*keys, *(aggregate for e in expressions for aggregate in aggregates_in(e))]
    return any(c.name == column for part in parts for c in part.find_all(exp.Column))
