"""Tables that rows can be streamed into, found without Spark."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass

from headrace.errors import LakeDamaged, NotFound, Refused
from headrace.lake.table.write_target import WriteTarget, read_write_target, table_uuid
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.names import DEFAULT_WORKSPACE, HIDDEN_SCHEMAS, TableName


@dataclass(frozen=True)
class FoundTarget:
    name: TableName
    """As the lake spells it."""
    target: WriteTarget


class Targets:
    """Any thread may use it."""

    def __init__(self, catalog: CatalogBackend, dynamic: Callable[[], Collection[TableName]]) -> None:
        """``dynamic``: the names of the dynamic tables."""
        self._catalog = catalog
        self._dynamic = dynamic
        self._read: dict[TableName, tuple[str, WriteTarget]] = {}
        self._lock = threading.Lock()

    def find(self, wanted: TableName) -> FoundTarget:
        name = self._spelled(wanted)
        if name is None or name.schema in HIDDEN_SCHEMAS:
            raise NotFound(f"table {wanted} does not exist", hint=self._hint(wanted))
        if name in self._dynamic():
            raise Refused(f"{name} is a dynamic table: only refreshes write to it")
        location = self._catalog.location(name, "TABLE")
        if location is None:
            raise NotFound(f"table {wanted} does not exist")
        return FoundTarget(name, self._target(name, location))

    def named(self, uuid: str, expected: TableName) -> TableName | None:
        """What the table of this identity is called now; None: it does not exist any more."""
        locations = self._catalog.locations()
        first = [expected] if expected in locations else []
        unread: str | None = None
        for name in [*first, *locations]:
            found = self._uuid(name, locations[name])
            if found == uuid:
                return name
            if found is None:
                unread = locations[name]
        if unread is not None:  # it may be this one
            raise LakeDamaged(f"the metadata of the table cannot be read: {unread}")
        return None

    def _uuid(self, name: TableName, location: str) -> str | None:
        """Of any table: rows may be streamed into others than this one."""
        with self._lock:
            known = self._read.get(name)
        if known is not None and known[0] == location:
            return known[1].uuid
        return table_uuid(location)

    def _spelled(self, wanted: TableName) -> TableName | None:
        if self._catalog.location(wanted, "TABLE") is not None:
            return wanted
        alike = [name for name in self._catalog.locations() if _folded(name) == _folded(wanted)]
        return alike[0] if len(alike) == 1 else None

    def _hint(self, wanted: TableName) -> str | None:
        if wanted.workspace != DEFAULT_WORKSPACE:
            return f"stream writers write to tables of the workspace {DEFAULT_WORKSPACE}"
        if self._catalog.location(wanted, "VIEW") is not None:
            return "it is a view"
        return "create it with CREATE TABLE"

    def _target(self, name: TableName, location: str) -> WriteTarget:
        with self._lock:
            known = self._read.get(name)
        if known is not None and known[0] == location:
            return known[1]
        found = read_write_target(location)
        with self._lock:
            self._read[name] = (location, found)
        return found


def _folded(name: TableName) -> tuple[str, ...]:
    return tuple(part.lower() for part in name.parts)
