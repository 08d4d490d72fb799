"""Conditions where they are first known: below what they do not need, and in joins as their conditions.

    filter(p AND q AND r, A x B)   =   filter(p, A) x[r] filter(q, B)     p names A alone, q names B alone

Spark does the same when it runs a query. Here it tells by which keys the rows of a join are found, and of how
many rows: ``FROM a, b WHERE a.x = b.y AND b.z = 1`` is a join of ``a`` with few rows of ``b``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from headrace.algebra.conditions import conjunction, conjuncts, with_common_factors
from headrace.algebra.expressions import Expr, column_of, names_in, with_columns
from headrace.algebra.join_order import joined
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.generate import Generate
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.set_operation import SetOperation
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.operators.window import Window
from headrace.algebra.relation import Relation, Unary

Conditions = tuple[Expr, ...]


def with_predicates_pushed_down(relation: Relation) -> Relation:
    """The same rows, in the same columns."""
    return _Pushdown().in_order(relation, ())


@dataclass
class _Pushdown:
    _known: dict[Relation, Relation] = field(default_factory=dict)

    def in_order(self, relation: Relation, conditions: Conditions) -> Relation:
        """Where columns are known by their places."""
        found = self.only(relation, conditions)
        if found.columns == relation.columns:
            return found
        return Project(found, tuple((column, column_of(column)) for column in relation.columns))

    def only(self, relation: Relation, conditions: Conditions) -> Relation:
        """The rows for which all conditions are true; columns may have another order.

        What is used in several places is still one object, unless conditions tell the places apart.
        """
        if conditions:
            return self._only(relation, conditions)
        if relation not in self._known:
            self._known[relation] = self._only(relation, ())
        return self._known[relation]

    def _only(self, relation: Relation, conditions: Conditions) -> Relation:
        match relation:
            case Filter():
                return self.only(relation.child, (*_parts(relation.condition), *conditions))
            case Join(kind=JoinKind.INNER):
                return self._inner(relation, conditions)
            case Join():
                return self._other_join(relation, conditions)
            case UnionAll() | SetOperation():
                return self._by_position(relation, conditions)
            case Project():
                return self._below(relation, conditions, _plain_columns(relation.items))
            case Aggregate():
                return self._below(relation, conditions, _plain_columns(relation.keys))
            case Window():
                keys = {key.name: key.name for key in relation.partition if isinstance(key, exp.Column)}
                return self._below(relation, conditions, keys)
            case Generate():
                return self._below(relation, conditions, {name: name for name in relation.child.columns})
        children = tuple(self.only(child, ()) for child in relation.children)
        return _filtered(_rebuilt(relation, children), conditions)

    def _inner(self, join: Join, conditions: Conditions) -> Relation:
        inputs, own = _flattened(join)
        pushed: list[list[Expr]] = [[] for _ in inputs]
        others: list[Expr] = []
        for condition in (*own, *conditions):
            place = next((n for n, each in enumerate(inputs) if _is_about(condition, each.columns)), None)
            (others if place is None else pushed[place]).append(condition)
        below = [self.only(each, tuple(p)) for each, p in zip(inputs, pushed, strict=True)]
        return joined(below, others)

    def _other_join(self, join: Join, conditions: Conditions) -> Relation:
        """Conditions of the left side go there; those of ON go to the right side, of EXISTS to both."""
        on = () if join.condition is None else _parts(join.condition)
        right = tuple(each for each in on if _is_about(each, join.right.columns) and names_in(each))
        to_left = tuple(each for each in conditions if _is_about(each, join.left.columns))
        above = tuple(each for each in conditions if each not in to_left)
        rest = tuple(each for each in on if each not in right)
        if join.kind is JoinKind.SEMI:
            decided = tuple(each for each in rest if _is_about(each, join.left.columns) and names_in(each))
            to_left, rest = (*decided, *to_left), tuple(each for each in rest if each not in decided)
        sides = (self.only(join.left, to_left), self.only(join.right, right))
        if sides == join.children and rest == on:
            return _filtered(join, above)
        return _filtered(Join(*sides, join.kind, conjunction(rest)), above)

    def _by_position(self, relation: UnionAll | SetOperation, conditions: Conditions) -> Relation:
        names = [dict(zip(relation.columns, child.columns, strict=True)) for child in relation.children]
        children = tuple(
            self.in_order(child, _renamed(conditions, own))
            for child, own in zip(relation.children, names, strict=True)
        )
        return _rebuilt(relation, children)

    def _below(self, relation: Unary, conditions: Conditions, columns: Mapping[str, str]) -> Relation:
        """Those conditions that name nothing but ``columns``, which the child has by other names."""
        down = tuple(each for each in conditions if names_in(each) and names_in(each) <= {*columns})
        above = tuple(each for each in conditions if each not in down)
        child = self.only(relation.child, _renamed(down, columns))
        return _filtered(_rebuilt(relation, (child,)), above)


def _parts(condition: Expr) -> Conditions:
    return tuple(part for each in conjuncts(condition) for part in conjuncts(with_common_factors(each)))


def _flattened(relation: Relation) -> tuple[list[Relation], list[Expr]]:
    """What inner joins that follow each other join, and their conditions."""
    match relation:
        case Join(kind=JoinKind.INNER):
            left, of_left = _flattened(relation.left)
            right, of_right = _flattened(relation.right)
            own = () if relation.condition is None else _parts(relation.condition)
            return [*left, *right], [*of_left, *of_right, *own]
        case Filter(child=Filter() | Join(kind=JoinKind.INNER)):
            inputs, conditions = _flattened(relation.child)
            return inputs, [*conditions, *_parts(relation.condition)]
    return [relation], []


def _is_about(condition: Expr, columns: Collection[str]) -> bool:
    return names_in(condition) <= {*columns}


def _plain_columns(items: Sequence[tuple[str, Expr]]) -> dict[str, str]:
    return {column: item.name for column, item in items if isinstance(item, exp.Column)}


def _renamed(conditions: Conditions, names: Mapping[str, str]) -> Conditions:
    return tuple(with_columns(condition, names) for condition in conditions)


def _filtered(relation: Relation, conditions: Conditions) -> Relation:
    condition = conjunction(conditions)
    return relation if condition is None else Filter(relation, condition)


def _rebuilt(relation: Relation, children: tuple[Relation, ...]) -> Relation:
    return relation if children == relation.children else relation.rebuild(children)
