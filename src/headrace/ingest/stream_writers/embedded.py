"""Stream writers of a lake that this process has open, with Spark inside it."""

from __future__ import annotations

import threading

from headrace.commands.open_lake import OpenLake
from headrace.ingest.stream_writers.stream_writes import CommitOrder, Limits, StreamWrites
from headrace.ingest.stream_writers.targets import Targets
from headrace.lake.commit.streamed_rows import StreamedRows
from headrace.lake.spark.engine import engine_needed
from headrace.model.client_positions import StreamCommit

_open: dict[OpenLake, StreamWrites] = {}
_lock = threading.Lock()


def writes_of(lake: OpenLake) -> StreamWrites | None:
    """None: no row was ever streamed into the lake here."""
    with _lock:
        known = _open.get(lake)
    if known is None and lake.directory.write_ahead.is_dir() and not lake.is_shared:
        return open_writes(lake)
    return known


def open_writes(lake: OpenLake) -> StreamWrites:
    """One for all connections of the process; it is closed with the lake."""
    with _lock:
        known = _open.get(lake)
        if known is None:
            known = _open[lake] = _start(lake)
        return known


def _start(lake: OpenLake) -> StreamWrites:
    settings = lake.settings

    def commit(order: CommitOrder) -> StreamCommit:
        with engine_needed(), lake.borrow_session() as session:
            rows = StreamedRows(order.table, order.uuid, order.files, session, lake.directory.staging)
            return rows.commit(order.ended, int(lake.clock().timestamp()))

    writes = StreamWrites(
        lake.directory.write_ahead,
        Targets(lake.backend, lake.store.definitions.names),
        commit,
        lambda: {*lake.backend.locations("VIEW"), *lake.store.streams.names()},
        Limits(settings.stream_commit_seconds, settings.stream_pending_mb << 20),
        lake.clock,
    )
    writes.start()
    lake.before_close(lambda: _stop(lake))
    return writes


def _stop(lake: OpenLake) -> None:
    with _lock:
        writes = _open.pop(lake)
    writes.stop(commit=True)
