"""FROM, JOIN and LATERAL VIEW."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from headrace.algebra.names import column_of, with_columns
from headrace.algebra.relation import (
    Constant,
    Expr,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    UnionAll,
)
from headrace.algebra.scope import Scope
from headrace.algebra.unsupported import NoRule
from headrace.model.names import TableName

if TYPE_CHECKING:
    from headrace.algebra.build import Builder, Ctes


class FromClause:
    def __init__(self, builder: Builder, ctes: Ctes) -> None:
        self._builder = builder
        self._names = builder.names
        self._ctes = ctes

    def read(self, select: exp.Select, outer: Scope) -> tuple[Relation, Scope]:
        clause = select.args.get("from_") or select.args.get("from")
        if clause is None:
            one = exp.Values(expressions=[exp.Tuple(expressions=[exp.convert(1)])])
            return Constant(one, (self._names.new(),)), Scope(outer=_enclosing(outer))
        relation, scope = self._source(clause.this, Scope(outer=_enclosing(outer)))
        for join in select.args.get("joins") or ():
            relation, scope = self._join(relation, join, scope)
        for lateral in select.args.get("laterals") or ():
            relation, scope = self._lateral(relation, lateral, scope)
        return relation, scope

    def _source(self, node: Expr, scope: Scope) -> tuple[Relation, Scope]:
        if node.args.get("pivots"):
            raise NoRule("PIVOT", "there is no rule for it", "write it as aggregates with FILTER (WHERE ...)")
        match node:
            case exp.Table(this=exp.Identifier()):
                return self._table(node, scope)
            case exp.Subquery():
                built = self._builder.query(node.this, Scope(outer=scope.outer), self._ctes)
                names = self._column_names(node, built.outputs)
                return built.relation, scope.with_relation(node.alias, names, built.relation.columns)
            case exp.Values():
                built = self._builder.values(node)
                return built.relation, scope.with_relation(node.alias, built.outputs, built.relation.columns)
            case exp.Table(this=exp.Func()):
                return self._table_function(node, scope)
        raise NoRule(node.key.upper(), "there is no rule for it in FROM")

    def _table(self, table: exp.Table, scope: Scope) -> tuple[Relation, Scope]:
        cte = self._ctes.get(table.name.lower()) if not table.db else None
        if cte is not None:
            query, visible = cte
            built = self._builder.query(query, Scope(), visible)
            names = self._column_names(table, built.outputs)
            return built.relation, scope.with_relation(table.alias_or_name, names, built.relation.columns)
        name = TableName(table.catalog, table.db, table.name)
        fields = tuple((self._names.new(), column) for column in self._builder.schema[name])
        names = self._column_names(table, tuple(column for _, column in fields))
        scan = Scan(name, fields)
        return scan, scope.with_relation(table.alias_or_name, names, scan.columns)

    def _table_function(self, node: exp.Table, scope: Scope) -> tuple[Relation, Scope]:
        if node.this.name.lower() != "range" and node.this.sql_name().lower() != "range":
            raise NoRule(node.this.sql("spark"), "there is no rule for table functions other than range()")
        source = node.copy()
        source.set("alias", None)
        relation = Constant(source, (self._names.new(),))
        return relation, scope.with_relation(
            node.alias_or_name, self._column_names(node, ("id",)), relation.columns
        )

    def _column_names(self, node: Expr, names: tuple[str, ...]) -> tuple[str, ...]:
        alias = node.args.get("alias")
        given = tuple(column.name for column in alias.args.get("columns") or ()) if alias else ()
        return given or names

    def _join(self, left: Relation, join: exp.Join, scope: Scope) -> tuple[Relation, Scope]:
        if isinstance(join.this, exp.Lateral):
            raise NoRule(
                "LATERAL", "there is no rule for lateral subqueries", "join on the correlated columns"
            )
        if join.args.get("using") or join.method:
            raise NoRule("JOIN", f"there is no rule for {join.sql('spark')}", "write the condition with ON")
        right, both = self._source(join.this, scope)
        condition = join.args.get("on")
        if condition is not None and condition.find(exp.Query):
            raise NoRule("JOIN", "there is no rule for a subquery in ON", "move it to WHERE")
        on = None if condition is None else both.resolved(condition)
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
        raise NoRule("JOIN", f"there is no rule for {join.side} {join.kind} JOIN")

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

    def _lateral(self, relation: Relation, lateral: exp.Lateral, scope: Scope) -> tuple[Relation, Scope]:
        alias = lateral.args["alias"]
        outputs = tuple(column.name for column in alias.args.get("columns") or ())
        if not lateral.args.get("view") or not outputs:
            raise NoRule("LATERAL VIEW", "its columns must be named", "add AS with the names")
        generated = tuple(self._names.new() for _ in outputs)
        generator = scope.resolved(lateral.this)
        made = Generate(relation, generator, bool(lateral.args.get("outer")), generated)
        return made, scope.with_relation(alias.name, outputs, generated)


def _enclosing(scope: Scope) -> Scope | None:
    """The scope a subquery sees around it; none at the top."""
    return scope if scope.columns or scope.outer is not None else None
