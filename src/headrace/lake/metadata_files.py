"""What a table's metadata file says, read without the JVM.

A file never changes, and every commit makes another one: what was read once is known for good.
"""

from __future__ import annotations

import gzip
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.model.version import TableVersion

_MOST_KEPT = 20_000


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
    """Those on this machine: of others nothing is known here."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Head] = OrderedDict()

    def head(self, location: str, key: str) -> Head | None:
        """``key`` is that of the bookkeeping; None where the file cannot be read here."""
        known = self._known.get((location, key))
        if known is None:
            content = _content(location)
            if content is None:
                return None
            known = self._known[location, key] = _head(content, key)
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        return known


def _content(location: str) -> dict[str, Any] | None:
    path = Path(location.removeprefix("file://").removeprefix("file:"))
    if not path.is_absolute():
        return None
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    if ".gz." in path.name or path.name.endswith(".gz"):
        raw = gzip.decompress(raw)
    content: dict[str, Any] = json.loads(raw)
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


def _bytes_of_all(snapshots: list[dict[str, Any]]) -> int:
    in_order = sorted(snapshots, key=lambda each: (each.get("sequence-number", 0), each["timestamp-ms"]))
    kept = [int(each["summary"].get("total-files-size", "0")) for each in in_order[:1]]
    added = [int(each["summary"].get("added-files-size", "0")) for each in in_order[1:]]
    return sum(kept) + sum(added)


def _bookkeeping(
    snapshot: dict[str, Any] | None, snapshots: Mapping[int, dict[str, Any]], key: str
) -> Mapping[str, str]:
    """Of the newest snapshot that carries ``key``, looking past rewrites, which change no row."""
    while snapshot is not None:
        summary: dict[str, str] = snapshot["summary"]
        if key in summary:
            return summary
        if summary.get("operation") != "replace":
            return {}
        snapshot = snapshots.get(snapshot.get("parent-snapshot-id", -1))
    return {}
