"""Iceberg's JDBC catalog: one row per table in a database, which holds where its metadata is.

Every commit moves a table's metadata location, and what a location holds never changes: so long as the
location is the same, so is everything about the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy import String, bindparam, column, func, inspect, select, table, union

from headrace.catalog.database_engine import connect, reading
from headrace.catalog.database_errors import database_errors
from headrace.model.catalog_backend import Capabilities, EntryKind
from headrace.model.names import TableName

_TABLES = table(
    "iceberg_tables",
    *(
        column(name, String)
        for name in ("catalog_name", "table_namespace", "table_name", "metadata_location", "iceberg_type")
    ),
)
_COLUMNS = _TABLES.c
_SCHEMA_PROPERTIES = table(
    "iceberg_namespace_properties",
    *(column(name, String) for name in ("catalog_name", "namespace", "property_key", "property_value")),
)
"""Each schema that was created has at least one."""
_EXISTS = "exists"
"""That of a schema that was created without any."""
_OF_SCHEMA = select(_SCHEMA_PROPERTIES.c.property_key, _SCHEMA_PROPERTIES.c.property_value).where(
    _SCHEMA_PROPERTIES.c.catalog_name == bindparam("workspace"),
    _SCHEMA_PROPERTIES.c.namespace == bindparam("schema"),
)
_SCHEMAS = union(
    select(_SCHEMA_PROPERTIES.c.catalog_name, _SCHEMA_PROPERTIES.c.namespace),
    select(_COLUMNS.catalog_name, _COLUMNS.table_namespace),
)
_OF_KIND = select(
    _COLUMNS.catalog_name, _COLUMNS.table_namespace, _COLUMNS.table_name, _COLUMNS.metadata_location
).where(func.coalesce(_COLUMNS.iceberg_type, "TABLE") == bindparam("kind"))
_ONE = _OF_KIND.where(
    _COLUMNS.catalog_name == bindparam("workspace"),
    _COLUMNS.table_namespace == bindparam("schema"),
    _COLUMNS.table_name == bindparam("table"),
)


class JdbcCatalog(ABC):
    """A ``CatalogBackend``; each database is a subclass."""

    capabilities = Capabilities()

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = connect(url)
        self._reads = reading(self._engine)
        self._exists = False

    @property
    def spark_properties(self) -> Mapping[str, str]:
        return {"type": "jdbc", "jdbc.schema-version": "V1", **self.connection_properties}

    @property
    @abstractmethod
    def connection_properties(self) -> Mapping[str, str]:
        """How the JVM reaches the database."""

    def location(self, name: TableName, kind: EntryKind) -> str | None:
        parameters = {"workspace": name.workspace, "schema": name.schema, "table": name.table, "kind": kind}
        with self._readable(), self._reads.connect() as connection:
            row = connection.execute(_ONE, parameters).first()
        return None if row is None else row.metadata_location

    def locations(self, kind: EntryKind = "TABLE") -> dict[TableName, str]:
        with self._readable(), self._reads.connect() as connection:
            if not (self._exists or inspect(connection).has_table(_TABLES.name)):
                return {}
            self._exists = True
            return {
                TableName(row[0], row[1], row[2]): row[3]
                for row in connection.execute(_OF_KIND, {"kind": kind})
            }

    def schemas(self) -> set[tuple[str, str]]:
        with self._readable(), self._reads.connect() as connection:
            if not inspect(connection).has_table(_SCHEMA_PROPERTIES.name):
                return set()
            return {(row[0], row[1]) for row in connection.execute(_SCHEMAS)}

    def schema_properties(self, workspace: str, schema: str) -> dict[str, str]:
        with self._readable(), self._reads.connect() as connection:
            if not inspect(connection).has_table(_SCHEMA_PROPERTIES.name):
                return {}
            found = connection.execute(_OF_SCHEMA, {"workspace": workspace, "schema": schema})
            return {str(key): str(value) for key, value in found if key != _EXISTS}

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Errors of the database in plain words."""
        with database_errors():
            yield
