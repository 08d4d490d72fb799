"""What other engines may not ask for, whatever way they put it."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.errors import Error, NotSupportedError, Refused
from headrace.server.iceberg_rest.requested_change import (
    commit,
    creation,
    expect_metadata_file,
    is_creation,
    registration,
)

WAREHOUSE = "/lake/warehouse"
TABLE = f"{WAREHOUSE}/public/t-1"
CURRENT = {"location": TABLE, "properties": {}}


def updating(*updates: dict[str, Any]) -> dict[str, Any]:
    return {"requirements": [], "updates": [*updates]}


def snapshot(manifest_list: str, **more: Any) -> dict[str, Any]:
    found = {"snapshot-id": 1, "summary": {"operation": "append"}, "manifest-list": manifest_list, **more}
    return {"action": "add-snapshot", "snapshot": found}


def test_a_new_table_has_the_properties_of_a_lake() -> None:
    asked, places = creation({"name": "t", "properties": {"format-version": "2"}}, WAREHOUSE)
    assert places == []
    assert asked["properties"]["format-version"] == "2"
    assert asked["properties"]["write.merge.mode"] == "merge-on-read"


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_a_place_inside(scheme: str) -> None:
    place = f"{scheme}{WAREHOUSE}/public/mine"
    assert creation({"name": "t", "location": place}, WAREHOUSE)[1] == [place]
    assert commit(updating({"action": "Set-Location", "location": place}), CURRENT, WAREHOUSE) == [place]


OUTSIDE = (
    "/etc/lake",
    "public/t",
    WAREHOUSE,
    f"{WAREHOUSE}/public",
    f"{WAREHOUSE}/public/",
    f"{WAREHOUSE}//t",
    f"file:{WAREHOUSE}//public",
    f"{WAREHOUSE}/public/../../../etc",
    f"{WAREHOUSE}/./public",
    f"{WAREHOUSE}-other/public/t",
    f"s3://bucket{WAREHOUSE}/public/t",
    f"{WAREHOUSE}/public/%2e%2e/t",
)


@pytest.mark.parametrize("place", OUTSIDE)
def test_a_place_that_is_not_for_a_table(place: str) -> None:
    moved = updating({"action": "set-location", "location": place})
    for properties in ({"write.data.path": place}, {"WRITE.METADATA.PATH": place}):
        for key in ("updates", "updated"):
            with pytest.raises(Refused):
                commit(updating({"action": "set-properties", key: properties}), CURRENT, WAREHOUSE)
        with pytest.raises(Refused):
            creation({"name": "t", "properties": properties}, WAREHOUSE)
    with pytest.raises(Refused, match="is not a directory for a table"):
        creation({"name": "t", "location": place}, WAREHOUSE)
    with pytest.raises(Refused):
        commit(moved, CURRENT, WAREHOUSE)
    with pytest.raises(Refused):
        registration({"location": place}, f"{place}/metadata/1.metadata.json", WAREHOUSE)


@pytest.mark.parametrize("key", ["write.location-provider.impl", "io-impl", "encryption.kms-impl"])
def test_a_property_that_names_a_class(key: str) -> None:
    with pytest.raises(Refused, match=key):
        creation({"name": "t", "properties": {key: "com.example.Code"}}, WAREHOUSE)
    with pytest.raises(Refused, match=key):
        commit(updating({"action": "set-properties", "updates": {key: "x.Y"}}), CURRENT, WAREHOUSE)


def test_a_mark_of_headrace() -> None:
    own = {"headrace.id": "x"}
    for update in (
        {"action": "set-properties", "updates": own},
        {"action": "set-properties", "updated": own},
        {"action": "remove-properties", "removals": [*own]},
        {"action": "remove-properties", "removed": [*own]},
        snapshot(f"{TABLE}/metadata/snap.avro", summary={"operation": "append", **own}),
    ):
        with pytest.raises(Refused, match=r"headrace\.id is a property that only Headrace sets"):
            commit(updating(update), CURRENT, WAREHOUSE)
    with pytest.raises(Refused, match=r"headrace\.id"):
        creation({"name": "t", "properties": own}, WAREHOUSE)
    with pytest.raises(Refused, match=r"headrace\.id"):
        registration({"location": TABLE, "properties": own}, f"{TABLE}/metadata/1.metadata.json", WAREHOUSE)


def test_files_of_a_commit_are_the_tables_own() -> None:
    moved = {"action": "set-location", "location": f"{WAREHOUSE}/public/new"}
    assert commit(updating(snapshot(f"file:{TABLE}/metadata/s.avro")), CURRENT, WAREHOUSE) == []
    assert commit(updating(moved, snapshot(f"{moved['location']}/metadata/s.avro")), None, WAREHOUSE)
    for file in (f"{WAREHOUSE}/public/t-2/metadata/s.avro", "/etc/passwd", f"{TABLE}/../t-2/s.avro"):
        for update in (
            snapshot(file),
            {"action": "set-statistics", "statistics": {"statistics-path": file}},
            {"action": "set-partition-statistics", "partition-statistics": {"statistics-path": file}},
        ):
            with pytest.raises(Refused, match="is not in the directory of the table"):
                commit(updating(update), CURRENT, WAREHOUSE)


def test_what_is_not_known_is_not_passed_on() -> None:
    with pytest.raises(NotSupportedError, match="the update add-view-version of a table"):
        commit(updating({"action": "add-view-version"}), CURRENT, WAREHOUSE)
    with pytest.raises(NotSupportedError, match="without a manifest list"):
        commit(updating(snapshot(f"{TABLE}/s.avro", manifests=["/x"])), CURRENT, WAREHOUSE)


@pytest.mark.parametrize(
    "request_",
    [
        {"updates": "all"},
        {"updates": ["set-location"]},
        {"updates": [{}]},
        {"updates": [{"action": "set-location", "location": 5}]},
        {"updates": [{"action": "set-properties", "updates": {"a": 1}}]},
        {"updates": [{"action": "add-snapshot"}]},
        {"updates": [{"action": "add-snapshot", "snapshot": {"summary": {}}}]},
    ],
)
def test_a_request_that_makes_no_sense(request_: dict[str, Any]) -> None:
    with pytest.raises(Error, match=r"is missing|is not a list|is not an object"):
        commit(request_, CURRENT, WAREHOUSE)


def test_the_end_of_a_creation() -> None:
    assert is_creation({"requirements": [{"type": "Assert-Create"}]})
    assert not is_creation({"requirements": [{"type": "assert-table-uuid", "uuid": "u"}]})


def test_a_metadata_file() -> None:
    file = f"{TABLE}/metadata/1.metadata.json"
    expect_metadata_file(file, WAREHOUSE)
    for other in ("/etc/1.metadata.json", f"{TABLE}/metadata/1.parquet", f"{TABLE}/../../1.metadata.json"):
        with pytest.raises(Refused, match="is not a metadata file"):
            expect_metadata_file(other, WAREHOUSE)
    content = {"location": TABLE, "snapshots": [{"manifest-list": f"{TABLE}/metadata/s.avro"}]}
    assert registration(content, file, WAREHOUSE) == [TABLE]
    with pytest.raises(Refused, match="is not in the directory"):
        registration(content, f"{WAREHOUSE}/public/t-2/metadata/1.metadata.json", WAREHOUSE)
    content["snapshots"][0]["manifest-list"] = "/etc/passwd"
    with pytest.raises(Refused, match="/etc/passwd is not in the directory"):
        registration(content, file, WAREHOUSE)
