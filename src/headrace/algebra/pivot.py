"""PIVOT and UNPIVOT.

PIVOT (agg(x) FOR p IN (v, ...))  =  GROUP BY the columns that are in neither, with for each v
                                     agg(x) FILTER (WHERE p <=> v), NULL where no row has p <=> v
UNPIVOT (x FOR n IN (a, ...))     =  UNION ALL over the columns a of ``SELECT the rest, 'a' AS n, a AS x``,
                                     without the rows where it is NULL
"""

from __future__ import annotations

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.grouping import aggregates_in
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope
from headrace.algebra.unsupported import NoRule, Unsupported

_NULL_FOR_AN_EMPTY_CELL = (
    exp.Sum,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.Count,
    exp.Stddev,
    exp.StddevSamp,
    exp.StddevPop,
    exp.Variance,
    exp.VariancePop,
)

Made = tuple[Relation, tuple[str, ...]]
"""A relation and the names of its columns."""


def pivoted(relation: Relation, names: tuple[str, ...], scope: Scope, pivot: Expr, new: Names) -> Made:
    if len(pivot.args.get("fields") or ()) != 1 or pivot.args.get("group") is not None:
        raise NoRule(Unsupported.PIVOT)
    (field,) = pivot.args["fields"]
    if not isinstance(field, exp.In) or not field.expressions:
        raise NoRule(Unsupported.PIVOT_VALUES)
    by_name = {name.lower(): column for name, column in zip(names, relation.columns, strict=True)}
    rows = _Rows(relation, names, by_name, scope)
    return rows.unpivot(pivot, field, new) if pivot.args.get("unpivot") else rows.pivot(pivot, field, new)


class _Rows:
    def __init__(
        self, relation: Relation, names: tuple[str, ...], by_name: dict[str, str], scope: Scope
    ) -> None:
        self._relation = relation
        self._names = names
        self._by_name = by_name
        self._scope = scope

    def pivot(self, pivot: Expr, field: exp.In, new: Names) -> Made:
        pivoted_columns = [self._column(part) for part in _parts(field.this)]
        wanted = [(e.unalias(), e.alias or e.sql("spark").lower()) for e in pivot.expressions]
        for expression, _ in wanted:
            _require_null_for_an_empty_cell(expression)
        resolved = [(self._resolved(e), name) for e, name in wanted]
        used = {c.name for e, _ in resolved for c in e.find_all(exp.Column)} | set(pivoted_columns)
        rest = [
            (name, c) for name, c in zip(self._names, self._relation.columns, strict=True) if c not in used
        ]
        keys = [(new.new(), column_of(column)) for _, column in rest]
        measures: list[Item] = []
        shown: list[Item] = []
        outputs = [name for name, _ in rest]
        for value in field.expressions:
            there = _same(pivoted_columns, value.this if isinstance(value, exp.PivotAlias) else value)
            rows = new.new()
            measures.append((rows, _only(exp.Count(this=exp.Star()), there)))
            for expression, name in resolved:
                cell = self._cell(expression, there, rows, measures, new)
                shown.append((new.new(), cell))
                outputs.append(_value_name(value) if len(resolved) == 1 else f"{_value_name(value)}_{name}")
        aggregate = Aggregate(self._relation, tuple(keys), tuple(measures))
        rest_items = tuple((new.new(), column_of(column)) for column, _ in keys)
        return Project(aggregate, (*rest_items, *shown)), tuple(outputs)

    def _cell(self, expression: Expr, there: Expr, rows: str, measures: list[Item], new: Names) -> Expr:
        columns = [(new.new(), a) for a in aggregates_in(expression)]
        measures += [(column, _only(a, there)) for column, a in columns]

        def replace(node: Expr) -> Expr:
            return next((column_of(column) for column, a in columns if node == a), node)

        some = exp.GT(this=column_of(rows), expression=exp.convert(0))
        return exp.Case(ifs=[exp.If(this=some, true=expression.copy().transform(replace))])

    def unpivot(self, pivot: Expr, field: exp.In, new: Names) -> Made:
        values = [_parts(e.this if isinstance(e, exp.PivotAlias) else e) for e in field.expressions]
        held = [name.name for e in pivot.expressions for name in _parts(e)]
        if any(len(columns) != len(held) for columns in values):
            raise NoRule(Unsupported.UNPIVOT_WIDTH)
        taken = [[self._column(column) for column in columns] for columns in values]
        used = {column for columns in taken for column in columns}
        rest = [
            (name, c) for name, c in zip(self._names, self._relation.columns, strict=True) if c not in used
        ]
        parts: list[Relation] = []
        for value, columns in zip(field.expressions, taken, strict=True):
            items = [*(column_of(c) for _, c in rest), exp.convert(_value_name(value))]
            items += [column_of(c) for c in columns]
            empty = exp.and_(*(exp.Is(this=column_of(c), expression=exp.null()) for c in columns))
            rows = (
                self._relation if pivot.args.get("include_nulls") else Filter(self._relation, exp.not_(empty))
            )
            parts.append(Project(rows, tuple((new.new(), item) for item in items)))
        outputs = (*(name for name, _ in rest), field.this.name, *held)
        return UnionAll(tuple(parts), tuple(new.new() for _ in outputs)), outputs

    def _column(self, node: Expr) -> str:
        name = node.name.lower()
        if name not in self._by_name:
            raise NoRule(Unsupported.PIVOT_COLUMN, column=node.sql("spark"))
        return self._by_name[name]

    def _resolved(self, expression: Expr) -> Expr:
        def resolve(node: Expr) -> Expr:
            if not isinstance(node, exp.Column):
                return node
            return column_of(
                self._column(node) if not node.table else self._scope.column(node.table, node.name)
            )

        return expression.copy().transform(resolve)


def _require_null_for_an_empty_cell(expression: Expr) -> None:
    aggregates = aggregates_in(expression)
    if not aggregates or not all(isinstance(a, _NULL_FOR_AN_EMPTY_CELL) for a in aggregates):
        raise NoRule(Unsupported.PIVOT_AGGREGATE, aggregate=expression.sql("spark"))


def _parts(node: Expr) -> list[Expr]:
    node = node.unnest()
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def _same(columns: list[str], value: Expr) -> Expr:
    pairs = zip(columns, _parts(value), strict=True)
    return exp.and_(*(exp.NullSafeEQ(this=column_of(c), expression=v.copy()) for c, v in pairs))


def _only(aggregate: Expr, condition: Expr) -> Expr:
    return exp.Filter(this=aggregate.copy(), expression=exp.Where(this=condition.copy()))


def _value_name(value: Expr) -> str:
    match value:
        case exp.PivotAlias():
            return str(value.args["alias"].name)
        case exp.Literal() | exp.Column() | exp.Identifier() | exp.Boolean():
            return value.name if not isinstance(value, exp.Boolean) else str(value.this).lower()
        case exp.Tuple() if all(isinstance(e, exp.Column | exp.Identifier) for e in value.expressions):
            return "_".join(e.name for e in value.expressions)
        case exp.Neg(this=exp.Literal()):
            return f"-{value.this.name}"
    raise NoRule(Unsupported.PIVOT_NAME, value=value.sql("spark"))
