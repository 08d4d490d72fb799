"""Column names that are unique within a query."""

from __future__ import annotations

from headrace.algebra.expressions import column_of
from headrace.algebra.operators.project import Project
from headrace.algebra.relation import Relation


class Names:
    def __init__(self, used: int = 0) -> None:
        self._used = used

    def new(self) -> str:
        self._used += 1
        return f"c{self._used}"

    def fork(self) -> Names:
        """Gives names that these have not given yet; the same ones each time."""
        return Names(self._used)

    def renamed(self, relation: Relation) -> tuple[Project, dict[str, str]]:
        """The relation under new column names, and which became which."""
        names = {column: self.new() for column in relation.columns}
        return Project(relation, tuple((new, column_of(old)) for old, new in names.items())), names
