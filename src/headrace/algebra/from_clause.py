"""FROM, JOIN and LATERAL VIEW."""

from __future__ import annotations

from sqlglot import exp

from headrace.algebra.conditions import conjunction, conjuncts
from headrace.algebra.correlation import free_columns
from headrace.algebra.decorrelate import decorrelate
from headrace.algebra.expressions import Expr, column_of, with_columns
from headrace.algebra.generators import default_names, is_generator
from headrace.algebra.names import Names
from headrace.algebra.operators.constant import Constant
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.generate import Generate
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import Scan
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.pivot import pivoted
from headrace.algebra.query_builder import Built, QueryBuilder
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope
from headrace.algebra.subqueries import Subqueries
from headrace.algebra.unsupported import NoRule, Unsupported
from headrace.model.names import TableName

_TABLE_CLAUSES = {
    "sample": Unsupported.TABLESAMPLE,
    "version": Unsupported.VERSION_AS_OF,
    "when": Unsupported.VERSION_AS_OF,
}


class FromClause:
    def __init__(self, builder: QueryBuilder) -> None:
        self._builder = builder
        self._names = builder.names
        self._subqueries = Subqueries(builder)

    def read(self, select: exp.Select) -> tuple[Relation, Scope]:
        clause = select.args.get("from_") or select.args.get("from")
        if clause is None:
            one = exp.Values(expressions=[exp.Tuple(expressions=[exp.convert(1)])])
            return Constant(one, (self._names.new(),)), Scope()
        relation, scope = self._source(clause.this, Scope())
        for join in select.args.get("joins") or ():
            relation, scope = self._join(relation, join, scope)
        for lateral in select.args.get("laterals") or ():
            relation, scope = self._lateral_view(relation, lateral, scope, select)
        return relation, scope

    def _source(self, node: Expr, scope: Scope) -> tuple[Relation, Scope]:
        """What stands in FROM, and ``scope`` with its columns."""
        relation, names = self._unpivoted(node)
        alias = node.alias_or_name
        for pivot in node.args.get("pivots") or ():
            own = Scope().with_relation(alias, names, relation.columns)
            relation, names = pivoted(relation, names, own, pivot, self._names)
            alias = pivot.alias or alias
        return relation, scope.with_relation(alias, names, relation.columns)

    def _unpivoted(self, node: Expr) -> tuple[Relation, tuple[str, ...]]:
        for clause, shape in _TABLE_CLAUSES.items():
            if node.args.get(clause):
                raise NoRule(shape)
        match node:
            case exp.Table(this=exp.Identifier()):
                return self._table(node)
            case exp.Subquery():
                built = self._builder.query(node.this)
                return built.relation, self._column_names(node, built.outputs)
            case exp.Values():
                built = values(node, self._names)
                return built.relation, built.outputs
            case exp.Table(this=exp.Func()):
                return self._table_function(node)
        raise NoRule(Unsupported.SOURCE, source=node.key.upper())

    def _table(self, table: exp.Table) -> tuple[Relation, tuple[str, ...]]:
        built = None if table.db else self._builder.cte(table.name)
        if built is not None:
            return built.relation, self._column_names(table, built.outputs)
        name = TableName(table.catalog, table.db, table.name)
        fields = tuple((self._names.new(), column) for column in self._builder.schema[name])
        return Scan(name, fields), self._column_names(table, tuple(column for _, column in fields))

    def _table_function(self, node: exp.Table) -> tuple[Relation, tuple[str, ...]]:
        if node.this.name.lower() != "range" and node.this.sql_name().lower() != "range":
            raise NoRule(Unsupported.TABLE_FUNCTION, function=node.this.sql("spark"))
        source = node.copy()
        source.set("alias", None)
        return Constant(source, (self._names.new(),)), self._column_names(node, ("id",))

    def _column_names(self, node: Expr, names: tuple[str, ...]) -> tuple[str, ...]:
        alias = node.args.get("alias")
        given = tuple(column.name for column in alias.args.get("columns") or ()) if alias else ()
        return given or names

    def _join(self, left: Relation, join: exp.Join, scope: Scope) -> tuple[Relation, Scope]:
        if isinstance(join.this, exp.Lateral):
            return self._lateral_join(left, join, scope)
        if join.args.get("using") or join.method:
            raise NoRule(Unsupported.JOIN_WITHOUT_ON, join=join.sql("spark"))
        right, both = self._source(join.this, scope)
        condition = join.args.get("on")
        on = None if condition is None or condition.find(exp.Query) else both.resolved(condition)
        if condition is not None and on is None:
            if join.side or join.kind.upper() not in ("", "INNER", "CROSS"):
                left, right, on = self._with_subqueries(left, right, condition, both)
            else:
                return self._filtered_pairs(left, right, condition, both), both
        match (join.side.upper(), join.kind.upper()):
            case ("", "" | "INNER" | "CROSS"):
                return Join(left, right, JoinKind.INNER, on), both
            case ("LEFT", "" | "OUTER"):
                return Join(left, right, JoinKind.LEFT, on), both
            case ("RIGHT", "" | "OUTER"):
                return Join(right, left, JoinKind.LEFT, on), both
            case ("FULL", "" | "OUTER"):
                return self._full(left, right, on), both
            case ("LEFT" | "", "SEMI"):
                return Join(left, right, JoinKind.SEMI, on), scope
            case ("LEFT" | "", "ANTI"):
                return Join(left, right, JoinKind.ANTI, on), scope
        raise NoRule(Unsupported.JOIN_KIND, kind=f"{join.side} {join.kind}")

    def _full(self, left: Relation, right: Relation, on: Expr | None) -> Relation:
        """FULL JOIN: the left join, and the rows of the right side that match none of the left."""
        matched = Join(left, right, JoinKind.LEFT, on)
        other_right, right_names = self._names.renamed(right)
        other_left, left_names = self._names.renamed(left)
        mark = self._names.new()
        marked = Project(
            other_left, (*((c, column_of(c)) for c in other_left.columns), (mark, exp.convert(1)))
        )
        condition = None if on is None else with_columns(on, left_names | right_names)
        joined = Join(other_right, marked, JoinKind.LEFT, condition)
        alone = Filter(joined, exp.Is(this=column_of(mark), expression=exp.null()))
        order = [*(left_names[c] for c in left.columns), *(right_names[c] for c in right.columns)]
        rest = Project(alone, tuple((self._names.new(), column_of(c)) for c in order))
        return UnionAll((matched, rest), matched.columns)

    def _filtered_pairs(self, left: Relation, right: Relation, condition: Expr, both: Scope) -> Relation:
        """An inner join whose ON has subqueries: they may as well stand in WHERE."""
        parts = conjuncts(condition)
        plain = [both.resolved(part) for part in parts if not part.find(exp.Query)]
        pairs = Join(left, right, JoinKind.INNER, conjunction(plain))
        others = exp.and_(*(part.copy() for part in parts if part.find(exp.Query)))
        return self._subqueries.filtered(pairs, others, both)

    def _with_subqueries(
        self, left: Relation, right: Relation, condition: Expr, both: Scope
    ) -> tuple[Relation, Relation, Expr]:
        """ON with subqueries, each of which depends on one side only: there it becomes a column."""
        (on,), pending = self._subqueries.with_placeholders([condition], both)
        sides = [left, right]
        for one in pending:
            named = {both.column(*key) for key in free_columns(one.node)}
            place = next((i for i in (1, 0) if named <= set(sides[i].columns)), None)
            if place is None:
                raise NoRule(Unsupported.SUBQUERY_ON_BOTH_SIDES)
            side = sides[place]
            sides[place], (on,) = self._subqueries.join_pending(side, side, [on], [one], both)
        return sides[0], sides[1], on

    def _lateral_view(
        self, relation: Relation, lateral: exp.Lateral, scope: Scope, select: exp.Select
    ) -> tuple[Relation, Scope]:
        if not lateral.args.get("view"):
            raise NoRule(Unsupported.LATERAL_POSITION)
        return self._generated(relation, lateral, scope, bool(lateral.args.get("outer")), select)

    def _generated(
        self, relation: Relation, lateral: exp.Lateral, scope: Scope, outer: bool, select: Expr
    ) -> tuple[Relation, Scope]:
        alias = lateral.args["alias"]
        generator = lateral.this
        outputs = tuple(column.name for column in alias.args.get("columns") or ())
        if not outputs:
            named = {c.name.lower() for c in select.find_all(exp.Column) if c.table == alias.name}
            outputs = default_names(generator, frozenset(named))
        generated = tuple(self._names.new() for _ in outputs)
        made = Generate(relation, scope.resolved(generator), outer, generated)
        return made, scope.with_relation(alias.name, outputs, generated)

    def _lateral_join(self, left: Relation, join: exp.Join, scope: Scope) -> tuple[Relation, Scope]:
        """LATERAL: a subquery that sees what stands before it; or a generator."""
        lateral, condition = join.this, join.args.get("on")
        kind = {"": JoinKind.INNER, "LEFT": JoinKind.LEFT}.get(join.side.upper())
        on = None if condition is None or condition == exp.true() else condition
        if kind is None or (on is not None and on.find(exp.Query)):
            raise NoRule(Unsupported.LATERAL_JOIN, join=join.sql("spark"))
        if is_generator(lateral.this):
            if on is not None or kind is JoinKind.LEFT:
                raise NoRule(Unsupported.LATERAL_GENERATOR, join=join.sql("spark"))
            return self._generated(left, lateral, scope, False, join.parent or join)
        if not isinstance(lateral.this, exp.Subquery):
            raise NoRule(Unsupported.LATERAL_JOIN, join=join.sql("spark"))
        parts = decorrelate(self._builder, lateral.this.this, left, scope, for_each=True)
        names = self._column_names(lateral, tuple(lateral.this.this.named_selects))
        both = scope.with_relation(lateral.alias, names, parts.outputs)
        conditions = [*parts.correlation, *([] if on is None else [both.resolved(on)])]
        return Join(left, parts.relation, kind, conjunction(conditions)), both


def values(node: Expr, names: Names) -> Built:
    """VALUES, with the names Spark gives where the query gives none."""
    alias = node.args.get("alias")
    given = tuple(column.name for column in alias.args.get("columns") or ()) if alias else ()
    first = node.expressions[0] if node.expressions else None
    width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
    outputs = given or tuple(f"col{index + 1}" for index in range(width))
    bare = node.copy()
    bare.set("alias", None)
    return Built(Constant(bare, tuple(names.new() for _ in outputs)), outputs)
