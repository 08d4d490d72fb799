"""Where the lake's own tables stand, read from the catalog's database without the JVM.

Every commit moves a table's metadata location, and what a location holds never changes: so long as the
location is the same, so is everything about the table.
"""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from headrace.errors import LakeDamaged
from headrace.model.names import TableName


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
                raise LakeDamaged(
                    f"the catalog of the lake cannot be read ({error})",
                    hint="restore catalog.db from a backup",
                ) from None
        return None if row is None else str(row[0])

    def close(self) -> None:
        self._connection.close()
