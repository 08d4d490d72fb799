"""A query as relational operators.

Columns have names that are unique within a query (``c1``, ``c2``, ...), so expressions name them without
saying whose they are. A relation refuses to be built wrong. It never changes, and is equal only to itself, so
that one that is used in several places is recognised.

``children`` and ``rebuild`` are all that a walk over a query needs to know of an operator.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Self

from headrace.algebra.expressions import Expr, names_in


class Relation(ABC):
    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def children(self) -> tuple[Relation, ...]:
        """What it is computed from."""

    @abstractmethod
    def rebuild(self, children: tuple[Relation, ...]) -> Self:
        """The same operator over other children, as many as it has."""

    def evaluates(self, wanted: Set[str]) -> Iterable[Expr]:
        """What must be computed from the children to give the columns ``wanted``."""
        return ()

    def needed(self, wanted: Set[str]) -> tuple[Set[str], ...]:
        """Of each child, the columns without which it cannot give the columns ``wanted``."""
        named = {name for each in self.evaluates(wanted) for name in names_in(each)}
        return tuple((named | wanted).intersection(child.columns) for child in self.children)

    def only(self, wanted: Set[str], children: tuple[Relation, ...]) -> Relation:
        """The same rows with the columns ``wanted``, and maybe others, over children that have what it needs.

        The order of the columns does not change.
        """
        return self.rebuild(children)

    @abstractmethod
    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        """A query of its columns; ``inputs`` stand in FROM for the children, and for the table of a scan."""


class Leaf(Relation):
    """An operator without children."""

    @property
    def children(self) -> tuple[Relation, ...]:
        return ()

    def rebuild(self, children: tuple[Relation, ...]) -> Self:
        if children:
            raise ValueError(f"{type(self).__name__} has no children")
        return self


@dataclass(frozen=True, eq=False)
class Unary(Relation):
    child: Relation

    @property
    def children(self) -> tuple[Relation, ...]:
        return (self.child,)

    def rebuild(self, children: tuple[Relation, ...]) -> Self:
        (child,) = children
        return replace(self, child=child)


@dataclass(frozen=True, eq=False)
class Binary(Relation):
    left: Relation
    right: Relation

    @property
    def children(self) -> tuple[Relation, ...]:
        return (self.left, self.right)

    def rebuild(self, children: tuple[Relation, ...]) -> Self:
        left, right = children
        return replace(self, left=left, right=right)


def require_distinct(columns: tuple[str, ...]) -> None:
    if len(set(columns)) != len(columns):
        raise ValueError(f"a column appears twice in {columns}")


def require_known(expression: Expr, columns: tuple[str, ...]) -> None:
    unknown = names_in(expression) - set(columns)
    if unknown:
        raise ValueError(f"{expression.sql()} names {sorted(unknown)}, which are not among {columns}")
