"""Statements that read table streams: a SELECT leaves them where they are, a write moves them, exactly once.

A write is announced in the metadata database first, with the streams that it moves and how far. Its commit
carries the announcement's id. When it has ended, the streams move and the announcement goes, in one
transaction. Where that was cut short, the table written to tells whether the commit is there.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from headrace.catalog.store import MetadataStore
from headrace.commands.statement_context import StatementContext
from headrace.errors import NotFound, StreamBusy
from headrace.features.streams.model import Consumption, TableStream
from headrace.features.streams.settle_consumption import CONSUMPTION_ID, settle_consumption
from headrace.features.streams.staged_rows import StreamRows, stream_rows, streams_shown
from headrace.features.streams.streams_read import Consumer, consumer_in, streams_read, with_full_names
from headrace.lake.commit.marked_statement import run_marked
from headrace.lake.session import LakeSession, Parameters
from headrace.lake.spark.spark_rows import SparkRows
from headrace.lake.table.tables import Table, TableCatalog
from headrace.model.names import TableName
from headrace.sql.parsed import ParsedStatement
from headrace.sql.tokens.positions import Rewritten

Run = Callable[[Rewritten, Parameters | None], SparkRows]


@contextmanager
def with_streams(statement: ParsedStatement, context: StatementContext) -> Iterator[Run]:
    """Gives what runs the statement, in the form in which it goes to Spark; the streams are there inside."""
    streams = streams_read(statement, context.lake.store.streams, context.session)
    if not streams:
        yield context.session.run
        return
    consumer = consumer_in(statement, context.session)
    access = (
        _reading(streams, statement, context) if consumer is None else _consuming(streams, consumer, context)
    )
    with access as run:
        yield run


@contextmanager
def _reading(
    streams: list[TableStream], statement: ParsedStatement, context: StatementContext
) -> Iterator[Run]:
    scans = context.lake.held_scans
    scans.close_unused()
    with ExitStack() as held:
        shown = _staged(streams, held, context.session)

        def run(sent: Rewritten, parameters: Parameters | None) -> SparkRows:
            names = context.lake.store.streams.names()
            rows = context.session.run(with_full_names(sent, statement, names, context.session), parameters)
            scans.hold(rows, held.pop_all())
            return rows

        with streams_shown(shown, context.session):
            yield run


@contextmanager
def _consuming(streams: list[TableStream], consumer: Consumer, context: StatementContext) -> Iterator[Run]:
    store, catalog = context.lake.store, context.session.catalog
    with context.lake.alone_with_streams(streams), ExitStack() as held:
        current = [_as_it_is_now(stream, store, catalog) for stream in streams]
        shown = _staged(current, held, context.session)
        offsets = {stream.id: shown[stream.name].upto for stream in current}
        consumption = Consumption(uuid.uuid4().hex, consumer.target, context.now(), offsets)

        def run(sent: Rewritten, parameters: Parameters | None) -> SparkRows:
            return run_marked(context.session, sent, parameters, (CONSUMPTION_ID, consumption.id))

        store.streams.begin(consumption, current)
        try:
            with streams_shown(shown, context.session):
                yield run
        except BaseException:
            settle_consumption(consumption, catalog, store.streams)
            raise
        if consumer.may_do_nothing:
            settle_consumption(consumption, catalog, store.streams)
        else:
            store.streams.finish(consumption)


def _as_it_is_now(stream: TableStream, store: MetadataStore, catalog: TableCatalog) -> TableStream:
    """Nobody else consumes it now; what another statement could not end is settled first."""
    found = store.streams.find(stream.name)
    if found is not None and found.claimed_by is not None:
        for consumption in store.streams.unended(found.claimed_by):
            settle_consumption(consumption, catalog, store.streams)
        found = store.streams.find(stream.name)
    if found is None or found.id != stream.id:
        raise StreamBusy(f"{stream.name} was concurrently dropped or replaced", hint="try again")
    return found


def _staged(
    streams: list[TableStream], held: ExitStack, session: LakeSession
) -> Mapping[TableName, StreamRows]:
    return {
        stream.name: held.enter_context(stream_rows(stream, source_of(stream, session.catalog), session))
        for stream in streams
    }


def source_of(stream: TableStream, catalog: TableCatalog) -> Table:
    found = catalog.table(stream.source)
    if found is None:
        raise NotFound(
            f"table {stream.source} of the table stream {stream.name} does not exist",
            hint=f"if it was dropped, restore it with UNDROP TABLE {stream.source}",
        )
    return found
