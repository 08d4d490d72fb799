"""Iceberg tables and views through Iceberg's own catalog objects: no Spark job, no SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from headrace.errors import NotFound
from headrace.lake.heads import CatalogHeads
from headrace.lake.pin import Field, read_fields
from headrace.lake.spark_errors import spark_errors
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.version import TableVersion

TABLE_ID = "headrace.id"
"""Table property that ties an Iceberg table to the dynamic table it holds the rows of."""


@dataclass(frozen=True)
class Snapshot:
    id: int
    operation: str
    summary: Mapping[str, str]

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
class View:
    name: TableName
    sql: str
    columns: tuple[str, ...]
    workspace: str
    schema: str
    """Where the names inside ``sql`` are looked up."""


class Table:
    """One loaded state of an Iceberg table; it does not follow later commits."""

    def __init__(self, name: TableName, java: Any, jvm: Any) -> None:
        self.name = name
        self._java = java
        self._jvm = jvm
        self._current = java.currentSnapshot()
        self._marked: dict[str, Snapshot | None] = {}
        self.location = str(java.operations().current().metadataFileLocation())
        """Of the metadata file that this state was read from."""

    @cached_property
    def version(self) -> TableVersion:
        snapshot_id = None if self._current is None else self._current.snapshotId()
        return TableVersion(self._java.uuid().toString(), snapshot_id, self._java.schema().schemaId())

    @cached_property
    def snapshot(self) -> Snapshot | None:
        return None if self._current is None else self._snapshot(self._current)

    def snapshot_of(self, snapshot_id: int) -> Snapshot:
        return self._snapshot(self._java.snapshot(snapshot_id))

    def bookkeeping(self, key: str) -> Snapshot | None:
        """The newest snapshot that carries ``key``, looking past rewrites, which change no row."""
        if key not in self._marked:
            self._marked[key] = self._find_marked(key)
        return self._marked[key]

    def _find_marked(self, key: str) -> Snapshot | None:
        for snapshot in self._history():
            if key in snapshot.summary:
                return snapshot
            if snapshot.operation != "replace":
                return None
        return None

    def last_marked(self, key: str) -> Snapshot | None:
        """The newest snapshot that carries ``key``, whatever was written after it."""
        return next((snapshot for snapshot in self._history() if key in snapshot.summary), None)

    def _history(self) -> Iterator[Snapshot]:
        """The current snapshot and those it goes back to, newest first, as far as they are kept."""
        java = self._current
        while java is not None:
            yield self._snapshot(java)
            java = None if java.parentId() is None else self._java.snapshot(java.parentId())

    def has_snapshot(self, snapshot_id: int) -> bool:
        return self._java.snapshot(snapshot_id) is not None

    def _snapshot(self, java: Any) -> Snapshot:
        """All of it in one call: a summary has some thirty entries, and each call takes its time."""
        told = json.loads(self._jvm.org.apache.iceberg.SnapshotParser.toJson(java))
        summary: dict[str, str] = told["summary"]
        operation = summary.pop("operation")
        return Snapshot(told["snapshot-id"], operation, summary)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return self._read(self._java.schema())

    @cached_property
    def snapshot_fields(self) -> tuple[Field, ...]:
        """The schema that reading the current snapshot by its id gives."""
        schema_id = None if self._current is None else self._current.schemaId()
        if schema_id is None or schema_id == self._java.schema().schemaId():
            return self.fields
        return self._read(self._java.schemas().get(schema_id))

    def _read(self, schema: Any) -> tuple[Field, ...]:
        return read_fields(self._jvm.org.apache.iceberg.SchemaParser.toJson(schema))

    def fields_of(self, schema_id: int) -> tuple[Field, ...] | None:
        """Of an older schema; None if it is no longer known."""
        schema = self._java.schemas().get(schema_id)
        return None if schema is None else self._read(schema)

    def fields_at(self, snapshot_id: int | None) -> tuple[Field, ...]:
        """The schema that reading that snapshot by its id gives."""
        snapshot = None if snapshot_id is None else self._java.snapshot(snapshot_id)
        known = None if snapshot is None else self.fields_of(snapshot.schemaId())
        return self.fields if known is None else known

    @property
    def has_row_ids(self) -> bool:
        """Whether Iceberg keeps an identity for each row."""
        return int(self._java.operations().current().formatVersion()) >= 3

    @property
    def java(self) -> Any:
        """Iceberg's own table, at this state; not to be refreshed."""
        return self._java

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    @property
    def properties(self) -> dict[str, str]:
        return dict(self._java.properties())

    @property
    def partitioning(self) -> str:
        return str(self._java.spec().toString())

    def changed_since(self, snapshot_id: int | None) -> bool:
        """Whether a row may differ from ``snapshot_id``: rewrites since then do not count."""
        snapshot = self._current
        while snapshot is not None and snapshot.snapshotId() != snapshot_id:
            if snapshot.operation() != "replace" or snapshot.parentId() is None:
                return True
            snapshot = self._java.snapshot(snapshot.parentId())
        return snapshot is None and snapshot_id is not None

    def first_change_after(self, snapshot_id: int | None) -> datetime | None:
        """When the oldest commit after ``snapshot_id`` was made; None if there is none."""
        if self._current is None or self._current.snapshotId() == snapshot_id:
            return None
        oldest, snapshot = self._current, self._current
        while snapshot is not None and snapshot.snapshotId() != snapshot_id:
            oldest = snapshot
            parent = snapshot.parentId()
            snapshot = None if parent is None else self._java.snapshot(parent)
        return datetime.fromtimestamp(oldest.timestampMillis() / 1000, UTC)

    def set_property(self, key: str, value: str) -> None:
        with spark_errors():
            self._java.updateProperties().set(key, value).commit()

    def commit_nothing(self, summary: Mapping[str, str], branch: str) -> None:
        """A snapshot without a change, for its summary."""
        append = self._java.newFastAppend().toBranch(branch)
        for key, value in summary.items():
            append = append.set(key, value)
        append.commit()


class TableCatalog:
    """Finds tables and views by name, in any workspace of the session.

    A table of the lake's own workspace is loaded again only after a commit.
    """

    def __init__(self, session: SparkSession, heads: CatalogHeads) -> None:
        self._session = session
        self._jvm: Any = session._jvm
        self._heads = heads
        self._catalogs: dict[str, Any] = {}
        self._loaded: dict[TableName, Table] = {}

    def table(self, name: TableName) -> Table | None:
        if name.workspace != DEFAULT_WORKSPACE:
            return self._load(name)
        location = self._heads.location(name, "TABLE")
        if location is None:
            return None
        known = self._loaded.get(name)
        if known is None or known.location != location:
            known = self._load(name)
            if known is not None:
                self._loaded[name] = known
        return known

    def _load(self, name: TableName) -> Table | None:
        try:
            java = self._iceberg(name.workspace).loadTable(self._identifier(name))
        except Py4JJavaError as error:
            if _is_missing(error):
                return None
            with spark_errors():
                raise
        return Table(name, java, self._jvm)

    def existing_table(self, name: TableName) -> Table:
        found = self.table(name)
        if found is None:
            raise NotFound(f"table {name} does not exist")
        return found

    def view(self, name: TableName) -> View | None:
        if name.workspace == DEFAULT_WORKSPACE and self._heads.location(name, "VIEW") is None:
            return None
        try:
            java = self._iceberg(name.workspace).loadView(self._identifier(name))
        except Py4JJavaError as error:
            if _is_missing(error):
                return None
            with spark_errors():
                raise
        version = java.currentVersion()
        return View(
            name,
            java.sqlFor("spark").sql(),
            tuple(
                f.name for f in read_fields(self._jvm.org.apache.iceberg.SchemaParser.toJson(java.schema()))
            ),
            version.defaultCatalog() or name.workspace,
            version.defaultNamespace().toString() or name.schema,
        )

    def tables(self, workspace: str, schema: str) -> list[str]:
        with spark_errors():
            return self._names(self._iceberg(workspace).listTables(self._namespace(schema)))

    def views(self, workspace: str, schema: str) -> list[str]:
        with spark_errors():
            return self._names(self._iceberg(workspace).listViews(self._namespace(schema)))

    def schemas(self, workspace: str) -> list[str]:
        with spark_errors():
            return sorted(
                str(namespace.toString()) for namespace in self._iceberg(workspace).listNamespaces()
            )

    def has_schema(self, workspace: str, schema: str) -> bool:
        with spark_errors():
            return bool(self._iceberg(workspace).namespaceExists(self._namespace(schema)))

    def drop(self, name: TableName) -> bool:
        """Removes the table and its files."""
        self._loaded.pop(name, None)
        with spark_errors():
            return bool(self._iceberg(name.workspace).dropTable(self._identifier(name), True))

    def drop_if_owned(self, name: TableName, table_id: str) -> None:
        """Removes the table unless it is another one than the dynamic table ``table_id``."""
        table = self.table(name)
        if table is not None and table.properties.get(TABLE_ID) == table_id:
            self.drop(name)

    def _iceberg(self, workspace: str) -> Any:
        if workspace not in self._catalogs:
            manager = self._session._jsparkSession.sessionState().catalogManager()
            self._catalogs[workspace] = manager.catalog(workspace).icebergCatalog()
        return self._catalogs[workspace]

    def _identifier(self, name: TableName) -> Any:
        return self._jvm.org.apache.iceberg.catalog.TableIdentifier.of(
            self._namespace(name.schema), name.table
        )

    def _namespace(self, schema: str) -> Any:
        levels = self._session.sparkContext._gateway.new_array(self._jvm.java.lang.String, 1)  # type: ignore[union-attr]
        levels[0] = schema
        return self._jvm.org.apache.iceberg.catalog.Namespace.of(levels)

    def _names(self, identifiers: Any) -> list[str]:
        return sorted(str(identifier.name()) for identifier in identifiers)


def _is_missing(error: Py4JJavaError) -> bool:
    kind = str(error.java_exception.getClass().getSimpleName())
    return kind.startswith(("NoSuchTable", "NoSuchView", "NoSuchNamespace"))
