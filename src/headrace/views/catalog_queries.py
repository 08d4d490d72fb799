"""Objects of the lake with their columns, by databases and metadata files alone: without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headrace.errors import NotFound, OperationalError
from headrace.lake.table.object_metadata import MetadataColumn, ObjectMetadata, TableMetadata
from headrace.model.names import HIDDEN_SCHEMAS, TableName
from headrace.model.near_names import did_you_mean, near_names
from headrace.views.lake_queries import LakeQueries
from headrace.views.object_details import ObjectDetails, table_columns
from headrace.views.pending_changes import StreamView
from headrace.views.search import HitKind, SearchHit, SearchHits, search
from headrace.views.versions import VersionView


@dataclass(frozen=True)
class CatalogQueries:
    lake: LakeQueries
    metadata: ObjectMetadata

    def object(self, name: TableName) -> ObjectDetails:
        location = self.lake.heads.location(name, "TABLE")
        if location is not None and name.schema not in HIDDEN_SCHEMAS:
            dynamic = self.lake.store.definitions.find(name)
            return ObjectDetails.of_table(name, self._table(name, location), dynamic, self.lake.graph())
        location = self.lake.heads.location(name, "VIEW")
        view = None if location is None else self.metadata.view(location)
        if view is None:
            raise self._not_found(name)
        return ObjectDetails.of_view(name, view, self.lake.graph())

    def versions(self, name: TableName) -> list[VersionView]:
        """Newest first."""
        location = self.lake.heads.location(name, "TABLE")
        if location is None:
            raise self._not_found(name)
        is_dynamic = self.lake.store.definitions.find(name) is not None
        return [VersionView.of(each, is_dynamic) for each in self._table(name, location).versions]

    def columns(self) -> dict[TableName, list[MetadataColumn]]:
        """Of all tables and views whose metadata can be read."""
        dynamic = {table.name: table for table in self.lake.store.definitions.all()}
        found: dict[TableName, list[MetadataColumn]] = {}
        for name, location in self.lake.heads.locations().items():
            table = self.metadata.table(location)
            if table is not None and name.schema not in HIDDEN_SCHEMAS:
                found[name] = table_columns(table, dynamic.get(name))
        for name, location in self.lake.heads.locations("VIEW").items():
            view = self.metadata.view(location)
            if view is not None:
                found[name] = list(view.columns)
        return found

    def streams(self) -> list[StreamView]:
        locations = self.lake.heads.locations()
        return [
            StreamView.of(stream, self._known(locations.get(stream.source)))
            for stream in self.lake.store.streams.all()
        ]

    def _known(self, location: str | None) -> TableMetadata | None:
        return None if location is None else self.metadata.table(location)

    def search(self, text: str, limit: int) -> SearchHits:
        return search(text, self._candidates(), limit)

    def _candidates(self) -> Iterator[SearchHit]:
        store = self.lake.store
        for name, kind in self.lake.objects().items():
            yield SearchHit(HitKind(kind), str(name), name.table, f"{name.workspace}.{name.schema}")
        for name in store.streams.names():
            yield SearchHit(HitKind.STREAM, str(name), name.table, f"{name.workspace}.{name.schema}")
        for name, columns in self.columns().items():
            yield from (SearchHit(HitKind.COLUMN, str(name), each.name, str(name)) for each in columns)
        for task in store.tasks.all():
            yield SearchHit(HitKind.TASK, task.name, task.name, task.comment)
        tree = store.files.tree()
        for file in tree.present():
            if not file.is_folder:
                yield SearchHit(HitKind.FILE, file.id, file.name, tree.path_of(file))
        for cluster in store.vclusters.all():
            yield SearchHit(HitKind.CLUSTER, cluster.name, cluster.name, cluster.comment)

    def _table(self, name: TableName, location: str) -> TableMetadata:
        found = self.metadata.table(location)
        if found is None:
            raise OperationalError(
                f"the metadata file of {name} cannot be read", hint="see the log of the server"
            )
        return found

    def _not_found(self, name: TableName) -> NotFound:
        near = near_names(name, self.lake.objects().keys())
        return NotFound(f"table or view {name} does not exist", hint=did_you_mean(near))
