"""A query as relational operators.

Columns have names that are unique within a query (``c1``, ``c2``, ...), so expressions name them without
saying whose they are. Expressions are sqlglot's. A relation refuses to be built wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sqlglot import exp

from headrace.model.names import TableName

Expr: TypeAlias = exp.Expr
Item: TypeAlias = tuple[str, Expr]
"""A column and what it is computed from."""


class Version(StrEnum):
    OLD = "old"
    NEW = "new"
    CHANGE = "change"
    """Rows with a weight: 1 inserted, -1 deleted."""


class JoinKind(StrEnum):
    INNER = "inner"
    LEFT = "left"
    SEMI = "semi"
    ANTI = "anti"


class SetKind(StrEnum):
    INTERSECT = "intersect"
    EXCEPT = "except"


@dataclass(frozen=True, eq=False)
class Scan:
    """One occurrence of a table."""

    table: TableName
    fields: tuple[tuple[str, str], ...]
    """Column and the name it has in the table."""
    version: Version = Version.NEW
    weight: str | None = None
    """The weight's column, of a change only."""

    def __post_init__(self) -> None:
        if (self.weight is not None) != (self.version is Version.CHANGE):
            raise ValueError("a change has a weight, a version has none")

    @property
    def columns(self) -> tuple[str, ...]:
        own = tuple(column for column, _ in self.fields)
        return own if self.weight is None else (*own, self.weight)


@dataclass(frozen=True, eq=False)
class Constant:
    """Rows that depend on no table: VALUES, range(), a SELECT without FROM."""

    source: Expr
    """What stands in FROM, without an alias."""
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Project:
    child: Relation
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        _distinct(self.columns)
        for _, expression in self.items:
            _known(expression, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for column, _ in self.items)


@dataclass(frozen=True, eq=False)
class Filter:
    child: Relation
    condition: Expr

    def __post_init__(self) -> None:
        _known(self.condition, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


@dataclass(frozen=True, eq=False)
class Join:
    left: Relation
    right: Relation
    kind: JoinKind
    condition: Expr | None = None
    """None: every pair matches."""

    def __post_init__(self) -> None:
        _distinct((*self.left.columns, *self.right.columns))
        if self.condition is not None:
            _known(self.condition, (*self.left.columns, *self.right.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return self.left.columns
        return (*self.left.columns, *self.right.columns)


@dataclass(frozen=True, eq=False)
class Aggregate:
    """Without keys: exactly one row. Without measures: DISTINCT."""

    child: Relation
    keys: tuple[Item, ...]
    measures: tuple[Item, ...]

    def __post_init__(self) -> None:
        _distinct(self.columns)
        for _, expression in (*self.keys, *self.measures):
            _known(expression, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for column, _ in (*self.keys, *self.measures))


@dataclass(frozen=True, eq=False)
class Window:
    """The child's columns and window functions over them, all with the same PARTITION BY."""

    child: Relation
    partition: tuple[Expr, ...]
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        _distinct(self.columns)
        for expression in (*self.partition, *(e for _, e in self.items)):
            _known(expression, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *(column for column, _ in self.items))


@dataclass(frozen=True, eq=False)
class UnionAll:
    parts: tuple[Relation, ...]
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.parts or any(len(part.columns) != len(self.columns) for part in self.parts):
            raise ValueError("the parts of a union have the same number of columns")


@dataclass(frozen=True, eq=False)
class SetOperation:
    kind: SetKind
    every: bool
    """ALL: duplicates count."""
    left: Relation
    right: Relation
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        if not len(self.left.columns) == len(self.right.columns) == len(self.columns):
            raise ValueError("both sides of a set operation have the same number of columns")


@dataclass(frozen=True, eq=False)
class Generate:
    """LATERAL VIEW: each row of the child with each row that the generator makes of it."""

    child: Relation
    generator: Expr
    outer: bool
    """Rows for which the generator makes nothing stay, with NULLs."""
    generated: tuple[str, ...]

    def __post_init__(self) -> None:
        _distinct(self.columns)
        _known(self.generator, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *self.generated)


Relation: TypeAlias = (
    Scan | Constant | Project | Filter | Join | Aggregate | Window | UnionAll | SetOperation | Generate
)


def _distinct(columns: tuple[str, ...]) -> None:
    if len(set(columns)) != len(columns):
        raise ValueError(f"a column appears twice in {columns}")


def _known(expression: Expr, columns: tuple[str, ...]) -> None:
    unknown = {column.name for column in expression.find_all(exp.Column)} - set(columns)
    if unknown:
        raise ValueError(f"{expression.sql()} names {sorted(unknown)}, which are not among {columns}")
