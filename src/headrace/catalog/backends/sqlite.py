"""Iceberg's JDBC catalog in a SQLite file: the catalog of a lake that one process has open at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import exc, make_url

from headrace.catalog.backends.jdbc import JdbcCatalog
from headrace.errors import LakeDamaged


class SqliteCatalog(JdbcCatalog):
    @property
    def connection_properties(self) -> Mapping[str, str]:
        file = Path(make_url(self.url).database or "").as_uri()
        return {"uri": f"jdbc:sqlite:{file}?busy_timeout=30000&journal_mode=WAL&synchronous=FULL"}

    def close(self) -> None:
        """What the JVM left in the database's log goes into the file itself, which then is whole."""
        with suppress(exc.SQLAlchemyError), self._reads.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        super().close()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        with super()._readable():
            try:
                yield
            except exc.DBAPIError as error:
                raise LakeDamaged(
                    f"the catalog of the lake cannot be read ({error.orig})",
                    hint="restore catalog.db from a backup",
                ) from None
