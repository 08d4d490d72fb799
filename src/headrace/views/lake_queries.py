"""What the lake holds and what happened in it, by its databases and metadata files alone: without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from headrace.catalog.store import MetadataStore
from headrace.errors import NotFound
from headrace.features.pipes.model import Pipe
from headrace.features.syncs.model import Sync
from headrace.lake.lookup.lake_indexes import LakeIndexes
from headrace.lake.table.metadata_files import Head, MetadataFiles
from headrace.lake.table.object_metadata import ObjectMetadata
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.clock import Clock, system_clock
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh
from headrace.model.job import Job
from headrace.model.key_index import IndexUsage
from headrace.model.names import DEFAULT_WORKSPACE, HIDDEN_SCHEMAS, TableName
from headrace.model.near_names import did_you_mean, near_names
from headrace.model.position import Position
from headrace.refresh.condition import Condition, LakeState, conditions
from headrace.refresh.record import REFRESH_ID
from headrace.views.column_lineage import ColumnLineage, Direction, column_graph
from headrace.views.costs import CostRow, costs
from headrace.views.dynamic_tables import DynamicTableView
from headrace.views.graph import GraphFacts, LakeGraph, lake_graph
from headrace.views.jobs import JobDetails, all_jobs, job_details
from headrace.views.key_indexes import KeyIndexRow, key_index_rows
from headrace.views.lake_state import lake_state
from headrace.views.lineage import DynamicTableNode, Lineage, SourceNode, edge
from headrace.views.objects import ObjectType, ObjectView, SchemaView
from headrace.views.plan_tree import plan_trees
from headrace.views.refreshes import RefreshView
from headrace.views.view_edges import ViewText

NextRefreshes = Callable[[list[DynamicTable]], Mapping[TableName, datetime | None]]


@dataclass(frozen=True)
class LakeQueries:
    store: MetadataStore
    heads: CatalogBackend
    files: MetadataFiles
    zone: ZoneInfo
    index_directory: Path
    clock: Clock = system_clock
    metadata: ObjectMetadata = field(default_factory=ObjectMetadata)

    @property
    def indexes(self) -> LakeIndexes:
        return LakeIndexes(
            self.index_directory, lambda: self.files.histories(self.heads.locations(), REFRESH_ID)
        )

    def index_usage(self) -> IndexUsage:
        return self.indexes.usage()

    def key_indexes(self) -> list[KeyIndexRow]:
        return key_index_rows(self.indexes.all())

    def conditions(self, wanted: Iterable[TableName] | None = None) -> dict[TableName, Condition]:
        """Of the wanted dynamic tables; without any given, of all."""
        return conditions(self._state(self.heads.locations()), self.clock(), wanted)

    def _state(self, locations: Mapping[TableName, str]) -> LakeState:
        return lake_state(self.store.definitions, self.store.refresh_outcomes, locations, self.files)

    def objects(self) -> dict[TableName, ObjectType]:
        """Kind of each."""
        dynamic = self.store.definitions.names()
        found: dict[TableName, ObjectType] = {
            name: "dynamic table" if name in dynamic else "table" for name in self.heads.locations()
        }
        found |= dict.fromkeys(self.heads.locations("VIEW"), "view")
        return {name: kind for name, kind in found.items() if name.schema not in HIDDEN_SCHEMAS}

    def _head(self, location: str | None) -> Head | None:
        return self.files.head(location, REFRESH_ID) if location is not None else None

    def schemas(self) -> list[SchemaView]:
        return [SchemaView(*each) for each in sorted(self.heads.schemas()) if each[1] not in HIDDEN_SCHEMAS]

    def objects_in(self, workspace: str, schema: str) -> list[ObjectView]:
        found = sorted(self.objects().items())
        return [
            ObjectView(name.table, kind)
            for name, kind in found
            if (name.workspace, name.schema) == (workspace, schema)
        ]

    def dynamic_tables(self, due: NextRefreshes) -> list[DynamicTableView]:
        """``due`` tells when each is refreshed next."""
        last = self.store.refreshes.latest_of_all()
        return self._views(self.store.definitions.all(), due, last.get)

    def dynamic_table(self, name: TableName, due: NextRefreshes) -> DynamicTableView:
        found = self.store.definitions.find(name)
        if found is None:
            raise NotFound(f"dynamic table {name} does not exist")
        (view,) = self._views([found], due, self.store.refreshes.latest)
        return view

    def _views(
        self, tables: list[DynamicTable], due: NextRefreshes, last: Callable[[str], Refresh | None]
    ) -> list[DynamicTableView]:
        """``last`` is the last refresh of a table, by its id."""
        locations, moments = self.heads.locations(), due(tables)
        found = conditions(self._state(locations), self.clock(), [table.name for table in tables])
        return [
            DynamicTableView.of(
                table,
                found[table.name],
                self._head(locations.get(table.name)),
                last(table.id),
                moments[table.name],
            )
            for table in tables
        ]

    def costs(self, since: datetime | None) -> list[CostRow]:
        heads = self.files.heads(self.heads.locations(), REFRESH_ID)
        refreshes = self.store.refreshes.history(since=since)
        return costs(refreshes, self.store.profiles, heads, self.indexes.all(), self.zone)

    def lineage(self) -> Lineage:
        locations = self.heads.locations()
        state = self._state(locations)
        tables, found = state.tables, conditions(state, self.clock())
        sources = {source.name for table in tables.values() for source in table.definition.sources}
        gone, last = _gone(sources, locations), self.store.refreshes.latest_of_all()
        return Lineage(
            tuple(
                DynamicTableNode.of(tables[name], found[name], last.get(tables[name].id))
                if name in tables
                else SourceNode(str(name), "table", name not in gone)
                for name in sorted(tables.keys() | sources)
            ),
            tuple(
                edge(source.name, table.name)
                for table in sorted(tables.values(), key=lambda table: table.name)
                for source in table.definition.sources
            ),
        )

    def graph(self) -> LakeGraph:
        locations = self.heads.locations()
        state = self._state(locations)
        last = self.store.refreshes.latest_of_all()
        return lake_graph(
            GraphFacts(
                tables=state.tables,
                conditions=conditions(state, self.clock()),
                last_refreshes={
                    name: last[table.id] for name, table in state.tables.items() if table.id in last
                },
                streams={stream.name: stream for stream in self.store.streams.all()},
                tasks=[(task, self.store.task_runs.latest(task.id)) for task in self.store.tasks.all()],
                existing=frozenset(self.objects()),
                views=self._view_texts(),
                pipes=self.pipes(),
                syncs=self.syncs(),
            )
        )

    def pipes(self) -> list[Pipe]:
        return self.store.pipes.all()

    def syncs(self) -> list[Sync]:
        return self.store.syncs.all()

    def sync(self, name: TableName) -> Sync:
        found = self.store.syncs.find(name)
        if found is None:
            raise NotFound(f"sync {name} does not exist")
        return found

    def pipe(self, name: TableName) -> Pipe:
        found = self.store.pipes.find(name)
        if found is None:
            raise NotFound(f"pipe {name} does not exist")
        return found

    def _view_texts(self) -> dict[TableName, ViewText]:
        """Of those whose metadata can be read."""
        found = {
            name: self.metadata.view(location) for name, location in self.heads.locations("VIEW").items()
        }
        return {
            name: ViewText(view.sql, view.schema or name.schema)
            for name, view in found.items()
            if view is not None
        }

    def column_lineage(self, table: TableName, column: str | None, direction: Direction) -> ColumnLineage:
        """Of one column, or of all columns of a table."""
        graph = column_graph(self.store.definitions.all())
        return graph.lineage(graph.start(str(table), column), direction)

    def definitions(self) -> list[DynamicTable]:
        return self.store.definitions.all()

    def refreshes(self, table: TableName | None, limit: int) -> list[RefreshView]:
        """Newest first; of a table that was dropped too, as long as it is kept."""
        return [RefreshView.of(row) for row in self.refreshes_of(table)(None, limit)]

    def refreshes_of(self, table: TableName | None) -> Callable[[Position | None, int], Sequence[Refresh]]:
        """Of one table or of all: the refreshes after a position, so many at most."""
        name = None if table is None else self._with_history(table)
        return lambda position, count: self.store.refreshes.history(name, count, position)

    def jobs(self, position: Position | None, count: int) -> Sequence[Job]:
        return all_jobs(self.store, count, position)

    def job(self, job_id: str, user: str) -> JobDetails:
        found = job_details(job_id, self.store, user)
        profile = self.store.profiles.find(job_id) if found.plans else None
        return found if profile is None else replace(found, plan_trees=plan_trees(profile))

    def _with_history(self, wanted: TableName) -> TableName:
        """The dynamic table that is meant, whatever the case of its name."""
        names = self.store.definitions.names()
        if wanted in names or self.store.refreshes.history(wanted, 1):
            return wanted
        typed = [part.lower() for part in wanted.parts]
        alike = [name for name in names if [part.lower() for part in name.parts] == typed]
        if len(alike) == 1:
            return alike[0]
        raise NotFound(
            f"dynamic table {wanted} does not exist",
            hint=did_you_mean(near_names(wanted, names)) or "`headrace graph` lists all dynamic tables",
        )


def _gone(sources: set[TableName], locations: Mapping[TableName, str]) -> set[TableName]:
    """Those that do not exist; what other workspaces have is not known here."""
    return {name for name in sources - locations.keys() if name.workspace == DEFAULT_WORKSPACE}
