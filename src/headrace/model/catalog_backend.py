"""What a lake requires of its Iceberg catalog, whichever kind it is.

The implementations are in ``catalog.backends``. Spark and Iceberg reach the tables by the properties that a
backend gives; Headrace itself asks the backend where each table stands, without a JVM.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from headrace.model.names import TableName

EntryKind: TypeAlias = Literal["TABLE", "VIEW"]


@dataclass(frozen=True)
class Capabilities:
    """What not every Iceberg catalog can do."""

    rename_tables: bool = True
    """Otherwise a dropped table is registered under its new name, and ALTER ... RENAME is refused."""
    views: bool = True
    """Otherwise CREATE VIEW is refused; temporary views belong to Spark."""


class CatalogBackend(Protocol):
    """Any thread may use it."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def spark_properties(self) -> Mapping[str, str]:
        """The properties of the catalog in Spark, without the prefix ``spark.sql.catalog.NAME``.

        The warehouse, and what holds for all catalogs, are added by ``lake.engine``.
        """

    def location(self, name: TableName, kind: EntryKind) -> str | None:
        """Of the newest metadata of a table or view, which every commit moves; None if there is none."""

    def locations(self, kind: EntryKind = "TABLE") -> dict[TableName, str]:
        """Of all of that kind, in one request; none before the catalog was first used."""

    def schemas(self) -> set[tuple[str, str]]:
        """Workspace and name of each schema, those without tables included."""

    def schema_properties(self, workspace: str, schema: str) -> dict[str, str]: ...

    def close(self) -> None: ...
