"""Where the tables of a lake are, as its database knows: who reaches the lake by that alone needs no more."""

from __future__ import annotations

from sqlalchemy import inspect, select

from headrace.catalog.database_engine import connect
from headrace.catalog.database_errors import database_errors
from headrace.catalog.row_access import Read, Write, insert_on_conflict
from headrace.catalog.schema import lake_places

_WAREHOUSE = "warehouse"
_FIND = select(lake_places).where(lake_places.c.what == _WAREHOUSE)


class WarehouseLocation:
    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def register(self, path: str) -> str:
        """The path that was given first."""
        with self._write() as connection:
            wanted = insert_on_conflict(connection, lake_places).values(what=_WAREHOUSE, path=path)
            connection.execute(wanted.on_conflict_do_nothing())
        with self._read(lake_places, _FIND) as found:
            (row,) = found
            return str(row["path"])


def find_warehouse(url: str) -> str | None:
    """Of the lake whose database that is; None where there is none. Changes nothing."""
    with database_errors():
        engine = connect(url)
        try:
            if not inspect(engine).has_table(lake_places.name):
                return None
            with engine.connect() as connection:
                row = connection.execute(_FIND).first()
                return None if row is None else str(row.path)
        finally:
            engine.dispose()
