"""What a dynamic table's metadata names, without what Headrace keeps for itself."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.errors import NotSupportedError
from headrace.server.iceberg_rest.served_metadata import served_metadata

HIDDEN_STRUCT = {
    "type": "struct",
    "fields": [
        {"id": 7, "name": "part", "type": "long", "required": False},
        {
            "id": 8,
            "name": "list",
            "required": False,
            "type": {"type": "list", "element-id": 9, "element": "long", "element-required": False},
        },
    ],
}


def field(number: int, name: str, kind: Any = "long") -> dict[str, Any]:
    return {"id": number, "name": name, "type": kind, "required": False}


def schema(number: int, *fields: dict[str, Any], key: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"type": "struct", "schema-id": number, "fields": [*fields], "identifier-field-ids": [*key]}


def metadata(**changed: Any) -> dict[str, Any]:
    return {
        "format-version": 3,
        "table-uuid": "u",
        "last-column-id": 9,
        "current-schema-id": 1,
        "schemas": [
            schema(0, field(1, "a"), field(2, "__hr_id")),
            schema(1, field(1, "a"), field(2, "__HR_ID"), field(5, "__hr_s", HIDDEN_STRUCT), field(6, "b")),
        ],
        "snapshots": [],
        **changed,
    }


def ordered(number: int, *sources: int) -> dict[str, Any]:
    fields = [
        {"transform": "identity", "source-id": each, "direction": "asc", "null-order": "nulls-first"}
        for each in sources
    ]
    return {"order-id": number, "fields": fields}


def test_every_schema_loses_them_and_the_other_ids_stay() -> None:
    served = served_metadata(metadata())
    names = [[(each["id"], each["name"]) for each in found["fields"]] for found in served["schemas"]]
    assert names == [[(1, "a")], [(1, "a"), (6, "b")]]
    assert (served["last-column-id"], served["current-schema-id"]) == (9, 1)


def test_a_key_with_a_hidden_column_is_none() -> None:
    with_key = [schema(0, field(1, "a"), key=(1,)), schema(1, field(1, "a"), field(2, "__hr_x"), key=(1, 2))]
    served = served_metadata(metadata(schemas=with_key))
    assert [each["identifier-field-ids"] for each in served["schemas"]] == [[1], []]


@pytest.mark.parametrize("sources", [{"source-id": 2}, {"source-ids": [6, 7]}])
def test_partitions_by_a_hidden_column_are_refused(sources: dict[str, Any]) -> None:
    """Without the field, readers would take the bounds of one field for those of another."""
    visible = {"source-id": 1, "field-id": 1000, "name": "a", "transform": "identity"}
    by_hidden = {"field-id": 1001, "name": "h", "transform": "bucket[4]", **sources}
    specs = [{"spec-id": 0, "fields": [visible]}]
    assert served_metadata(metadata(**{"partition-specs": specs}))["partition-specs"] == specs
    specs.append({"spec-id": 1, "fields": [by_hidden, visible]})
    with pytest.raises(NotSupportedError, match="partitioned by a column that other engines must not see"):
        served_metadata(metadata(**{"partition-specs": specs}))


def test_an_order_ends_where_a_hidden_column_comes() -> None:
    orders = [ordered(0), ordered(1, 1, 2, 6), ordered(2, 9, 1), ordered(3, 6)]
    served = served_metadata(metadata(**{"sort-orders": orders, "default-sort-order-id": 1}))
    assert [each["order-id"] for each in served["sort-orders"]] == [0, 1, 3]
    assert [field["source-id"] for field in served["sort-orders"][1]["fields"]] == [1]
    assert served["default-sort-order-id"] == 1
    by_hidden = served_metadata(metadata(**{"sort-orders": orders, "default-sort-order-id": 2}))
    assert by_hidden["default-sort-order-id"] == 0


def test_properties_and_summaries_name_none() -> None:
    properties = {
        "headrace.id": "x",
        "write.parquet.bloom-filter-enabled.column.__hr_id": "true",
        "schema.name-mapping.default": '[{"field-id": 2, "names": ["__hr_id"]}]',
        "comment": "totals",
    }
    summary = {"operation": "append", "total-records": "3", "headrace.refresh": "{}"}
    snapshot = {"snapshot-id": 1, "summary": summary, "manifest-list": "file:/m"}
    served = served_metadata(metadata(properties=properties, snapshots=[snapshot]))
    assert served["properties"] == {"comment": "totals"}
    expected = {"operation": "append", "total-records": "3"}
    assert served["snapshots"] == [{**snapshot, "summary": expected}]


def test_statistics_of_hidden_columns_go() -> None:
    statistics = {"snapshot-id": 1, "blob-metadata": [{"fields": [1]}, {"fields": [1, 2]}, {"fields": [8]}]}
    served = served_metadata(metadata(statistics=[statistics]))
    assert served["statistics"] == [{"snapshot-id": 1, "blob-metadata": [{"fields": [1]}]}]


def test_what_is_served_is_a_copy() -> None:
    original = metadata(properties={"headrace.id": "x"})
    served_metadata(original)
    assert original == metadata(properties={"headrace.id": "x"})
