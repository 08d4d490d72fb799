"""Brute force for change scans: both versions are read in full and subtracted."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests import internals

from headrace.connection import Connection
from headrace.lake.change_scan.changes import (
    CHANGED_BY,
    ROW_ID,
    Changes,
    NoChangeScan,
    find_changes,
)
from headrace.lake.session import LakeSession
from headrace.lake.table.pin import Field
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.model.version import TableVersion

Rows = Counter[tuple[Any, ...]]


@dataclass
class Watched:
    """A table, and each of its states that was noted down."""

    session: LakeSession
    name: TableName
    states: list[Table] = field(default_factory=list)

    @classmethod
    def make(cls, lake: Connection, create: str) -> Watched:
        """``create`` follows CREATE TABLE t."""
        session = internals.session(lake)
        made = cls(session, session.resolve(("t",)))
        made.run(f"CREATE TABLE t {create}")
        return made

    def run(self, statement: str) -> TableVersion:
        self.session.spark.sql(statement)
        return self.note()

    def note(self) -> TableVersion:
        self.states.append(self.load())
        return self.states[-1].version

    def load(self) -> Table:
        return self.session.catalog.existing_table(self.name)

    def writable(self) -> Any:
        """Iceberg's table; what is committed through it does not move the states noted down."""
        loaded = self.session.catalog._load(self.name)
        assert loaded is not None
        return loaded.java

    def changes(self, since: TableVersion) -> Changes | NoChangeScan:
        return find_changes(self.session, self.load(), since)

    def reason(self, since: TableVersion) -> str:
        found = self.changes(since)
        assert isinstance(found, NoChangeScan)
        return found.reason

    def check(self, *pairs: tuple[int, int]) -> list[Changes]:
        """Compares the changes between noted states with brute force; all pairs with one query."""
        pairs = pairs or tuple((i, len(self.states) - 1) for i in range(len(self.states)))
        found = []
        for before, after in pairs:
            changes = find_changes(self.session, self.states[after], self.states[before].version)
            assert isinstance(changes, Changes), changes
            found.append(changes)
        scanned = scan_all(self.session, found)
        everything = self._versions({state for pair in pairs for state in pair})
        for (before, after), changes, scan in zip(pairs, found, scanned, strict=True):
            expected = self._difference(everything, before, after, changes.has_row_id)
            assert scan.net == expected, (before, after)
            assert scan.added <= changes.estimate.rows_added, (before, after)
            assert scan.removed <= changes.estimate.rows_removed, (before, after)
            assert not (changes.estimate.insert_only and scan.removed), (before, after)
        return found

    def _difference(self, versions: dict[int, list[Any]], before: int, after: int, lineage: bool) -> Rows:
        fields = self.states[after].fields
        rows: Rows = Counter()
        for state, weight in ((after, 1), (before, -1)):
            for row in versions[state]:
                rows[(*self._projected(row, state, fields), *([row["id"]] if lineage else []))] += weight
        return Counter({row: weight for row, weight in rows.items() if weight})

    def _projected(self, row: Any, state: int, fields: tuple[Field, ...]) -> list[Any]:
        written = {f.id: row["row"][f.name] for f in self.states[state].snapshot_fields}
        return [written.get(f.id, f.initial_default) for f in fields]

    def _versions(self, states: set[int]) -> dict[int, list[Any]]:
        lineage = self.load().java.operations().current().formatVersion() >= 3
        queries: dict[str, list[str]] = {}
        for state in states:
            snapshot = self.states[state].version.snapshot_id
            if snapshot is not None:
                queries.setdefault(repr(self.states[state].snapshot_fields), []).append(
                    f"SELECT {state} AS state, struct(*) AS row, {ROW_ID if lineage else 'NULL'} AS id "
                    f"FROM {self.name.sql} VERSION AS OF {snapshot}"
                )
        found: dict[int, list[Any]] = {state: [] for state in states}
        for group in queries.values():
            for row in self.session.spark.sql(" UNION ALL ".join(group)).collect():
                found[row["state"]].append(row)
        return found


@dataclass
class Scan:
    """What was read: rows of either sign, and their summed weights without zeros."""

    added: int = 0
    removed: int = 0
    net: Rows = field(default_factory=Counter)

    def add(self, row: tuple[Any, ...], weight: int) -> None:
        self.added += weight > 0
        self.removed += weight < 0
        self.net[row] += weight
        if not self.net[row]:
            del self.net[row]


def scan_all(session: LakeSession, found: list[Changes]) -> list[Scan]:
    """Each change as the driver reads it, which must be what Spark reads."""
    scanned = {by: [Scan() for _ in found] for by in ("driver", "spark")}
    queries: dict[str, list[str]] = {}
    with contextlib.ExitStack() as staged:
        for index, changes in enumerate(found):
            staged.enter_context(changes)
            columns = repr((changes.has_row_id, changes._table.fields))
            dated = f"SELECT * EXCEPT ({CHANGED_BY})" if changes.has_row_id else "SELECT *"
            read = {"driver": changes.sql(changes.columns), "spark": f"{dated} FROM ({changes.dated_sql})"}
            for by, sql in read.items():
                queries.setdefault(columns, []).append(
                    f"SELECT '{by}' AS by, {index} AS scan, struct(*) AS row FROM ({sql})"
                )
        for group in queries.values():
            for by, scan, row in session.spark.sql(" UNION ALL ".join(group)).collect():
                scanned[by][scan].add(tuple(row[:-1]), row[-1])
    assert scanned["driver"] == scanned["spark"]
    return scanned["driver"]
