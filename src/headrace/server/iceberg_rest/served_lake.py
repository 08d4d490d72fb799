"""What of the lake other engines see: schemas, tables and views, as their metadata files have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.errors import NotFound, OperationalError, Refused
from headrace.lake.table.metadata_files import content_of
from headrace.lake.table.tables import TABLE_ID
from headrace.model.catalog_backend import CatalogBackend, EntryKind
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.quoting import show_identifier
from headrace.server.iceberg_rest.served_metadata import Json, served_metadata
from headrace.sql.queries.hiding import is_hidden

_ATTEMPTS = 3
"""To read a metadata file that a commit may have replaced and removed since it was looked up."""


@dataclass(frozen=True)
class Loaded:
    """A table or view as its newest metadata file has it."""

    location: str
    metadata: Json

    @property
    def is_dynamic(self) -> bool:
        return TABLE_ID in self.metadata.get("properties", {})


@dataclass(frozen=True)
class ServedLake:
    heads: CatalogBackend
    dynamic_tables: Callable[[], frozenset[TableName]]
    warehouse: str

    def schemas(self) -> list[str]:
        found = self.heads.schemas()
        return sorted(name for at, name in found if at == DEFAULT_WORKSPACE and not is_hidden(name))

    def schema(self, schema: str) -> dict[str, str]:
        """Its properties."""
        if schema not in self.schemas():
            raise NotFound(f"schema {show_identifier(schema)} does not exist")
        return self.heads.schema_properties(DEFAULT_WORKSPACE, schema)

    def names(self, schema: str, kind: EntryKind) -> list[str]:
        self.schema(schema)
        return sorted(
            name.table
            for name in self.heads.locations(kind)
            if (name.workspace, name.schema) == (DEFAULT_WORKSPACE, schema)
        )

    def location(self, name: TableName, kind: EntryKind) -> str:
        """Of the newest metadata file, which every commit moves."""
        found = None if is_hidden(name.schema) else self.heads.location(name, kind)
        if found is None:
            raise NotFound(f"{kind.lower()} {name} does not exist")
        return found

    def table(self, name: TableName) -> Loaded:
        """Of a dynamic table without hidden columns."""
        found = self.load(name, "TABLE")
        is_dynamic = found.is_dynamic or name in self.dynamic_tables()
        return Loaded(found.location, served_metadata(found.metadata)) if is_dynamic else found

    def base_table(self, name: TableName) -> Loaded:
        """One that other engines may change."""
        found = self.load(name, "TABLE")
        if found.is_dynamic or name in self.dynamic_tables():
            raise Refused(
                f"{name} is a dynamic table: only a refresh can change it",
                hint="change its sources, or use the statements of Headrace",
            )
        return found

    def load(self, name: TableName, kind: EntryKind) -> Loaded:
        """With all that is in the file."""
        for _ in range(_ATTEMPTS):
            location = self.location(name, kind)
            content = content_at(location)
            if content is not None:
                return Loaded(location, content)
        raise OperationalError(f"the metadata of {name} cannot be read from {location}")


def content_at(location: str) -> Json | None:
    """None if the file is gone, is damaged, or cannot be read here."""
    try:
        return content_of(location)
    except (ValueError, EOFError):
        return None


def with_named_snapshots(metadata: Json) -> Json:
    """Of the snapshots only those that branches and tags name."""
    named = {each["snapshot-id"] for each in metadata.get("refs", {}).values()}
    kept = [each for each in metadata.get("snapshots", []) if each["snapshot-id"] in named]
    return {**metadata, "snapshots": kept}


def load_response(loaded: Loaded) -> dict[str, Any]:
    """No configuration: clients bring their own credentials."""
    return {"metadata-location": loaded.location, "metadata": loaded.metadata, "config": {}}
