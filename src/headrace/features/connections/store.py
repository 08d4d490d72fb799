"""Connections; names are found in any case."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, delete, exc, insert, select

from headrace.catalog.row_access import Read, Write
from headrace.catalog.rows import Row
from headrace.catalog.schema import connections
from headrace.errors import AlreadyExists, NotFound
from headrace.features.connections.model import DatabaseType, SourceConnection, TlsMode


class Connections:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def create(self, connection: SourceConnection) -> None:
        row = asdict(connection) | {
            "key": connection.name.lower(),
            "type": connection.type.value,
            "tls": connection.tls and connection.tls.value,
        }
        with self._write() as transaction:
            try:
                transaction.execute(insert(connections).values(row))
            except exc.IntegrityError as error:
                raise AlreadyExists(f"connection {connection.name} already exists") from error.orig

    def find(self, name: str) -> SourceConnection | None:
        return next(iter(self._where(connections.c.key == name.lower())), None)

    def all(self) -> list[SourceConnection]:
        return self._where()

    def drop(self, name: str) -> None:
        with self._write() as transaction:
            gone = transaction.execute(delete(connections).where(connections.c.key == name.lower()))
            if gone.rowcount != 1:
                raise NotFound(f"connection {name} does not exist")

    def _where(self, *conditions: ColumnElement[bool]) -> list[SourceConnection]:
        with self._read(connections, select(connections).where(*conditions)) as found:
            return sorted((_from_row(row) for row in found), key=lambda each: each.name.lower())


def _from_row(row: Row) -> SourceConnection:
    values: dict[str, Any] = {name: value for name, value in row.items() if name != "key"}
    tls = None if row["tls"] is None else TlsMode(row["tls"])
    return SourceConnection(**values | {"type": DatabaseType(row["type"]), "tls": tls})
