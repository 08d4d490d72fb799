"""Where the lake's own tables stand, read from the Iceberg catalog's database without the JVM.

Every commit moves a table's metadata location, and what a location holds never changes: so long as the
location is the same, so is everything about the table.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import String, bindparam, column, exc, func, inspect, select, table

from headrace.catalog.database_errors import database_errors
from headrace.catalog.engine import connect, reading
from headrace.errors import LakeDamaged
from headrace.model.names import TableName

_TABLES = table(
    "iceberg_tables",
    *(
        column(name, String)
        for name in ("catalog_name", "table_namespace", "table_name", "metadata_location", "iceberg_type")
    ),
)
_COLUMNS = _TABLES.c
_OF_KIND = select(
    _COLUMNS.catalog_name, _COLUMNS.table_namespace, _COLUMNS.table_name, _COLUMNS.metadata_location
).where(func.coalesce(_COLUMNS.iceberg_type, "TABLE") == bindparam("kind"))
_ONE = _OF_KIND.where(
    _COLUMNS.catalog_name == bindparam("workspace"),
    _COLUMNS.table_namespace == bindparam("schema"),
    _COLUMNS.table_name == bindparam("table"),
)
_EVERYTHING = (
    "SELECT catalog_name || '.' || table_namespace || '.' || table_name, metadata_location "
    "FROM iceberg_tables ORDER BY 1"
)


class CatalogHeads:
    """Any thread may use it."""

    def __init__(self, url: str) -> None:
        self._engine = connect(url)
        self._reads = reading(self._engine)
        self._exists = False

    def location(self, name: TableName, kind: str) -> str | None:
        """Of a TABLE or VIEW; None if there is none of that name."""
        parameters = {"workspace": name.workspace, "schema": name.schema, "table": name.table, "kind": kind}
        with self._readable(), self._reads.connect() as connection:
            row = connection.execute(_ONE, parameters).first()
        return None if row is None else row.metadata_location

    def locations(self, kind: str = "TABLE") -> dict[TableName, str]:
        """Of all of that kind, in one query; none before the catalog was first used."""
        with self._readable(), self._reads.connect() as connection:
            if not (self._exists or inspect(connection).has_table(_TABLES.name)):
                return {}
            self._exists = True
            return {
                TableName(row[0], row[1], row[2]): row[3]
                for row in connection.execute(_OF_KIND, {"kind": kind})
            }

    def close(self) -> None:
        """What the JVM left in a SQLite database's log goes into the file itself, which then is whole."""
        if self._engine.dialect.name == "sqlite":
            with suppress(exc.SQLAlchemyError), self._reads.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        self._engine.dispose()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        with database_errors():
            try:
                yield
            except exc.DBAPIError as error:
                if self._engine.dialect.name == "sqlite":
                    raise _unreadable(error.orig) from None
                raise


def missing_metadata(catalog_db: Path) -> tuple[int, list[str]]:
    """How many tables and views a SQLite catalog has, and those whose newest metadata file is not there."""
    try:
        connection = sqlite3.connect(f"{catalog_db.as_uri()}?mode=ro", uri=True, timeout=30)
        with closing(connection):
            known = connection.execute("SELECT name FROM sqlite_master WHERE name = 'iceberg_tables'")
            rows = connection.execute(_EVERYTHING).fetchall() if known.fetchone() else []
    except sqlite3.Error as error:
        raise _unreadable(error) from None
    return len(rows), [name for name, file in rows if not Path(file.removeprefix("file:")).exists()]


def missing_metadata_in(url: str) -> tuple[int, list[str]]:
    """The same of any database, as far as the files are on this machine."""
    heads = CatalogHeads(url)
    try:
        every = heads.locations() | heads.locations("VIEW")
    finally:
        heads.close()
    files = {str(name): Path(at.removeprefix("file:")) for name, at in every.items()}
    return len(every), [name for name, file in files.items() if file.is_absolute() and not file.exists()]


def _unreadable(error: BaseException | None) -> LakeDamaged:
    return LakeDamaged(
        f"the catalog of the lake cannot be read ({error})", hint="restore catalog.db from a backup"
    )
