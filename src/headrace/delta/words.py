"""A change, operator by operator, in plain words: an indented tree, what is shared told once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from sqlglot import exp

from headrace.algebra.names import column_of
from headrace.algebra.relation import (
    Aggregate,
    Constant,
    Expr,
    Filter,
    Generate,
    Item,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Version,
    Window,
)
from headrace.delta.algebraic import Groups
from headrace.delta.change import Change
from headrace.sql.dialect import HeadraceSpark

ScanWords = Callable[[Scan], str]
_LONGEST = 100


def tell_change(change: Change, scan_words: ScanWords) -> list[str]:
    return list(_Telling(scan_words, change.relation).lines(change.relation))


def tell_growth(groups: Groups, of_child: Change, scan_words: ScanWords) -> list[str]:
    """Of groups that follow their rows by arithmetic."""
    telling = _Telling(scan_words, of_child.relation)
    keys = telling.listed([key for _, key in groups.aggregate.keys])
    states = telling.listed([state.described for state in groups.states])
    top = f"add to groups by {keys}: {states}" if keys else f"add to the single row: {states}"
    return [top, *telling.lines(of_child.relation, depth=1)]


@dataclass
class _Telling:
    scan_words: ScanWords
    root: Relation
    _meanings: dict[str, Expr] = field(default_factory=dict)
    """What each column is, in the names of the tables' columns."""
    _numbers: dict[int, int] = field(default_factory=dict)
    """Of what has been told and occurs again."""

    def __post_init__(self) -> None:
        every = _below(self.root)
        owners = defaultdict(set)
        for scan in every:
            if isinstance(scan, Scan):
                for _, name in scan.fields:
                    owners[name].add(scan.table)
        self._shared_names = {name for name, tables in owners.items() if len(tables) > 1}
        self._signs = {
            id(term): sign
            for union in every
            if isinstance(union, UnionAll) and _is_change(union)
            for term in union.parts
            if (sign := _sign(term)) is not None
        }
        self._uses = Counter(
            id(self._told(child)[0]) for part in every if self._is_told(part) for child in _children(part)
        )
        for part in every:
            self._learn(part)

    def lines(self, relation: Relation, depth: int = 0) -> Iterator[str]:
        relation, sign = self._told(relation)
        start = "  " * depth + {1: "+ ", -1: "- ", None: ""}[sign]
        if id(relation) in self._numbers:
            yield f"{start}[{self._numbers[id(relation)]}] again"
            return
        if self._uses[id(relation)] > 1 and not isinstance(relation, Scan | Constant):
            self._numbers[id(relation)] = len(self._numbers) + 1
            start += f"[{self._numbers[id(relation)]}] "
        yield start + self._words(relation)
        for child in _children(relation):
            yield from self.lines(child, depth + (1 if sign is None else 2))

    def listed(self, expressions: list[Expr]) -> str:
        return _cut(", ".join(self._text(expression) for expression in expressions))

    def _told(self, relation: Relation) -> tuple[Relation, int | None]:
        """What is told in place of operators that only rename columns, and the weight they give its rows."""
        sign = None
        while not self._is_told(relation):
            sign = sign or self._signs.get(id(relation))
            (relation,) = _children(relation)
        return relation, sign or self._signs.get(id(relation))

    def _is_told(self, relation: Relation) -> bool:
        match relation:
            case Project():
                return bool(self._computed(relation))
            case UnionAll():
                return len(relation.parts) > 1
        return True

    def _computed(self, project: Project) -> list[Expr]:
        items = [item for _, item in project.items]
        own = items[:-1] if id(project) in self._signs else items
        return [item for item in own if not isinstance(item, exp.Column) and item.find(exp.Column)]

    def _words(self, relation: Relation) -> str:
        match relation:
            case Scan():
                return self.scan_words(relation)
            case Constant():
                return "rows that depend on no table"
            case Project():
                return f"compute {self.listed(self._computed(relation))}"
            case Filter():
                return f"filter {_cut(self._text(relation.condition))}"
            case Join():
                return self._join(relation)
            case Aggregate():
                return self._aggregate(relation)
            case Window():
                functions = self.listed([item for _, item in relation.items])
                by = f" by {self.listed(list(relation.partition))}" if relation.partition else ""
                return f"window{by}: {functions}"
            case UnionAll():
                if not _is_change(relation):
                    return "union all"
                signs = {self._told(part)[1] for part in relation.parts}
                return "after (+) minus before (-)" if signs == {1, -1} else "sum of changes"
            case SetOperation():
                return f"{relation.kind.value}{' all' if relation.every else ''}"
            case Generate():
                return f"lateral view{' outer' if relation.outer else ''} {self._text(relation.generator)}"
            case _:
                assert_never(relation)

    def _join(self, join: Join) -> str:
        if join.kind is JoinKind.SEMI and Version.CHANGE in _versions(join.right):
            same = _null_safe_keys(join.condition)
            if same:
                return f"only where {self.listed(same)} occurs in the change"
            on = f" on {_cut(self._text(join.condition))}" if join.condition is not None else ""
            return f"only rows that match the change{on}"
        if join.condition is None:
            return "join cross" if join.kind is JoinKind.INNER else f"join {join.kind.value}"
        return f"join {join.kind.value} on {_cut(self._text(join.condition))}"

    def _aggregate(self, aggregate: Aggregate) -> str:
        keys = self.listed([key for _, key in aggregate.keys])
        measures = self.listed([measure for _, measure in aggregate.measures])
        if not measures:
            return f"distinct {keys}"
        return f"group by {keys}: {measures}" if keys else f"aggregate: {measures}"

    def _learn(self, relation: Relation) -> None:
        match relation:
            case Scan():
                for column, name in relation.fields:
                    table = relation.table.table if name in self._shared_names else None
                    self._meanings[column] = exp.column(name, table=table)
            case Project() | Window():
                self._learn_items(relation.items)
            case Aggregate():
                self._learn_items((*relation.keys, *relation.measures))
            case UnionAll():
                self._learn_positions(relation.columns, relation.parts[0].columns)
            case SetOperation():
                self._learn_positions(relation.columns, relation.left.columns)
            case Generate():
                self._learn_items(tuple((column, relation.generator) for column in relation.generated))

    def _learn_items(self, items: tuple[Item, ...]) -> None:
        for column, expression in items:
            self._meanings[column] = self._resolved(expression)

    def _learn_positions(self, columns: tuple[str, ...], given: tuple[str, ...]) -> None:
        self._learn_items(tuple((new, column_of(old)) for new, old in zip(columns, given, strict=True)))

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

    def _text(self, expression: Expr) -> str:
        return self._resolved(expression).sql(dialect=HeadraceSpark)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _children(relation: Relation) -> tuple[Relation, ...]:
    match relation:
        case Scan() | Constant():
            return ()
        case Join() | SetOperation():
            return (relation.left, relation.right)
        case UnionAll():
            return relation.parts
        case Project() | Filter() | Aggregate() | Window() | Generate():
            return (relation.child,)
        case _:
            assert_never(relation)


def _below(relation: Relation) -> list[Relation]:
    """The relation and all it is made of, each once, what something reads before it."""
    found: dict[int, Relation] = {}

    def visit(part: Relation) -> None:
        if id(part) not in found:
            for child in _children(part):
                visit(child)
            found[id(part)] = part

    visit(relation)
    return list(found.values())


def _sign(term: Relation) -> int | None:
    """The weight that a term of a difference gives to rows that had none."""
    last = term.items[-1][1] if isinstance(term, Project) else None
    return {"1": 1, "-1": -1}.get(last.sql()) if isinstance(last, exp.Literal | exp.Neg) else None


def _is_change(union: UnionAll) -> bool:
    versions = _versions(union)
    return len(versions) > 1 or Version.CHANGE in versions


def _versions(relation: Relation) -> set[Version]:
    return {part.version for part in _below(relation) if isinstance(part, Scan)}


def _null_safe_keys(condition: Expr | None) -> list[Expr]:
    """The left sides where ``condition`` is nothing but ``a <=> b AND ...``."""
    parts: list[Expr | None] = [*condition.flatten()] if isinstance(condition, exp.And) else [condition]
    same = [part for part in parts if isinstance(part, exp.NullSafeEQ)]
    return [part.this for part in same] if len(same) == len(parts) else []
