"""Iceberg tables and views through Iceberg's own catalog objects: no Spark job, no SQL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession

from headrace.errors import NotFound
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.pin import Field, read_fields
from headrace.model.catalog_backend import Capabilities, CatalogBackend, EntryKind
from headrace.model.names import DEFAULT_WORKSPACE, DROPPED_SCHEMA, HIDDEN_SCHEMAS, TableName
from headrace.model.table_history import Commit, TableHistory
from headrace.model.version import TableVersion

TABLE_ID = "headrace.id"
"""Table property that ties an Iceberg table to the dynamic table it holds the rows of."""


_PARTITION_FIELD = re.compile(r"^ *\d+: (.*): ([^:]*)\((\d+)\)$", re.MULTILINE)
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class Snapshot:
    id: int
    operation: str
    summary: Mapping[str, str]
    parent: int | None = None
    made_at: datetime = _EPOCH
    sequence: int = 0

    @property
    def rows(self) -> int:
        """Rows a reader sees. Equality deletes are not counted: Headrace writes none."""
        return self.count("total-records") - self.count("total-position-deletes")

    @property
    def bytes(self) -> int:
        return self.count("total-files-size")

    def count(self, key: str) -> int:
        """A number of the summary, which leaves out zeros."""
        return int(self.summary.get(key, "0"))


@dataclass(frozen=True)
class Versions:
    """Of a table's main line: what was once current, what other branches hold left out."""

    kept: tuple[Snapshot, ...]
    """Newest first."""
    times: tuple[tuple[datetime, int], ...]
    """Which one became current when, oldest first; with a jump back where the table was restored."""
    named: frozenset[int] = frozenset()
    """Those that branches and tags name."""

    def current_at(self, moment: datetime) -> int | None:
        """None before the first version that is still known."""
        return next((version for since, version in reversed(self.times) if since <= moment), None)


@dataclass(frozen=True)
class View:
    name: TableName
    sql: str
    fields: tuple[Field, ...]
    """Its columns, with the types that they had when it was created."""
    comment: str | None
    workspace: str
    schema: str
    """Where the names inside ``sql`` are looked up."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)


class Table:
    """One loaded state of an Iceberg table; it does not follow later commits."""

    def __init__(self, name: TableName, java: Any, reader: Any) -> None:
        self.name = name
        self._java = java
        self._reader = reader
        state: dict[str, Any] = json.loads(reader.state(java))
        self.location = str(state["location"])
        """Of the metadata file that this state was read from."""
        self.directory = str(state["directory"])
        self.properties: dict[str, str] = state["properties"]
        self.partitioning = str(state["partitioning"])
        self.has_row_ids = state["format"] >= 3
        """Whether Iceberg keeps an identity for each row."""
        self.takes_vectors = self.has_row_ids and self.properties.get("write.merge.mode") == "merge-on-read"
        """Whether rows are taken out by deletion vectors, not by writing their files anew."""
        self.versions_kept = int(state["versions_kept"])
        self._newest = [_read_snapshot(snapshot) for snapshot in state["snapshots"]]
        self._schema = str(state["schema"])
        self._snapshot_schema: str | None = state["snapshot_schema"]
        current = self._newest[0].id if self._newest else None
        self.version = TableVersion(str(state["uuid"]), current, state["schema_id"])

    @property
    def java(self) -> Any:
        """Iceberg's own table, at this state; not to be refreshed."""
        return self._java

    @property
    def snapshot(self) -> Snapshot | None:
        return self._newest[0] if self._newest else None

    def snapshot_of(self, snapshot_id: int) -> Snapshot:
        return _read_snapshot(self._reader.snapshot(self._java, snapshot_id))

    def has_snapshot(self, snapshot_id: int) -> bool:
        return self._java.snapshot(snapshot_id) is not None

    def versions(self) -> Versions:
        state = json.loads(self._reader.versions(self._java))
        kept = sorted(map(_read_snapshot, state["snapshots"]), key=lambda each: (each.made_at, each.sequence))
        times = tuple((_moment(millis), version) for millis, version in state["times"])
        return Versions(tuple(reversed(kept)), times, frozenset(state["named"]))

    def bookkeeping(self, key: str) -> Snapshot | None:
        """The newest snapshot that carries ``key``, looking past rewrites, which change no row."""
        return next((snapshot for snapshot in self._newest if key in snapshot.summary), None)

    def last_marked(self, key: str) -> Snapshot | None:
        """The newest snapshot that carries ``key``, whatever was written after it."""
        found = self._reader.lastMarked(self._java, key)
        return None if found is None else _read_snapshot(found)

    def marked_with(self, key: str, value: str) -> Snapshot | None:
        """The newest snapshot that carries ``value`` as ``key``, whatever was written after it."""
        found = self._reader.markedWith(self._java, key, value)
        return None if found is None else _read_snapshot(found)

    def is_marked(self, key: str, value: str) -> bool:
        """Whether any commit that is kept, on whatever branch, carries ``key`` with that value."""
        return bool(self._reader.isMarked(self._java, key, value))

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return read_fields(self._schema)

    @cached_property
    def snapshot_fields(self) -> tuple[Field, ...]:
        """The schema that reading the current snapshot by its id gives."""
        return self.fields if self._snapshot_schema is None else read_fields(self._snapshot_schema)

    def fields_of(self, schema_id: int) -> tuple[Field, ...] | None:
        """Of an older schema; None if it is no longer known."""
        schema = self._reader.schema(self._java, schema_id)
        return None if schema is None else read_fields(schema)

    def fields_at(self, snapshot_id: int | None) -> tuple[Field, ...]:
        """The schema that reading that snapshot by its id gives."""
        snapshot = None if snapshot_id is None else self._java.snapshot(snapshot_id)
        known = None if snapshot is None else self.fields_of(snapshot.schemaId())
        return self.fields if known is None else known

    def reserves_for_partitions(self, column: str, field_id: int) -> bool:
        """Whether partitions have that name already, and not as the values of that field.

        Iceberg names them after columns, and goes on with the old name where a column is renamed.
        """
        named = _PARTITION_FIELD.findall(self.partitioning)
        return any(
            name.lower() == column.lower() and (transform, int(source)) != ("identity", field_id)
            for name, transform, source in named
        )

    @property
    def partition_columns(self) -> dict[str, str]:
        """Columns that the table is partitioned by, and how: ``identity`` by their values, others not."""
        names = {field.id: field.name for field in self.fields}
        named = _PARTITION_FIELD.findall(self.partitioning)
        found = [(names[int(source)], transform) for _, transform, source in named if int(source) in names]
        return dict(sorted(found, key=lambda pair: pair[1] == "identity"))

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def changed_since(self, snapshot_id: int | None) -> bool:
        """Whether a row may differ from ``snapshot_id``: rewrites since then do not count."""
        for snapshot in self._newest:
            if snapshot.id == snapshot_id:
                return False
            if snapshot.operation != "replace" or snapshot.parent is None:
                return True
        return snapshot_id is not None

    def history(self, key: str) -> TableHistory:
        """``key`` is that of the bookkeeping."""
        versions = self.versions()
        snapshots = {snapshot.id: snapshot for snapshot in versions.kept}
        marked = {each: _marked(each, snapshots, key) for each in snapshots}
        refreshed = self.bookkeeping(key)
        fields = () if refreshed is None else self.fields_at(refreshed.id)
        return TableHistory(
            self.version,
            tuple(Commit(each, at, _changes_rows(snapshots.get(each))) for at, each in versions.times),
            {each: found.summary for each, found in marked.items() if found is not None},
            {field.name: field.id for field in self.fields},
            frozenset(field.id for field in fields),
        )

    def set_property(self, key: str, value: str) -> None:
        self.change_properties({key: value})

    def change_properties(self, wanted: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """In one commit."""
        with spark_errors():
            change = self._java.updateProperties()
            for key, value in wanted.items():
                change.set(key, value)
            for key in gone:
                change.remove(key)
            change.commit()


def _marked(snapshot_id: int | None, snapshots: Mapping[int, Snapshot], key: str) -> Snapshot | None:
    """The newest snapshot up to that one that carries ``key``, looking past rewrites."""
    while snapshot_id is not None and (snapshot := snapshots.get(snapshot_id)) is not None:
        if key in snapshot.summary:
            return snapshot
        if snapshot.operation != "replace":
            return None
        snapshot_id = snapshot.parent
    return None


def _changes_rows(snapshot: Snapshot | None) -> bool:
    return snapshot is None or snapshot.operation != "replace" or snapshot.parent is None


def _moment(milliseconds: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)


def _read_snapshot(text: str) -> Snapshot:
    state: dict[str, Any] = json.loads(text)
    summary: dict[str, str] = state["summary"]
    operation = summary.pop("operation")
    return Snapshot(
        state["snapshot-id"],
        operation,
        summary,
        state.get("parent-snapshot-id"),
        _moment(state["timestamp-ms"]),
        state.get("sequence-number", 0),
    )


class TableCatalog:
    """Finds tables and views by name, in any workspace of the session.

    A table of the lake's own workspace is loaded again only after a commit.
    """

    def __init__(self, session: SparkSession, backend: CatalogBackend) -> None:
        self._session = session
        self._backend = backend
        self._readers: dict[str, Any] = {}
        self._loaded: dict[TableName, Table] = {}

    @property
    def capabilities(self) -> Capabilities:
        """Of the lake's own catalog."""
        return self._backend.capabilities

    def table(self, name: TableName) -> Table | None:
        if name.workspace != DEFAULT_WORKSPACE:
            return self._load(name)
        location = self._backend.location(name, "TABLE")
        if location is None:
            return None
        known = self._loaded.get(name)
        if known is None or known.location != location:
            known = self._load(name)
            if known is not None:
                self._loaded[name] = known
        return known

    def table_at(self, table: Table, location: str) -> Table | None:
        """An earlier state of a table, by its metadata file; None if that is gone, or of another table."""
        if location == table.location:
            return table
        with spark_errors():
            reader = self._reader(table.name.workspace)
            java = reader.tableAt(table.java, location)
            found = None if java is None else Table(table.name, java, reader)
        return found if found is not None and found.version.uuid == table.version.uuid else None

    def _load(self, name: TableName) -> Table | None:
        with spark_errors():
            reader = self._reader(name.workspace)
            java = reader.table(name.schema, name.table)
            return None if java is None else Table(name, java, reader)

    def loaded_anew(self, name: TableName) -> Table:
        """A state that nobody else holds, so that it may follow commits."""
        found = self._load(name)
        if found is None:
            raise NotFound(f"table {name} does not exist")
        return found

    def existing_table(self, name: TableName) -> Table:
        found = self.table(name)
        if found is None:
            raise NotFound(f"table {name} does not exist")
        return found

    def view(self, name: TableName) -> View | None:
        if name.workspace == DEFAULT_WORKSPACE and self._backend.location(name, "VIEW") is None:
            return None
        with spark_errors():
            found = self._reader(name.workspace).view(name.schema, name.table)
        if found is None:
            return None
        state = json.loads(found)
        return View(
            name,
            state["sql"],
            read_fields(state["fields"]),
            state["comment"],
            state["workspace"] or name.workspace,
            state["schema"] or name.schema,
        )

    def is_known(self, name: TableName) -> bool:
        """Whether the lake has a table or view of exactly that name; without the JVM."""
        kinds: tuple[EntryKind, ...] = ("TABLE", "VIEW")
        return any(self._backend.location(name, kind) is not None for kind in kinds)

    def alike(self, workspace: str, schema: str, name: str) -> list[str]:
        """Tables and views whose names differ from ``name`` in case at most."""
        with spark_errors():
            return sorted(json.loads(self._reader(workspace).alike(schema, name)))

    def schema_like(self, workspace: str, schema: str) -> str | None:
        """The schema as it is spelled; None if there is none, or if there are several."""
        with spark_errors():
            found = self._reader(workspace).schemaLike(schema)
        return None if found is None else str(found)

    def tables(self, workspace: str, schema: str) -> list[str]:
        with spark_errors():
            return sorted(json.loads(self._reader(workspace).tables(schema)))

    def hidden_tables(self, schema: str) -> list[str]:
        """Of a schema that users do not see; none before it is made."""
        with spark_errors():
            reader = self._reader(DEFAULT_WORKSPACE)
            return sorted(json.loads(reader.tables(schema))) if reader.hasSchema(schema) else []

    def views(self, workspace: str, schema: str) -> list[str]:
        with spark_errors():
            return sorted(json.loads(self._reader(workspace).views(schema)))

    def schemas(self, workspace: str) -> list[str]:
        with spark_errors():
            return sorted(set(json.loads(self._reader(workspace).schemas())) - HIDDEN_SCHEMAS)

    def has_schema(self, workspace: str, schema: str) -> bool:
        if schema in HIDDEN_SCHEMAS:
            return False
        with spark_errors():
            return bool(self._reader(workspace).hasSchema(schema))

    def ensure_schema(self, name: TableName) -> None:
        """That of a table that is to be made."""
        with spark_errors():
            self._reader(name.workspace).ensureSchema(name.schema)

    def drop(self, name: TableName) -> bool:
        """Removes the table and its files."""
        self._loaded.pop(name, None)
        with spark_errors():
            return bool(self._reader(name.workspace).drop(name.schema, name.table))

    def rename(self, name: TableName, new_name: TableName) -> None:
        """Within a workspace; its identity, versions and files stay as they are."""
        self._loaded.pop(name, None)
        with spark_errors():
            reader = self._reader(name.workspace)
            if new_name.schema == DROPPED_SCHEMA:
                reader.ensureSchema(DROPPED_SCHEMA)
            can_rename = name.workspace != DEFAULT_WORKSPACE or self.capabilities.rename_tables
            move = reader.rename if can_rename else reader.reregister
            move(name.schema, name.table, new_name.schema, new_name.table)

    def remove_second_entry(self, name: TableName, dropped_as: TableName, uuid: str) -> None:
        """Of a table whose move was cut short in a catalog that cannot rename.

        The entry among the dropped tables goes: nobody can have committed to the table by that name.
        """
        if self.has(name, uuid) and self.has(dropped_as, uuid):
            self._loaded.pop(dropped_as, None)
            with spark_errors():
                self._reader(dropped_as.workspace).removeEntry(dropped_as.schema, dropped_as.table)

    def purge(self, name: TableName) -> None:
        """Removes the table's files and then the table; can be repeated after a crash."""
        self._loaded.pop(name, None)
        with spark_errors():
            self._reader(name.workspace).purge(name.schema, name.table)

    def expect_own_directories(self, name: TableName) -> None:
        """Before files are deleted that no version of the table names: they may be another table's."""
        if self.table(name) is not None:
            with spark_errors():
                self._reader(name.workspace).expectOwnDirectories(name.schema, name.table)

    def has(self, name: TableName, uuid: str) -> bool:
        """Whether that name stands for the very table that has this identity."""
        table = self.table(name)
        return table is not None and table.version.uuid == uuid

    def drop_if_owned(self, name: TableName, table_id: str) -> None:
        """Removes the table unless it is another one than the dynamic table ``table_id``."""
        table = self.table(name)
        if table is not None and table.properties.get(TABLE_ID) == table_id:
            self.drop(name)

    def iceberg(self, workspace: str) -> Any:
        """Iceberg's own catalog of a workspace, in the JVM."""
        manager: Any = self._session._jsparkSession.sessionState().catalogManager()
        return manager.catalog(workspace).icebergCatalog()

    def _reader(self, workspace: str) -> Any:
        if workspace not in self._readers:
            catalog = self.iceberg(workspace)
            self._readers[workspace] = java_class(self._session, "headrace.catalog.CatalogGateway")(catalog)
        return self._readers[workspace]
