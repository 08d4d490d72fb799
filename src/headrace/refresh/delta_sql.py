"""The SQL of an incremental refresh: the change of the table's rows, and where the old rows lie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from headrace.algebra.expressions import column_of
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import WEIGHT, Scan
from headrace.algebra.relation import Relation
from headrace.delta.change import Change
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion
from headrace.refresh.layout import Layout
from headrace.refresh.merge_keys import by_key
from headrace.refresh.merge_rows import net_change
from headrace.refresh.row_positions import positioned_actions, positioned_groups, positioned_rows
from headrace.refresh.scans import written

Changed = Mapping[TableName, str]
"""The query of each source's change."""


@dataclass(frozen=True)
class DeltaSql:
    layout: Layout
    change: Change
    """Of the rows that the layout follows."""
    sources: Mapping[TableName, Table]
    before: Mapping[TableName, TableVersion]
    """The version of each source that the change starts from."""
    today: date
    found: Mapping[Scan, str] = field(default_factory=dict)
    """Queries that stand for scans of which not all rows are needed."""

    def delta(self, changes: Changed) -> str:
        """The table's columns and a weight; for layouts without groups."""
        names = [*(column.name for column in self.layout.columns), WEIGHT]
        items = tuple((c, column_of(c)) for c in (*self.change.columns, self.change.weight))
        return self.query(Project(self.change.relation, items), names, changes)

    def to_apply(self, changes: Changed) -> str:
        """What the merge takes: growth of groups, actions by key, or rows with weights."""
        if self.layout.by_groups is None:
            return self.net(self.delta(changes))
        grown = self.layout.by_groups.groups.change(self.change)
        names = [self.layout.by_groups.growth_names[column] for column in grown.columns]
        return self.query(grown, names, changes)

    def net(self, delta: str) -> str:
        """What the merge takes, for layouts without groups."""
        columns = [column.name for column in self.layout.columns]
        net = net_change(delta, columns)
        return net if self.layout.keys is None else by_key(net, columns, self.layout.keys)

    def with_positions(self, applied: str, old_rows: str, again: str | None = None) -> str:
        """``applied`` is as of ``to_apply``, ``old_rows`` gives the old rows that may be concerned.

        ``again`` gives the keys of groups that may have lost an extreme, and their extremes.
        """
        columns = [column.name for column in self.layout.columns]
        if self.layout.by_groups is not None:
            return positioned_groups(self.layout, applied, old_rows, again)
        if self.layout.keys is not None:
            return positioned_actions(applied, old_rows, columns, self.layout.keys)
        return positioned_rows(applied, old_rows, columns)

    @property
    def columns_of_old(self) -> list[str]:
        """Those of the old rows that are needed to find them, or to compute the new ones."""
        layout = self.layout
        if layout.keys is None:
            return [column.name for column in layout.columns]
        states = layout.by_groups.names.values() if layout.by_groups is not None else ()
        return list(dict.fromkeys([*layout.keys, *states]))

    def query(self, relation: Relation, names: list[str], changes: Changed) -> str:
        """The relation, whose columns get the names."""
        query = written(
            relation,
            relation.columns,
            self.sources,
            self.today,
            before=self.before,
            changes=changes,
            found=self.found,
        )
        return f"SELECT * FROM (\n{query}\n) AS __hr_delta({listed(names)})"


def listed(names: Iterable[str]) -> str:
    return ", ".join(map(quote_identifier, names))
