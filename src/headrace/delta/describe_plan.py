"""A change for EXPLAIN, operator by operator: an indented tree in which a shared part is written once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from headrace.algebra.expressions import Expr
from headrace.algebra.operators.constant import Constant
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import Scan
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.algebra.walk import parts_of
from headrace.delta.algebraic import Groups
from headrace.delta.change import Change
from headrace.delta.operators.union_all import is_change
from headrace.delta.rules import rule_of
from headrace.sql.queries.dialect import HeadraceSpark

DescribeScan = Callable[[Scan], str]
_LONGEST = 100


def describe_change(change: Change, describe_scan: DescribeScan) -> list[str]:
    return list(_Plan(describe_scan, change.relation).lines(change.relation))


def describe_group_changes(groups: Groups, of_child: Change, describe_scan: DescribeScan) -> list[str]:
    """Of groups that follow their rows by arithmetic."""
    plan = _Plan(describe_scan, of_child.relation)
    keys = plan.listed([key for _, key in groups.aggregate.keys])
    states = plan.listed([state.described for state in groups.states])
    top = f"add to groups by {keys}: {states}" if keys else f"add to the single row: {states}"
    return [top, *plan.lines(of_child.relation, depth=1)]


def describe_operator(relation: Relation) -> str:
    """Its own line, without those of what it is computed from."""
    return rule_of(relation).describe(relation, _Plan(lambda scan: str(scan.table), relation))


@dataclass
class _Plan:
    describe_scan: DescribeScan
    root: Relation
    _meanings: dict[str, Expr] = field(default_factory=dict)
    """What each column is, in the names of the tables' columns."""
    _numbers: dict[Relation, int] = field(default_factory=dict)
    """Of what has been written and occurs again."""

    def __post_init__(self) -> None:
        parts = parts_of(self.root)
        self._signs = _signs(parts)
        self._uses = Counter(
            self._shown(child)[0] for part in parts if self._has_line(part) for child in part.children
        )
        self._learn_meanings(parts)

    def lines(self, relation: Relation, depth: int = 0) -> Iterator[str]:
        relation, sign = self._shown(relation)
        start = "  " * depth + {1: "+ ", -1: "- ", None: ""}[sign]
        if relation in self._numbers:
            yield f"{start}[{self._numbers[relation]}] again"
            return
        if self._uses[relation] > 1 and not isinstance(relation, Scan | Constant):
            self._numbers[relation] = len(self._numbers) + 1
            start += f"[{self._numbers[relation]}] "
        yield start + rule_of(relation).describe(relation, self)
        for child in relation.children:
            yield from self.lines(child, depth + (1 if sign is None else 2))

    def text(self, expression: Expr) -> str:
        return self._resolved(expression).sql(dialect=HeadraceSpark)

    def listed(self, expressions: Sequence[Expr]) -> str:
        return _cut(", ".join(self.text(expression) for expression in expressions))

    def is_signed_term(self, relation: Relation) -> bool:
        return relation in self._signs

    def sign_of(self, relation: Relation) -> int | None:
        return self._shown(relation)[1]

    def _shown(self, relation: Relation) -> tuple[Relation, int | None]:
        """What is shown in place of operators that only rename columns, and the weight they give its rows."""
        sign = None
        while not self._has_line(relation):
            sign = sign or self._signs.get(relation)
            (relation,) = relation.children
        return relation, sign or self._signs.get(relation)

    def _has_line(self, relation: Relation) -> bool:
        return rule_of(relation).has_line(relation, self)

    def _learn_meanings(self, parts: list[Relation]) -> None:
        shared = _names_of_several_tables(parts)
        for part in parts:
            if isinstance(part, Scan):
                for column, name in part.fields:
                    table = part.table.table if name in shared else None
                    self._meanings[column] = exp.column(name, table=table)
            for column, expression in rule_of(part).computed(part):
                self._meanings[column] = self._resolved(expression)

    def _resolved(self, expression: Expr) -> Expr:
        def resolve(node: Expr) -> Expr:
            meaning = self._meanings.get(node.name) if isinstance(node, exp.Column) else None
            if meaning is None:
                return node
            if isinstance(meaning, exp.Column | exp.Func | exp.Literal | exp.Var):
                return meaning.copy()
            return exp.Paren(this=meaning.copy())

        if isinstance(expression, exp.Column):
            return self._meanings.get(expression.name, expression).copy()
        resolved = expression.copy().transform(resolve)
        text = resolved.sql(dialect=HeadraceSpark)
        return resolved if len(text) <= _LONGEST else exp.Var(this=_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _names_of_several_tables(parts: list[Relation]) -> set[str]:
    owners = defaultdict(set)
    for scan in parts:
        if isinstance(scan, Scan):
            for _, name in scan.fields:
                owners[name].add(scan.table)
    return {name for name, tables in owners.items() if len(tables) > 1}


def _signs(parts: list[Relation]) -> dict[Relation, int]:
    """The weight that each term of a difference gives to rows that had none."""
    unions = (part for part in parts if isinstance(part, UnionAll) and is_change(part))
    return {term: sign for union in unions for term in union.parts if (sign := _sign(term)) is not None}


def _sign(term: Relation) -> int | None:
    last = term.items[-1][1] if isinstance(term, Project) else None
    return {"1": 1, "-1": -1}.get(last.sql()) if isinstance(last, exp.Literal | exp.Neg) else None
