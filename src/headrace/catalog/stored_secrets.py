"""Secrets, of which the database knows the encrypted value alone."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from headrace.catalog.row_access import Read, Write, upsert
from headrace.catalog.schema import secrets
from headrace.errors import NotFound


class Secrets:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def put(self, name: str, sealed: str, now: datetime) -> None:
        """In the place of another one of that name, if there is one."""
        with self._write() as connection:
            upsert(connection, secrets, {"name": name, "sealed": sealed, "changed_at": now})

    def find(self, name: str) -> str | None:
        with self._read(secrets, select(secrets).where(secrets.c.name == name)) as found:
            return next((str(row["sealed"]) for row in found), None)

    def names(self) -> list[str]:
        with self._read(secrets, select(secrets)) as found:
            return sorted(str(row["name"]) for row in found)

    def delete(self, name: str) -> None:
        with self._write() as connection:
            if connection.execute(delete(secrets).where(secrets.c.name == name)).rowcount != 1:
                raise NotFound(
                    f"secret {name} does not exist", hint="`headrace secret list` shows all of them"
                )
