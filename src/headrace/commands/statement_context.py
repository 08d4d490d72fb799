"""What a statement works with."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from headrace.commands.open_lake import OpenLake
from headrace.errors import NotFound, OperationalError, Refused
from headrace.features.streams.model import TableStream
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.refresh.context import RefreshContext
from headrace.sql.parsing.statements import Name


class Tables(Protocol):
    def table(self, name: TableName, *, view_is: str, hint: str) -> Table: ...


@dataclass(frozen=True)
class StatementContext:
    """One connection's view of its lake."""

    lake: OpenLake
    session: LakeSession
    user: str = field(default_factory=getpass.getuser)

    @property
    def query_tag(self) -> str | None:
        """What the user has given with ``SET query_tag = ...``."""
        return self.session.setting("query_tag")

    def now(self) -> datetime:
        return self.lake.clock()

    @property
    def refresh_context(self) -> RefreshContext:
        return RefreshContext(
            self.lake.store,
            self.lake.catalog_session.catalog,
            self.lake.borrow_session,
            self.lake.clock,
            self.lake.settings,
            self.lake.layouts,
            self.lake.nested,
            self.lake.compacts,
        )

    def resolve(self, name: Name) -> TableName:
        return self.session.resolve(name.parts)

    def table(self, name: TableName, *, view_is: str, hint: str) -> Table:
        """The table of that name, a dynamic one or not; what a view is instead is told with ``hint``."""
        catalog = self.session.catalog
        found = catalog.table(name)
        if found is not None:
            return found
        if catalog.view(name) is not None:
            raise Refused(f"{name} is a view{view_is}", hint=hint)
        if (stream := self.lake.store.streams.find(name)) is not None:
            raise Refused(f"{name} is a table stream", hint=f"its table is {stream.source}")
        raise NotFound(f"table {name} does not exist", hint="SHOW TABLES lists all tables").of(*name.parts)

    def find_dynamic_table(self, name: Name) -> DynamicTable | None:
        return self.lake.store.definitions.find(self.resolve(name))

    @contextmanager
    def alone_with(self, name: Name, instead: str | None = None) -> Iterator[DynamicTable]:
        """The dynamic table of that name, as it is once whoever works on it has ended."""
        found = self.dynamic_table(name, instead)
        with self.lake.alone_with(found):
            current = self.dynamic_table(name, instead)
            if current.id != found.id:
                raise OperationalError(
                    f"{found.name} was concurrently dropped and created again", hint="try again"
                )
            yield current

    def dynamic_table(self, name: Name, instead: str | None = None) -> DynamicTable:
        """The dynamic table of that name; ``instead`` is the statement for a ``{kind}`` that is none."""
        full_name = self.resolve(name)
        found = self.lake.store.definitions.find(full_name)
        if found is not None:
            return found
        self._refuse_other(full_name, "dynamic table", instead)
        raise NotFound(
            f"dynamic table {full_name} does not exist", hint="SHOW DYNAMIC TABLES lists all dynamic tables"
        ).of(*full_name.parts)

    def table_stream(self, name: Name, instead: str | None = None) -> TableStream:
        """The table stream of that name; ``instead`` is the statement for a ``{kind}`` that is none."""
        full_name = self.resolve(name)
        found = self.lake.store.streams.find(full_name)
        if found is not None:
            return found
        self._refuse_other(full_name, "table stream", instead)
        raise NotFound(
            f"table stream {full_name} does not exist", hint="SHOW TABLE STREAMS lists all table streams"
        ).of(*full_name.parts)

    def _refuse_other(self, name: TableName, wanted: str, instead: str | None) -> None:
        kind = self.kind_of(name)
        if kind is not None:
            hint = f"use {instead.format(kind=kind.upper(), name=name)}" if instead else None
            raise Refused(f"{name} is a {kind}, not a {wanted}", hint=hint)

    def kind_of(self, name: TableName) -> str | None:
        """What has the name, in words; None if it is free."""
        store, catalog = self.lake.store, self.session.catalog
        if store.definitions.find(name) is not None:
            return "dynamic table"
        if store.streams.find(name) is not None:
            return "table stream"
        if catalog.table(name) is not None:
            return "table"
        return "view" if catalog.view(name) is not None else None
