"""Columns, versions and properties of tables and views, read off their metadata files without the JVM."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, TypeVar

from headrace.lake.table.metadata_files import content_of
from headrace.lake.table.pin import sql_type
from headrace.lake.table.tables import Snapshot

T = TypeVar("T", "TableMetadata", "ViewMetadata")
_MOST_KEPT = 5_000
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class MetadataColumn:
    name: str
    type: str
    comment: str | None
    is_required: bool


@dataclass(frozen=True)
class TableMetadata:
    columns: tuple[MetadataColumn, ...]
    properties: Mapping[str, str]
    partitioned_by: tuple[str, ...]
    format_version: int
    location: str
    modified_at: datetime
    versions: tuple[Snapshot, ...]
    """Newest first: what was once current, as far back as it is kept."""

    @property
    def current(self) -> Snapshot | None:
        return self.versions[0] if self.versions else None


@dataclass(frozen=True)
class ViewMetadata:
    columns: tuple[MetadataColumn, ...]
    properties: Mapping[str, str]
    sql: str
    modified_at: datetime
    schema: str | None = None
    """That it was created in: names in its query are seen from there."""


class ObjectMetadata:
    """Any thread may use it. A metadata file never changes, so what was read once stays known."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, TableMetadata | ViewMetadata] = OrderedDict()
        self._lock = Lock()

    def table(self, location: str) -> TableMetadata | None:
        """None where the file cannot be read here, or is damaged."""
        found = self._find(location, _table)
        return found if isinstance(found, TableMetadata) else None

    def view(self, location: str) -> ViewMetadata | None:
        found = self._find(location, _view)
        return found if isinstance(found, ViewMetadata) else None

    def _find(
        self, location: str, read: Callable[[dict[str, Any]], T]
    ) -> TableMetadata | ViewMetadata | None:
        with self._lock:
            known = self._known.get(location)
        if known is not None:
            return known
        try:
            content = content_of(location)
            found = None if content is None else read(content)
        except (ValueError, KeyError, TypeError, EOFError, StopIteration):
            return None
        if found is not None:
            with self._lock:
                self._known[location] = found
                while len(self._known) > _MOST_KEPT:
                    self._known.popitem(last=False)
        return found


def _table(content: dict[str, Any]) -> TableMetadata:
    schema = _by_id(content["schemas"], "schema-id", content["current-schema-id"])
    return TableMetadata(
        _columns(schema["fields"]),
        dict(content.get("properties", {})),
        _partitioned_by(content, schema["fields"]),
        int(content.get("format-version", 1)),
        str(content.get("location", "")),
        _moment(content.get("last-updated-ms", 0)),
        _versions(content),
    )


def _view(content: dict[str, Any]) -> ViewMetadata:
    version = _by_id(content["versions"], "version-id", content["current-version-id"])
    schema = _by_id(content["schemas"], "schema-id", version["schema-id"])
    sql = next(each["sql"] for each in version["representations"] if each["type"] == "sql")
    return ViewMetadata(
        _columns(schema["fields"]),
        dict(content.get("properties", {})),
        str(sql),
        _moment(version["timestamp-ms"]),
        next(iter(version.get("default-namespace", ())), None),
    )


def _by_id(entries: list[dict[str, Any]], key: str, wanted: int) -> dict[str, Any]:
    return next(each for each in entries if each[key] == wanted)


def _columns(fields: list[dict[str, Any]]) -> tuple[MetadataColumn, ...]:
    return tuple(
        MetadataColumn(each["name"], sql_type(each["type"]), each.get("doc"), bool(each["required"]))
        for each in fields
    )


def _partitioned_by(content: dict[str, Any], fields: list[dict[str, Any]]) -> tuple[str, ...]:
    names = {each["id"]: each["name"] for each in fields}
    spec = (
        _by_id(content.get("partition-specs", []), "spec-id", content.get("default-spec-id", 0))
        if (content.get("partition-specs"))
        else {"fields": []}
    )
    return tuple(
        _partition(each["transform"], names.get(each["source-id"], each["name"]))
        for each in spec["fields"]
        if each["transform"] != "void"
    )


def _partition(transform: str, column: str) -> str:
    """``bucket[8]`` of a column is ``bucket(8, column)`` in SQL."""
    if transform == "identity":
        return column
    name, _, argument = transform.rstrip("]").partition("[")
    sql_name = {"year": "years", "month": "months", "day": "days", "hour": "hours"}.get(name, name)
    return f"{sql_name}({argument}, {column})" if argument else f"{sql_name}({column})"


def _versions(content: dict[str, Any]) -> tuple[Snapshot, ...]:
    snapshots = {each["snapshot-id"]: each for each in content.get("snapshots", ())}
    once_current = {each["snapshot-id"] for each in content.get("snapshot-log", ())}
    kept = [_snapshot(each) for key, each in snapshots.items() if key in once_current]
    return tuple(sorted(kept, key=lambda each: (each.made_at, each.sequence), reverse=True))


def _snapshot(entry: dict[str, Any]) -> Snapshot:
    summary = dict(entry.get("summary", {}))
    return Snapshot(
        entry["snapshot-id"],
        summary.pop("operation", "unknown"),
        summary,
        entry.get("parent-snapshot-id"),
        _moment(entry["timestamp-ms"]),
        entry.get("sequence-number", 0),
    )


def _moment(milliseconds: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)
