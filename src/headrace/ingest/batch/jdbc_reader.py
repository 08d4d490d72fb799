"""Any database with a JDBC driver as a source of whole tables.

One query reads a table at one moment. In several parts it is read by as many queries, each at a moment of
its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from headrace.ingest.batch.source import OpenTable, ReadRows, Since, watermark_column
from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.source import Identity, pattern_fits
from headrace.lake.external.jdbc import JdbcDatabase, JdbcTable
from headrace.model.dynamic_table import Column


class JdbcReader:
    def __init__(self, database: JdbcDatabase) -> None:
        self._database = database

    def check(self) -> str:
        return self._database.product()

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        """Without a key the rows are compared as a whole."""
        return [
            Identity(self._described(each), is_known=True)
            for each in self._database.tables()
            if any(pattern_fits(pattern, f"{each.schema}.{each.name}") for pattern in patterns)
        ]

    def _described(self, table: JdbcTable) -> SourceTable:
        columns = [
            SourceColumn(each.name, each.type, "{}", each.type, has_default=True)
            for each in self._database.columns(table)
        ]
        return SourceTable(table.schema, table.name, tuple(columns), self._database.key(table))

    @contextmanager
    def open(self, name: str) -> Iterator[OpenTable | None]:
        found = self.discover([name])
        yield _OpenTable(found[0].table, self._database) if found else None

    def close(self) -> None:
        self._database.close()


@dataclass(frozen=True)
class _OpenTable:
    table: SourceTable
    database: JdbcDatabase

    def read(self, since: Since | None, partitions: int | None, into: Path) -> ReadRows:
        """The watermark comes first: what is written after it is read again."""
        columns = [Column(each.name, each.type) for each in self.table.columns]
        key = next((each for each in columns if each.name in self.table.key[:1]), None)
        place, above, watermark = JdbcTable(self.table.schema, self.table.name), None, None
        if since is not None:
            found = watermark_column(self.table, since)
            above = (Column(found.name, found.type), since.value)
            watermark = self.database.largest(place, *above)
        files = self.database.write(place, columns, above, partitions or 1, key, into / "rows")
        rows = sum(pq.ParquetFile(file).metadata.num_rows for file in files)
        return ReadRows(files, rows, watermark)
