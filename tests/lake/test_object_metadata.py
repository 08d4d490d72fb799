"""What a metadata file tells about a table or a view."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headrace.lake.table.object_metadata import MetadataColumn, ObjectMetadata
from headrace.model.names import TableName
from headrace.views.ddl import create_table_statement, create_view_statement

TABLE: dict[str, Any] = {
    "format-version": 3,
    "location": "file:/lake/t",
    "last-updated-ms": 1_700_000_000_000,
    "current-schema-id": 1,
    "schemas": [
        {"schema-id": 0, "fields": []},
        {
            "schema-id": 1,
            "fields": [
                {"id": 1, "name": "id", "type": "long", "required": True, "doc": "the key"},
                {"id": 2, "name": "at", "type": "timestamptz", "required": False},
                {
                    "id": 3,
                    "name": "my tags",
                    "required": False,
                    "type": {"type": "list", "element-id": 4, "element": "string", "element-required": False},
                },
            ],
        },
    ],
    "default-spec-id": 1,
    "partition-specs": [
        {"spec-id": 0, "fields": []},
        {
            "spec-id": 1,
            "fields": [
                {"source-id": 2, "field-id": 1000, "name": "at_day", "transform": "day"},
                {"source-id": 1, "field-id": 1001, "name": "id_bucket", "transform": "bucket[8]"},
                {"source-id": 1, "field-id": 1002, "name": "gone", "transform": "void"},
            ],
        },
    ],
    "properties": {
        "comment": "it's",
        "owner": "ann",
        "team": "sales",
        "write.parquet.compression-codec": "zstd",
        "write.delete.mode": "merge-on-read",
    },
    "current-snapshot-id": 2,
    "snapshots": [
        {"snapshot-id": 1, "timestamp-ms": 1000, "sequence-number": 1, "summary": {"operation": "append"}},
        {
            "snapshot-id": 2,
            "timestamp-ms": 2000,
            "sequence-number": 2,
            "parent-snapshot-id": 1,
            "summary": {"operation": "delete", "total-records": "7", "total-files-size": "99"},
        },
        {"snapshot-id": 3, "timestamp-ms": 3000, "sequence-number": 3, "summary": {"operation": "append"}},
    ],
    "snapshot-log": [{"snapshot-id": 1, "timestamp-ms": 1000}, {"snapshot-id": 2, "timestamp-ms": 2000}],
}
VIEW: dict[str, Any] = {
    "current-version-id": 2,
    "schemas": [{"schema-id": 5, "fields": [{"id": 1, "name": "n", "type": "int", "required": False}]}],
    "versions": [
        {"version-id": 1, "schema-id": 5, "timestamp-ms": 1000, "representations": []},
        {
            "version-id": 2,
            "schema-id": 5,
            "timestamp-ms": 2000,
            "representations": [{"type": "sql", "sql": "SELECT 1 AS n", "dialect": "spark"}],
        },
    ],
}
NAME = TableName("lake", "public", "t")


def stored(directory: Path, content: Any) -> str:
    file = directory / "v1.metadata.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return f"file:{file}"


def test_a_table(tmp_path: Path) -> None:
    found = ObjectMetadata().table(stored(tmp_path, TABLE))
    assert found is not None
    assert found.columns == (
        MetadataColumn("id", "bigint", "the key", True),
        MetadataColumn("at", "timestamp", None, False),
        MetadataColumn("my tags", "array<string>", None, False),
    )
    assert found.partitioned_by == ("days(at)", "bucket(8, id)")
    assert [(each.id, each.operation) for each in found.versions] == [(2, "delete"), (1, "append")]
    assert found.current is not None
    assert (found.current.rows, found.current.bytes) == (7, 99)
    assert create_table_statement(NAME, found) == (
        "CREATE TABLE lake.public.t (\n  id bigint NOT NULL COMMENT 'the key',\n  at timestamp,\n"
        "  `my tags` array<string>\n)\nPARTITIONED BY (days(at), bucket(8, id))\nCOMMENT 'it\\'s'"
        "\nTBLPROPERTIES ('team' = 'sales')"
    )


def test_a_view(tmp_path: Path) -> None:
    found = ObjectMetadata().view(stored(tmp_path, VIEW))
    assert found is not None
    assert [column.name for column in found.columns] == ["n"]
    assert create_view_statement(NAME, found) == "CREATE VIEW lake.public.t AS\nSELECT 1 AS n"


def test_what_was_read_stays_known(tmp_path: Path) -> None:
    known, location = ObjectMetadata(), stored(tmp_path, TABLE)
    first = known.table(location)
    (tmp_path / "v1.metadata.json").unlink()
    assert known.table(location) is first


def test_what_cannot_be_read(tmp_path: Path) -> None:
    known = ObjectMetadata()
    assert known.table(f"file:{tmp_path}/nosuch.json") is None
    assert known.table(stored(tmp_path, "{")) is None
    assert known.table(stored(tmp_path, {"schemas": []})) is None
    assert known.view(stored(tmp_path, TABLE)) is None
