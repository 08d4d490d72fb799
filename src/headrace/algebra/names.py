"""Column names that are unique within a query."""

from __future__ import annotations

import itertools

from headrace.algebra.expressions import column_of
from headrace.algebra.operators.project import Project
from headrace.algebra.relation import Relation


class Names:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def new(self) -> str:
        return f"c{next(self._numbers)}"

    def renamed(self, relation: Relation) -> tuple[Project, dict[str, str]]:
        """The relation under new column names, and which became which."""
        names = {column: self.new() for column in relation.columns}
        return Project(relation, tuple((new, column_of(old)) for old, new in names.items())), names
