"""The metadata of a dynamic table as other engines get it: what Headrace keeps for itself is left out.

Field ids, snapshots and files stay as they are. A reader finds the columns of a file by their ids, and so it
reads past those that no schema names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from headrace.errors import NotSupportedError
from headrace.sql.queries.hiding import OWN_PREFIX, is_hidden

Json = dict[str, Any]
_OWN_KEYS = "headrace."
_UNSORTED: Json = {"order-id": 0, "fields": []}


def served_metadata(metadata: Json) -> Json:
    """Of all schemas, so that older versions are read without hidden columns, too."""
    hidden = frozenset(_hidden_ids(metadata["schemas"]))
    _expect_visible_partitions(metadata.get("partition-specs", []), hidden)
    orders = _orders(metadata.get("sort-orders", []), hidden)
    return {
        **metadata,
        "schemas": [_schema(each, hidden) for each in metadata["schemas"]],
        "sort-orders": orders,
        "default-sort-order-id": _known_order(metadata.get("default-sort-order-id", 0), orders),
        "properties": _properties(metadata.get("properties", {})),
        "snapshots": [_snapshot(each) for each in metadata.get("snapshots", [])],
        "statistics": [_statistics(each, hidden) for each in metadata.get("statistics", [])],
        "metadata-log": [],
    }


def _hidden_ids(schemas: Iterable[Json]) -> Iterator[int]:
    for schema in schemas:
        for field in schema["fields"]:
            if is_hidden(field["name"]):
                yield field["id"]
                yield from _ids_within(field["type"])


def _ids_within(kind: str | Json) -> Iterator[int]:
    """Of the parts of a nested type."""
    if isinstance(kind, str):
        return
    for field in kind.get("fields", ()):
        yield field["id"]
        yield from _ids_within(field["type"])
    for part in ("element", "key", "value"):
        if part in kind:
            yield kind[f"{part}-id"]
            yield from _ids_within(kind[part])


def _schema(schema: Json, hidden: Collection[int]) -> Json:
    served = {**schema, "fields": [each for each in schema["fields"] if not is_hidden(each["name"])]}
    if "identifier-field-ids" in schema:
        key = schema["identifier-field-ids"]
        served["identifier-field-ids"] = [] if _names(key, hidden) else key
    return served


def _expect_visible_partitions(specs: Iterable[Json], hidden: Collection[int]) -> None:
    """Headrace makes no others. A field cannot be left out: manifest lists have bounds by its position."""
    if any(_names(_sources(field), hidden) for spec in specs for field in spec["fields"]):
        raise NotSupportedError(
            "the table is partitioned by a column that other engines must not see",
            hint="drop the dynamic table, and create it with another PARTITIONED BY",
        )


def _orders(orders: list[Json], hidden: Collection[int]) -> list[Json]:
    """Rows sorted by a hidden column and then by others are sorted by nothing that can be named."""
    cut = [{**order, "fields": list(_until_hidden(order["fields"], hidden))} for order in orders]
    return [_UNSORTED, *(order for order in cut if order["fields"])]


def _until_hidden(fields: Iterable[Json], hidden: Collection[int]) -> Iterator[Json]:
    for field in fields:
        if _names(_sources(field), hidden):
            return
        yield field


def _known_order(wanted: int, orders: Iterable[Json]) -> int:
    return wanted if any(order["order-id"] == wanted for order in orders) else 0


def _sources(field: Json) -> list[int]:
    """A field of a partition or an order is made of one column, or of several in later formats."""
    several: list[int] = field.get("source-ids", [])
    return several or [field["source-id"]]


def _names(ids: Iterable[int], hidden: Collection[int]) -> bool:
    return any(each in hidden for each in ids)


def _properties(properties: Mapping[str, str]) -> dict[str, str]:
    return {
        key: value
        for key, value in properties.items()
        if not key.startswith(_OWN_KEYS) and OWN_PREFIX not in key and OWN_PREFIX not in value
    }


def _snapshot(snapshot: Json) -> Json:
    """Without the record of the refresh."""
    summary = {key: value for key, value in snapshot["summary"].items() if not key.startswith(_OWN_KEYS)}
    return {**snapshot, "summary": summary}


def _statistics(statistics: Json, hidden: Collection[int]) -> Json:
    blobs = [each for each in statistics["blob-metadata"] if not _names(each["fields"], hidden)]
    return {**statistics, "blob-metadata": blobs}
