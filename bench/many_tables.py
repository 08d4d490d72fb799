"""A lake of many small dynamic tables, made quickly: copies of one that Spark has made and refreshed.

A copy has files of its own for what a scheduler reads: the entry in the Iceberg catalog, the metadata file,
the definition and past refreshes. Its data files are those of the original, which no scheduler opens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, column, insert, select, table, update

import headrace
from headrace.catalog.database_engine import connect, sqlite_url, writing
from headrace.catalog.rows import refresh_from_row, refresh_to_row, table_from_row, table_to_row
from headrace.catalog.schema import Lifecycle, dynamic_tables, refreshes
from headrace.lake.directory import LakeDirectory, open_directory
from headrace.model.dynamic_table import DynamicTable, Schedule
from headrace.model.history import Refresh, RefreshMode
from headrace.model.job_id import new_job_id
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.refresh.record import from_summary, to_summary

INTERVAL_SECONDS = 60
_SOURCE, _DYNAMIC = "source_0", "dynamic_0"
_ENTRIES = table(
    "iceberg_tables",
    *map(column, ("catalog_name", "table_namespace", "table_name", "metadata_location", "iceberg_type")),
)
_SET_UP = f"""
CREATE TABLE {_SOURCE} (id BIGINT, customer BIGINT, category STRING, amount DECIMAL(10,2), sold_at TIMESTAMP);
INSERT INTO {_SOURCE} VALUES (1, 1, 'books', 10.00, TIMESTAMP '2024-06-01 12:00:00');
CREATE DYNAMIC TABLE {_DYNAMIC} AS
SELECT customer, category, date_trunc('day', sold_at) AS sold_on, count(*) AS orders, sum(amount) AS total
FROM {_SOURCE} WHERE amount > 0 AND category IS NOT NULL
GROUP BY customer, category, date_trunc('day', sold_at);
REFRESH DYNAMIC TABLE {_DYNAMIC}
"""


@dataclass(frozen=True)
class Size:
    tables: int
    sources: int
    snapshots: int
    """Of each table."""
    past_refreshes: int
    """Of each dynamic table."""


class ManyTables:
    def __init__(self, path: Path, size: Size, now: datetime) -> None:
        with headrace.connect(path) as lake:
            lake.sql(_SET_UP)
        self.directory: LakeDirectory = open_directory(path)
        self._files = path / "copies"
        self._files.mkdir()
        self._catalog = writing(connect(sqlite_url(self.directory.catalog_db)))
        self._metadata = writing(connect(sqlite_url(self.directory.metadata_db)))
        self._contents: dict[TableName, dict[str, Any]] = {}
        self._numbers: dict[TableName, int] = {}
        self._copy(size, now)

    def close(self) -> None:
        self._catalog.dispose()
        self._metadata.dispose()

    def change(self, sources: Iterable[int]) -> None:
        """A commit to each."""
        with self._catalog.begin() as catalog:
            for number in sources:
                self._commit(catalog, _named("source", number), {})

    def refresh(self, changed: DynamicTable, refresh_id: str) -> None:
        """What a refresh leaves of it: a commit with the versions of the sources as they are now."""
        summary = self._newest(changed.name)["summary"]
        versions = {source.name: self._version(source.name) for source in changed.definition.sources}
        record = replace(from_summary(summary), refresh_id=refresh_id, versions=versions)
        with self._catalog.begin() as catalog:
            self._commit(catalog, changed.name, to_summary(record))

    def _copy(self, size: Size, now: datetime) -> None:
        originals = {name: self._original(name) for name in (_SOURCE, _DYNAMIC)}
        names = {
            _SOURCE: [_named("source", number) for number in range(size.sources)],
            _DYNAMIC: [_named("dynamic", number) for number in range(size.tables)],
        }
        with self._catalog.begin() as catalog:
            for original, copies in names.items():
                for name in copies:
                    self._contents[name] = _with_snapshots(originals[original], name, size.snapshots)
                    self._write(catalog, name, is_new=name.table != original)
            for number, name in enumerate(names[_DYNAMIC]):
                self._point(catalog, name, names[_SOURCE][number % size.sources])
        with self._metadata.begin() as metadata:
            self._define(metadata, names, size, now)

    def _original(self, name: str) -> dict[str, Any]:
        with self._catalog.connect() as connection:
            query = select(_ENTRIES.c.metadata_location).where(_ENTRIES.c.table_name == name)
            location = str(connection.execute(query).scalar_one())
        content: dict[str, Any] = json.loads(Path(location.removeprefix("file:")).read_text())
        return content

    def _point(self, catalog: Connection, name: TableName, source: TableName) -> None:
        """The record of a copy names the source that the copy reads."""
        newest = self._newest(name)
        record = replace(from_summary(newest["summary"]), versions={source: self._version(source)})
        newest["summary"] |= to_summary(record)
        self._write(catalog, name)

    def _define(
        self, metadata: Connection, names: dict[str, list[TableName]], size: Size, now: datetime
    ) -> None:
        original = metadata.execute(select(dynamic_tables)).mappings().one()
        past = metadata.execute(select(refreshes)).mappings().one()
        created = now - timedelta(seconds=INTERVAL_SECONDS * (size.past_refreshes + 1))
        template, refresh = table_from_row(original), refresh_from_row(past)
        metadata.execute(dynamic_tables.delete())
        metadata.execute(refreshes.delete())
        tables = [
            _definition(template, name, names[_SOURCE][number % size.sources], created)
            for number, name in enumerate(names[_DYNAMIC])
        ]
        rows = [table_to_row(each) | {"lifecycle": Lifecycle.ACTIVE.value} for each in tables]
        metadata.execute(insert(dynamic_tables), rows)
        for turn in range(size.past_refreshes):
            at = created + timedelta(seconds=INTERVAL_SECONDS * (turn + 1))
            metadata.execute(insert(refreshes), [refresh_to_row(_past(refresh, each, at)) for each in tables])

    def _commit(self, catalog: Connection, name: TableName, summary: dict[str, str]) -> None:
        content, newest = self._contents[name], self._newest(name)
        number = newest["snapshot-id"] + 1
        added = newest | {
            "snapshot-id": number,
            "parent-snapshot-id": newest["snapshot-id"],
            "summary": newest["summary"] | summary,
        }
        content["snapshots"] = [*content["snapshots"][1:], added]
        content["current-snapshot-id"] = number
        self._write(catalog, name)

    def _write(self, catalog: Connection, name: TableName, *, is_new: bool = False) -> None:
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        file = self._files / f"{name.table}-{number}.metadata.json"
        file.write_text(json.dumps(self._contents[name]))
        location = {"metadata_location": f"file:{file}"}
        if is_new:
            key = dict(zip(("catalog_name", "table_namespace", "table_name"), name.parts, strict=True))
            catalog.execute(insert(_ENTRIES), key | location | {"iceberg_type": "TABLE"})
        else:
            catalog.execute(update(_ENTRIES).where(_ENTRIES.c.table_name == name.table).values(location))

    def _newest(self, name: TableName) -> dict[str, Any]:
        newest: dict[str, Any] = self._contents[name]["snapshots"][-1]
        return newest

    def _version(self, name: TableName) -> TableVersion:
        content = self._contents[name]
        return TableVersion(
            content["table-uuid"], content["current-snapshot-id"], content["current-schema-id"]
        )


@contextmanager
def many_tables(path: Path, size: Size, now: datetime) -> Iterator[ManyTables]:
    made = ManyTables(path, size, now)
    try:
        yield made
    finally:
        made.close()


def _named(kind: str, number: int) -> TableName:
    return TableName("lake", "public", f"{kind}_{number}")


def _with_snapshots(content: dict[str, Any], name: TableName, count: int) -> dict[str, Any]:
    """The same table under another name and identity, with a longer history."""
    current = next(
        each for each in content["snapshots"] if each["snapshot-id"] == content["current-snapshot-id"]
    )
    numbered = [
        current
        | {"snapshot-id": number, "parent-snapshot-id": number - 1, "summary": dict(current["summary"])}
        for number in range(1, count + 1)
    ]
    identity = {"table-uuid": f"uuid-{name.table}", "current-snapshot-id": count}
    return content | identity | {"snapshots": numbered, "refs": {}, "snapshot-log": []}


def _definition(
    template: DynamicTable, name: TableName, source: TableName, created: datetime
) -> DynamicTable:
    definition = template.definition
    reads = tuple(replace(each, name=source) for each in definition.sources)
    return replace(
        template,
        id=f"id-{name.table}",
        name=name,
        definition=replace(definition, sources=reads),
        schedule=Schedule(INTERVAL_SECONDS),
        created_at=created,
        modified_at=created,
    )


def _past(refresh: Refresh, of: DynamicTable, at: datetime) -> Refresh:
    return replace(
        refresh,
        job_id=new_job_id(at),
        table_id=of.id,
        table=of.name,
        start_time=at,
        end_time=at,
        mode=RefreshMode.NO_DATA,
    )
