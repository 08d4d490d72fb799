"""Rows of things that have an identity of their own and a name in a schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import ColumnElement, Table, delete, exc, insert, select, update

from headrace.catalog.row_access import Read, Write, named
from headrace.catalog.rows import Row
from headrace.errors import AlreadyExists, NotFound
from headrace.model.names import TableName


class Named(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def name(self) -> TableName: ...


T = TypeVar("T", bound=Named)


class NamedRows(Generic[T]):
    """Each method is one transaction."""

    def __init__(
        self,
        write: Write,
        read: Read,
        table: Table,
        kind: str,
        to_row: Callable[[T], dict[str, Any]],
        from_row: Callable[[Row], T],
    ) -> None:
        """``kind`` is what errors call one."""
        self._write = write
        self._read = read
        self._table = table
        self._kind = kind
        self._to_row = to_row
        self._from_row = from_row

    def create(self, item: T) -> None:
        with self._write() as connection:
            try:
                connection.execute(insert(self._table).values(self._to_row(item)))
            except exc.IntegrityError as error:
                raise AlreadyExists(f"{self._kind} {item.name} already exists") from error.orig

    def find(self, name: TableName) -> T | None:
        """Names are found in any case, unless one is spelled exactly so."""
        exact = next(iter(self._where(named(self._table, name))), None)
        if exact is not None:
            return exact
        lowered = [part.lower() for part in name.parts]
        alike = [item for item in self.all() if [part.lower() for part in item.name.parts] == lowered]
        return alike[0] if len(alike) == 1 else None

    def all(self) -> list[T]:
        return self._where()

    def in_schema(self, workspace: str, schema: str) -> list[T]:
        return self._where(self._table.c.workspace == workspace, self._table.c.schema == schema)

    def drop(self, item: T) -> None:
        with self._write() as connection:
            dropped = connection.execute(delete(self._table).where(self._table.c.id == item.id))
            self._expect_one(item, dropped.rowcount)

    def _update(self, item: T, values: dict[str, Any]) -> None:
        with self._write() as connection:
            change = update(self._table).where(self._table.c.id == item.id).values(values)
            self._expect_one(item, connection.execute(change).rowcount)

    def _expect_one(self, item: T, count: int) -> None:
        if count != 1:
            raise NotFound(f"{self._kind} {item.name} does not exist")

    def _where(self, *conditions: ColumnElement[bool]) -> list[T]:
        with self._read(self._table, select(self._table).where(*conditions)) as found:
            return sorted((self._from_row(row) for row in found), key=lambda item: item.name)
