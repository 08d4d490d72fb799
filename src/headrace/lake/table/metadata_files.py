"""What a table's metadata file says, read without the JVM.

A file never changes, and every commit makes another one: what was read once is known for good.
"""

from __future__ import annotations

import gzip
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from headrace.lake.file_systems import NotReadHere, exists, read_bytes
from headrace.model.names import TableName
from headrace.model.table_history import Commit, TableHistory
from headrace.model.version import TableVersion

_MOST_KEPT = 20_000
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class Head:
    version: TableVersion
    properties: Mapping[str, str]
    bookkeeping: Mapping[str, str]
    """The summary of the newest version that changed rows, or of a rewrite after it that carries a key."""
    schema_of_snapshot: int | None
    rows: int = 0
    bytes: int = 0
    bytes_with_old_versions: int = 0
    """What the oldest kept version holds, and what all later ones have added."""


class MetadataFiles:
    """Those on this machine and on S3: of others nothing is known here."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Head] = OrderedDict()
        self._histories: dict[tuple[str, str], tuple[str, TableHistory]] = {}
        """By directory and key, with the file that it was read from: one for each table."""

    def heads(self, locations: Mapping[TableName, str], key: str) -> dict[TableName, Head]:
        """Of the tables whose files can be read here."""
        found = {name: self.head(location, key) for name, location in locations.items()}
        return {name: head for name, head in found.items() if head is not None}

    def head(self, location: str, key: str) -> Head | None:
        """``key`` is that of the bookkeeping; None where the file cannot be read here, or is damaged."""
        known = self._known.get((location, key))
        if known is None:
            try:
                content = content_of(location)
                found = None if content is None else _head(content, key)
            except (ValueError, KeyError, TypeError, EOFError):
                return None
            if found is None:
                return None
            known = self._known[location, key] = found
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        return known

    def histories(self, locations: Mapping[TableName, str], key: str) -> dict[TableName, TableHistory | None]:
        """None of the tables whose files cannot be read here."""
        return {name: self.history(location, key) for name, location in locations.items()}

    def history(self, location: str, key: str) -> TableHistory | None:
        """``key`` is that of the bookkeeping; None where the file cannot be read here, or is damaged."""
        place = (location.rpartition("/")[0], key)
        known = self._histories.get(place)
        if known is not None and known[0] == location:
            return known[1]
        try:
            content = content_of(location)
            found = None if content is None else _history(content, key)
        except (ValueError, KeyError, TypeError, EOFError):
            return None
        if found is not None:
            self._histories[place] = (location, found)
        return found


def missing_files(locations: Mapping[TableName, str]) -> list[str]:
    """The names of those whose metadata file is known not to exist."""
    return sorted(str(name) for name, location in locations.items() if _is_missing(location))


def _is_missing(location: str) -> bool:
    try:
        return not exists(location)
    except NotReadHere:
        return False


def content_of(location: str) -> dict[str, Any] | None:
    name = location.rpartition("/")[2]
    try:
        raw = read_bytes(location)
        if ".gz." in name or name.endswith(".gz"):
            raw = gzip.decompress(raw)
    except OSError:
        return None
    content: dict[str, Any] = json.loads(raw)
    if not isinstance(content, dict):
        raise ValueError(f"{location} is not the metadata of a table")
    return content


def _head(content: dict[str, Any], key: str) -> Head:
    snapshots = {each["snapshot-id"]: each for each in content.get("snapshots", ())}
    current = content.get("current-snapshot-id")
    newest = snapshots.get(current)
    summary = dict(newest["summary"]) if newest else {}
    version = TableVersion(
        str(content["table-uuid"]),
        newest["snapshot-id"] if newest else None,
        int(content["current-schema-id"]),
    )
    return Head(
        version,
        content.get("properties", {}),
        _bookkeeping(newest, snapshots, key),
        newest.get("schema-id") if newest else None,
        int(summary.get("total-records", "0")) - int(summary.get("total-position-deletes", "0")),
        int(summary.get("total-files-size", "0")),
        _bytes_of_all(list(snapshots.values())),
    )


def _history(content: dict[str, Any], key: str) -> TableHistory:
    snapshots = {each["snapshot-id"]: each for each in content.get("snapshots", ())}
    schemas = {each["schema-id"]: each["fields"] for each in content.get("schemas", ())}
    current = snapshots.get(content.get("current-snapshot-id"))
    marked = {each: _marked(snapshot, snapshots, key) for each, snapshot in snapshots.items()}
    refreshed = marked[current["snapshot-id"]] if current else None
    fields = schemas.get(content["current-schema-id"], ())
    return TableHistory(
        TableVersion(
            str(content["table-uuid"]),
            current["snapshot-id"] if current else None,
            int(content["current-schema-id"]),
        ),
        tuple(
            _commit(entry["snapshot-id"], entry["timestamp-ms"], snapshots)
            for entry in content.get("snapshot-log", ())
        ),
        {each: _own_keys(found["summary"]) for each, found in marked.items() if found is not None},
        {field["name"]: int(field["id"]) for field in fields},
        frozenset(int(field["id"]) for field in schemas.get((refreshed or {}).get("schema-id"), ())),
    )


def _commit(snapshot_id: int, milliseconds: int, snapshots: Mapping[int, dict[str, Any]]) -> Commit:
    snapshot = snapshots.get(snapshot_id, {})
    is_rewrite = (
        snapshot.get("summary", {}).get("operation") == "replace" and "parent-snapshot-id" in snapshot
    )
    return Commit(snapshot_id, _EPOCH + timedelta(milliseconds=milliseconds), changes_rows=not is_rewrite)


def _own_keys(summary: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in summary.items() if key.startswith("headrace.")}


def _bytes_of_all(snapshots: list[dict[str, Any]]) -> int:
    in_order = sorted(snapshots, key=lambda each: (each.get("sequence-number", 0), each["timestamp-ms"]))
    kept = [int(each["summary"].get("total-files-size", "0")) for each in in_order[:1]]
    added = [int(each["summary"].get("added-files-size", "0")) for each in in_order[1:]]
    return sum(kept) + sum(added)


def _bookkeeping(
    snapshot: dict[str, Any] | None, snapshots: Mapping[int, dict[str, Any]], key: str
) -> Mapping[str, str]:
    marked = _marked(snapshot, snapshots, key)
    summary: dict[str, str] = marked["summary"] if marked is not None else {}
    return summary


def _marked(
    snapshot: dict[str, Any] | None, snapshots: Mapping[int, dict[str, Any]], key: str
) -> dict[str, Any] | None:
    """The newest snapshot that carries ``key``, looking past rewrites, which change no row."""
    while snapshot is not None:
        summary: dict[str, str] = snapshot["summary"]
        if key in summary:
            return snapshot
        if summary.get("operation") != "replace":
            return None
        snapshot = snapshots.get(snapshot.get("parent-snapshot-id", -1))
    return None
