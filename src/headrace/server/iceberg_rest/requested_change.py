"""What another engine may ask of a base table: files in places of its own, and none of Headrace's marks.

What is checked here does not need the table to be open. The checks that do, and the change, are Iceberg's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from headrace.errors import InterfaceError, NotSupportedError, Refused
from headrace.lake.table_defaults import TABLE_DEFAULTS
from headrace.server.iceberg_rest.served_metadata import Json
from headrace.sql.sandbox.sandbox_paths import is_inside
from headrace.sql.sandbox.sandbox_settings import names_place

_OWN_KEYS = "headrace."
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/+")
_ACTIONS = frozenset(
    {
        *("assign-uuid", "upgrade-format-version", "add-schema", "set-current-schema", "remove-schemas"),
        *("add-spec", "set-default-spec", "remove-partition-specs", "add-sort-order"),
        *("set-default-sort-order", "add-snapshot", "remove-snapshots", "set-snapshot-ref"),
        *("remove-snapshot-ref", "set-location", "set-properties", "remove-properties", "set-statistics"),
        *("remove-statistics", "set-partition-statistics", "remove-partition-statistics"),
        *("add-encryption-key", "remove-encryption-key"),
    }
)


def creation(request: Json, warehouse: str) -> tuple[Json, list[str]]:
    """The request with the properties that tables of a lake have, and the directories that it names."""
    properties = _mapping(request, "properties")
    places = (
        [] if request.get("location") is None else [_own_directory(_text(request, "location"), warehouse)]
    )
    places += _places_of(properties, warehouse)
    return {**request, "properties": {**TABLE_DEFAULTS, **properties}}, places


def commit(request: Json, current: Json | None, warehouse: str) -> list[str]:
    """The directories that a commit names; ``current`` is the metadata of the table, if it exists."""
    updates = [*_updates(request)]
    places = [place for update in updates for place in _named_by(update, warehouse)]
    own = [*places, *(_directories(current) if current else ())]
    for update in updates:
        for file in _files_of(update):
            _expect_file_below(file, own)
    return places


def registration(metadata: Json, location: str, warehouse: str) -> list[str]:
    """The directories of a table whose metadata file exists."""
    properties = _mapping(metadata, "properties")
    places = [_own_directory(_text(metadata, "location"), warehouse), *_places_of(properties, warehouse)]
    _expect_file_below(location, places)
    for snapshot in metadata.get("snapshots", []):
        _expect_file_below(_manifest_list(snapshot), places)
    return places


def is_creation(request: Json) -> bool:
    """Whether a commit is the end of a creation that was prepared before."""
    return any(_kind(each, "type") == "assert-create" for each in _objects(request, "requirements"))


def expect_metadata_file(location: str, warehouse: str) -> None:
    """Before it is read."""
    if not (is_inside(location, (warehouse,)) and location.endswith(".metadata.json")):
        raise Refused(f"{location} is not a metadata file in the warehouse of the lake")


def _updates(request: Json) -> Iterator[Json]:
    for update in _objects(request, "updates"):
        action = _kind(update, "action")
        if action not in _ACTIONS:
            raise NotSupportedError(f"the update {action} of a table is not supported")
        yield {**update, "action": action}


def _named_by(update: Json, warehouse: str) -> Iterator[str]:
    match update["action"]:
        case "set-location":
            yield _own_directory(_text(update, "location"), warehouse)
        case "set-properties":
            for key in ("updates", "updated"):
                yield from _places_of(_mapping(update, key), warehouse)
        case "remove-properties":
            for key in ("removals", "removed"):
                _refuse_own_keys(update.get(key) or ())
        case "add-snapshot":
            _refuse_own_keys(_mapping(_object(update, "snapshot"), "summary"))


def _files_of(update: Json) -> Iterator[str]:
    match update["action"]:
        case "add-snapshot":
            yield _manifest_list(_object(update, "snapshot"))
        case "set-statistics":
            yield _text(_object(update, "statistics"), "statistics-path")
        case "set-partition-statistics":
            yield _text(_object(update, "partition-statistics"), "statistics-path")


def _manifest_list(snapshot: Json) -> str:
    if "manifests" in snapshot:
        raise NotSupportedError(
            "snapshots without a manifest list are not supported", hint="use format version 2 or 3"
        )
    return _text(snapshot, "manifest-list")


def _places_of(properties: Mapping[str, str], warehouse: str) -> list[str]:
    _refuse_own_keys(properties)
    named = {key: value for key, value in properties.items() if names_place(key)}
    for key, value in named.items():
        if not is_inside(value, (warehouse,)):
            raise Refused(f"the property {key} reaches outside the lake")
    return [_own_directory(value, warehouse) for value in named.values()]


def _refuse_own_keys(keys: Iterable[str]) -> None:
    own = next((key for key in keys if key.startswith(_OWN_KEYS)), None)
    if own is not None:
        raise Refused(f"{own} is a property that only Headrace sets")


def _directories(metadata: Json) -> list[str]:
    properties = metadata.get("properties", {})
    return [metadata["location"], *(value for key, value in properties.items() if names_place(key))]


def _own_directory(location: str, warehouse: str) -> str:
    """Below a schema's directory: in that of the warehouse or of a schema, other tables are made."""
    path = _SCHEME.sub("/", location).rstrip("/")
    above = location.rstrip("/").rpartition("/")[0].rpartition("/")[0]
    if "//" in path or not is_inside(location, (warehouse,)) or not is_inside(above, (warehouse,)):
        raise Refused(
            f"{location} is not a directory for a table in the warehouse of the lake",
            hint=f"omit the location, or use one like {warehouse}/schema/table",
        )
    return location


def _expect_file_below(file: str, directories: list[str]) -> None:
    if not is_inside(file, directories):
        raise Refused(f"{file} is not in the directory of the table")


def _objects(request: Json, key: str) -> list[Json]:
    found = request.get(key) or []
    if not (isinstance(found, list) and all(isinstance(each, dict) for each in found)):
        raise InterfaceError(f"{key} is not a list of objects")
    return found


def _object(request: Json, key: str) -> Json:
    found = request.get(key)
    if not isinstance(found, dict):
        raise InterfaceError(f"{key} is missing")
    return found


def _mapping(request: Json, key: str) -> dict[str, str]:
    found = request.get(key) or {}
    if not (isinstance(found, dict) and all(isinstance(value, str) for value in found.values())):
        raise InterfaceError(f"{key} is not an object of texts")
    return found


def _text(request: Json, key: str) -> str:
    found = request.get(key)
    if not isinstance(found, str) or not found:
        raise InterfaceError(f"{key} is missing")
    return found


def _kind(request: Json, key: str) -> str:
    """Iceberg reads it whatever its case."""
    return _text(request, key).lower()
