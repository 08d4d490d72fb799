"""Groups that may have lost their least or greatest value: it is computed again from their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from headrace.algebra.operators.scan import Scan
from headrace.delta.key_lookups import KeyedRelation
from headrace.model.names import TableName
from headrace.refresh.build_lookups import Lookups, build_lookups
from headrace.refresh.delta_sql import listed
from headrace.refresh.group_values import GroupLayout
from headrace.refresh.increment import Increment
from headrace.refresh.lost_groups import extremes_of_lost_groups
from headrace.refresh.scans import written
from headrace.refresh.stages import result_mark


@dataclass(frozen=True)
class LostExtremes:
    increment: Increment
    changed_rows: Mapping[TableName, str]
    """What stands for a query of the changed rows of each source."""
    lost: int
    """The stage that gives the keys of the groups."""

    @cached_property
    def lookups(self) -> Lookups:
        """The stages that come next, and find the rows of these groups."""
        return build_lookups(self.increment, self._keyed, self._changes, self.lost + 1)

    def query(self, found: Mapping[Scan, str]) -> str:
        """Keys and extremes, under the names of the table's columns; ``found`` are the rows of the groups."""
        relation, increment = self._keyed.relation, self.increment
        query = written(
            relation,
            relation.columns,
            increment.observed.sources,
            increment.today,
            before=increment.record.versions,
            changes=self._changes,
            found=found,
        )
        names = [*self._keys, *self._groups.extremes]
        return f"SELECT * FROM (\n{query}\n) AS __hr_extremes({listed(names)})"

    @cached_property
    def _keyed(self) -> KeyedRelation:
        increment = self.increment
        return extremes_of_lost_groups(increment.table.name, increment.layout, increment.looked_up)

    @property
    def _changes(self) -> dict[TableName, str]:
        return {**self.changed_rows, self.increment.table.name: result_mark(self.lost)}

    @property
    def _keys(self) -> tuple[str, ...]:
        return self.increment.layout.keys or ()

    @property
    def _groups(self) -> GroupLayout:
        if self.increment.layout.by_groups is None:
            raise ValueError("only groups by arithmetic keep extremes")
        return self.increment.layout.by_groups
