"""What the scheduler tells from metadata files alone."""

from __future__ import annotations

import json
from pathlib import Path

from headrace.lake.table.metadata_files import MetadataFiles
from headrace.model.history import RefreshMode
from headrace.model.version import TableVersion
from headrace.refresh.record import RefreshRecord, to_summary
from headrace.schedule.unchanged import nothing_to_do
from tests.schedule.tables import NOON, dynamic, named

SOURCE, TABLE = named("t"), dynamic("d", "t")


def written(path: Path, uuid: str, schema: int, summary: dict[str, str] | None = None) -> str:
    """A metadata file of a table whose only version, 7, was written with schema 0."""
    snapshot = {
        "snapshot-id": 7,
        "schema-id": 0,
        "timestamp-ms": 0,
        "summary": {"operation": "append", **(summary or {})},
    }
    content = {"table-uuid": uuid, "current-snapshot-id": 7, "current-schema-id": schema}
    path.write_text(json.dumps({**content, "snapshots": [snapshot]}))
    return f"file:{path}"


def test_columns_that_changed_without_a_version_of_the_table(tmp_path: Path) -> None:
    """A renamed column makes no snapshot, and may change the result."""
    record = RefreshRecord("r", TABLE.definition.fingerprint, {SOURCE: TableVersion("source", 7, 0)})
    target = written(tmp_path / "d.metadata.json", "target", 0, to_summary(record))

    def found(schema: int) -> RefreshMode | None:
        source = written(tmp_path / f"t{schema}.metadata.json", "source", schema)
        locations = {SOURCE: source, TABLE.name: target}
        known = nothing_to_do(TABLE, locations, MetadataFiles(), NOON.date())
        return known and known[0].mode

    assert found(schema=0) is RefreshMode.NO_DATA
    assert found(schema=1) is None
