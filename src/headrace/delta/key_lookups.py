"""Which rows of whole tables the change of a query needs: those that have the keys of the rows that changed.

A join of a few rows with a whole table needs the rows of the table that have their keys, and so does a group
or a partition in which rows changed:

    few x T  =  few x (T | keys of few)        few LEFT, EXISTS, NOT EXISTS T: the same
    T EXISTS few  =  (T | keys of few) EXISTS few
    few NOT IN T: the same, with the rows of T whose key is NULL; and all of them, if few has a NULL

Such a condition goes down to the scans of the table through operators that keep the columns of the key. A
scan that gets one can be looked up by key; keys may come from rows that were looked up before. What is looked
up may be more than what is needed: the operators above still decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headrace.algebra.conditions import conjuncts, equal_column
from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.relation import Relation
from headrace.algebra.walk import parts_of
from headrace.delta.rules import rule_of


@dataclass(frozen=True)
class KeyFilter:
    """Rows that have in ``columns`` the values of a row of ``keys``, NULL being equal to NULL."""

    columns: tuple[str, ...]
    keys: Relation
    """Its columns correspond to ``columns`` by position."""
    or_null: bool = False
    """NOT IN: whether rows with NULL are needed, too, and all rows if a key is NULL. There is one column."""


@dataclass(frozen=True)
class KeyedRelation:
    relation: Relation
    lookups: Mapping[Scan, KeyFilter]
    """Scans of the relation, and of keys, that need only some rows; keys come from scans further up."""


def with_key_lookups(relation: Relation, names: Names, reads_few: Callable[[Scan], bool]) -> KeyedRelation:
    """The same relation, whose scans are looked up by key where that is possible.

    ``reads_few`` tells which versions of tables have few rows, and are better read whole.
    """
    planner = _Planner(names, reads_few)
    planned = planner.planned(relation, None).relation
    return KeyedRelation(planned, dict(planner.used(planned)))


@dataclass(frozen=True)
class _Planned:
    relation: Relation
    is_few: bool
    """Whether no scan of it reads a large table in full."""


@dataclass
class _Planner:
    names: Names
    reads_few: Callable[[Scan], bool]
    _lookups: dict[Scan, KeyFilter] = field(default_factory=dict)
    _known: dict[tuple[Relation, KeyFilter | None], _Planned] = field(default_factory=dict)
    _keys: dict[tuple[Relation, tuple[Expr, ...]], Project] = field(default_factory=dict)

    def planned(self, node: Relation, needed: KeyFilter | None) -> _Planned:
        """``needed`` are the rows that matter; None: all. The same object for the same question."""
        if (node, needed) not in self._known:
            self._known[node, needed] = self._plan(node, needed)
        return self._known[node, needed]

    def used(self, relation: Relation, seen: set[Relation] | None = None) -> Iterator[tuple[Scan, KeyFilter]]:
        """Those that a look-up takes its keys from come before it."""
        seen = set() if seen is None else seen
        for part in parts_of(relation):
            if isinstance(part, Scan) and part in self._lookups and part not in seen:
                seen.add(part)
                yield from self.used(self._lookups[part].keys, seen)
                yield part, self._lookups[part]

    def _plan(self, node: Relation, needed: KeyFilter | None) -> _Planned:
        match node:
            case Scan():
                return self._scan(node, needed)
            case Join():
                return self._join(node, needed)
        filters = [self._passed_down(needed, columns) for columns in rule_of(node).key_columns(node)]
        children = [self.planned(child, f) for child, f in zip(node.children, filters, strict=True)]
        return _rebuilt(node, children)

    def _scan(self, scan: Scan, needed: KeyFilter | None) -> _Planned:
        if scan.version is SourceVersion.CHANGE or self.reads_few(scan):
            return _Planned(scan, True)
        if needed is None:
            return _Planned(scan, False)
        looked_up = replace(scan)
        self._lookups[looked_up] = needed
        return _Planned(looked_up, True)

    def _join(self, join: Join, needed: KeyFilter | None) -> _Planned:
        columns = rule_of(join).key_columns(join)
        left, right = (
            self.planned(side, self._passed_down(needed, own))
            for side, own in zip(join.children, columns, strict=True)
        )
        if left.is_few and not right.is_few:
            right = self._matching(join, join.right, left) or right
        elif right.is_few and not left.is_few and join.kind in (JoinKind.INNER, JoinKind.SEMI):
            left = self._matching(join, join.left, right) or left
        return _rebuilt(join, [left, right])

    def _matching(self, join: Join, side: Relation, few: _Planned) -> _Planned | None:
        """``side`` with only those rows that may match one of the few rows of the other side."""
        conditions = [] if join.condition is None else conjuncts(join.condition)
        same = _equalities(conditions, side, few.relation)
        or_null = not same
        if or_null:
            not_false = [part for each in conditions for part in _not_false(each)]
            same = dict(list(_equalities(not_false, side, few.relation).items())[:1])
        if not same:
            return None
        keys = self._projected(few.relation, tuple(same.values()))
        return self.planned(side, KeyFilter(tuple(same), keys, or_null))

    def _passed_down(self, needed: KeyFilter | None, columns: Mapping[str, str]) -> KeyFilter | None:
        if needed is None:
            return None
        places = [place for place, column in enumerate(needed.columns) if column in columns]
        if not places:
            return None
        keys = needed.keys
        if len(places) < len(needed.columns):
            keys = self._projected(keys, tuple(column_of(keys.columns[place]) for place in places))
        return KeyFilter(tuple(columns[needed.columns[place]] for place in places), keys, needed.or_null)

    def _projected(self, relation: Relation, items: tuple[Expr, ...]) -> Project:
        if (relation, items) not in self._keys:
            named = tuple((self.names.new(), item) for item in items)
            self._keys[relation, items] = Project(relation, named)
        return self._keys[relation, items]


def _rebuilt(node: Relation, children: list[_Planned]) -> _Planned:
    relations = tuple(child.relation for child in children)
    is_same = all(new is old for new, old in zip(relations, node.children, strict=True))
    return _Planned(node if is_same else node.rebuild(relations), all(child.is_few for child in children))


def _not_false(condition: Expr) -> list[Expr]:
    """What must not be false, of a condition as NOT IN makes it."""
    if not isinstance(condition, exp.Or):
        return []
    known, unknown = condition.this.unnest(), condition.expression.unnest()
    is_so = (
        isinstance(unknown, exp.Is) and unknown.this.unnest() == known and unknown.expression == exp.null()
    )
    return conjuncts(known) if is_so else []


def _equalities(conditions: Iterable[Expr], side: Relation, few: Relation) -> dict[str, Expr]:
    """Columns of ``side`` and what they must be equal to, computed from the few rows."""
    found: dict[str, Expr] = {}
    for condition in conditions:
        same = equal_column(condition, {*side.columns} - {*found}, few.columns)
        if same is not None and same[1].find(exp.Column):
            found[same[0]] = same[1]
    return found
