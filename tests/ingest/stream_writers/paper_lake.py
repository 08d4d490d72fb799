"""Stream writers without a JVM: tables are metadata files, and what is committed is a list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from headrace.commands.databases import open_catalog
from headrace.errors import Error
from headrace.ingest.stream_writers.stream_writes import CommitOrder, Limits, StreamWrites
from headrace.ingest.stream_writers.targets import Targets
from headrace.lake.directory import LakeDirectory
from headrace.lake.write_ahead.segment import read_records
from headrace.model.client_positions import STREAM_KEY, ClientPositions, StreamCommit
from headrace.model.names import TableName
from tests.paper_catalog import PaperCatalog

T = TableName("lake", "public", "t")
COLUMNS = {"id": "long!", "name": "string"}
START = datetime(2030, 1, 1, tzinfo=UTC)


class PaperCommits:
    """As the process of a cluster does it."""

    def __init__(self, catalog: PaperCatalog) -> None:
        self.rows: dict[TableName, list[dict[str, Any]]] = defaultdict(list)
        self.orders: list[CommitOrder] = []
        self.failure: Error | None = None
        self.fails_after = False
        """The rows are in the table then, and nobody hears of it."""
        self._catalog = catalog
        self._positions: dict[str, ClientPositions] = {}

    def commit(self, order: CommitOrder) -> StreamCommit:
        self.orders.append(order)
        if self.failure is not None and not self.fails_after:
            raise self.failure
        done = self._commit(order.table, order.uuid, order.files, order.ended)
        if self.failure is not None:
            raise self.failure
        return done

    def _commit(self, table: TableName, uuid: str, files: Sequence[Path], ended: Any) -> StreamCommit:
        known = self._positions.get(uuid, ClientPositions())
        written: dict[str, int] = {}
        count = 0
        for file in files:
            for record in read_records(file):
                head = record.head
                if head.sequence > written.get(head.client, known.sequence_of(head.client)):
                    written[head.client] = head.sequence
                    self.rows[table] += record.table().to_pylist()
                    count += head.rows
        if written:
            known = self._positions[uuid] = known.after(written, ended, int(START.timestamp()))
            self._catalog.commit(table, START, {STREAM_KEY: known.to_json()})
        return StreamCommit(known.to_json(), count)


def open_writes(
    lake: LakeDirectory, commits: PaperCommits, readers: Sequence[TableName] = (), most_bytes: int = 1 << 20
) -> StreamWrites:
    """As a process opens them; nothing runs by itself."""
    return StreamWrites(
        lake.write_ahead,
        Targets(open_catalog(lake), lambda: [TableName("lake", "public", "dynamic")]),
        commits.commit,
        lambda: readers,
        Limits(60, most_bytes),
        lambda: START,
    )
