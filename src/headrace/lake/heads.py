"""Where the lake's own tables stand, read from the catalog's database without the JVM.

Every commit moves a table's metadata location, and what a location holds never changes: so long as the
location is the same, so is everything about the table.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path

from headrace.errors import LakeDamaged
from headrace.model.names import TableName

_ALL = (
    "SELECT catalog_name || '.' || table_namespace || '.' || table_name, metadata_location "
    "FROM iceberg_tables ORDER BY 1"
)

_OF_KIND = (
    "SELECT catalog_name, table_namespace, table_name, metadata_location FROM iceberg_tables "
    "WHERE coalesce(iceberg_type, 'TABLE') = ?"
)


class CatalogHeads:
    def __init__(self, catalog_db: Path) -> None:
        self._connection = sqlite3.connect(catalog_db, check_same_thread=False, timeout=30)
        self._lock = threading.Lock()

    def location(self, name: TableName, kind: str) -> str | None:
        """Of a TABLE or VIEW; None if there is none of that name."""
        with self._lock:
            try:
                row = self._connection.execute(
                    "SELECT metadata_location FROM iceberg_tables "
                    "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? "
                    "AND coalesce(iceberg_type, 'TABLE') = ?",
                    (name.workspace, name.schema, name.table, kind),
                ).fetchone()
            except sqlite3.Error as error:
                raise _unreadable(error) from None
        return None if row is None else str(row[0])

    def locations(self, kind: str = "TABLE") -> dict[TableName, str]:
        """Of all tables or views, in one query."""
        with self._lock:
            try:
                known = self._connection.execute(
                    "SELECT 1 FROM sqlite_master WHERE name = 'iceberg_tables'"
                ).fetchone()
                rows = self._connection.execute(_OF_KIND, (kind,)).fetchall() if known else []
            except sqlite3.Error as error:
                raise _unreadable(error) from None
        return {TableName(workspace, schema, table): location for workspace, schema, table, location in rows}

    def close(self) -> None:
        """What the JVM left in the database's log goes into catalog.db itself, which then is whole."""
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


def missing_metadata(catalog_db: Path) -> tuple[int, list[str]]:
    """How many tables and views a catalog has, and those whose newest metadata file is not there."""
    try:
        connection = sqlite3.connect(f"{catalog_db.as_uri()}?mode=ro", uri=True, timeout=30)
        with closing(connection):
            known = connection.execute("SELECT name FROM sqlite_master WHERE name = 'iceberg_tables'")
            rows = connection.execute(_ALL).fetchall() if known.fetchone() else []
    except sqlite3.Error as error:
        raise _unreadable(error) from None
    return len(rows), [name for name, file in rows if not Path(file.removeprefix("file:")).exists()]


def _unreadable(error: sqlite3.Error) -> LakeDamaged:
    return LakeDamaged(
        f"the catalog of the lake cannot be read ({error})", hint="restore catalog.db from a backup"
    )
