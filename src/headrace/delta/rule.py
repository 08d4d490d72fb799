"""What Headrace knows of the changes of one operator. Each file of ``operators/`` has one, its law on top."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from headrace.algebra.expressions import Item
from headrace.algebra.relation import Relation
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Identified, IdentityContext

Operator = TypeVar("Operator", bound=Relation)


class Rule(ABC, Generic[Operator]):
    @abstractmethod
    def change(self, node: Operator, context: Context) -> Change | None:
        """Computed from the changes of its inputs; None where none of them changes."""

    def affected_keys(self, node: Operator, columns: Sequence[str], context: Context) -> Relation | None:
        """As ``Context.affected_keys``; None is always right."""
        return None

    def key_columns(self, node: Operator) -> tuple[Mapping[str, str], ...]:
        """Of each child: the columns by whose values rows may be left out above or below, by name above.

        Without those rows of a child that have none of some values in such a column, the operator is without
        just those rows that have none of them. Empty is always right.
        """
        return tuple({} for _ in node.children)

    @abstractmethod
    def identity(self, node: Operator, context: IdentityContext) -> Identified | None:
        """What distinguishes its rows; None is always right, and slower to maintain."""

    @abstractmethod
    def obstacle(self, node: Operator) -> str | None:
        """What it is called, if rows inserted below it may take rows of its result away; None if not."""

    @abstractmethod
    def describe(self, node: Operator, description: Description) -> str:
        """A line of EXPLAIN."""

    def has_line(self, node: Operator, description: Description) -> bool:
        """Whether EXPLAIN shows it: not if it has one child and only renames its columns."""
        return True

    def computed(self, node: Operator) -> tuple[Item, ...]:
        """Its columns that are not those of a child, over columns of its children."""
        return ()


def same_columns(columns: Iterable[str]) -> dict[str, str]:
    """Columns that are passed on under their names."""
    return {column: column for column in columns}
