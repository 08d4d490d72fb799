"""SHOW SYNCS and DESC SYNC."""

from __future__ import annotations

from dataclasses import replace

from headrace.commands.local_view import selected
from headrace.commands.show import like, schema_named
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.syncs.grammar import DescribeSync, ShowSyncs
from headrace.features.syncs.model import Sync, SyncMode, SyncTable
from headrace.ingest.batch.position import BatchPosition
from headrace.ingest.cdc.open_source import open_source
from headrace.ingest.cdc.source import ChangeSource
from headrace.ingest.cdc.table_position import TablePosition
from headrace.ingest.find_sync import connection_of, find_sync
from headrace.ingest.synced_position import position_key
from headrace.ingest.writer import current_position
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.described import info_table
from headrace.views.syncs import SyncDetails, SyncRow, SyncTableRow


def show_syncs(statement: ShowSyncs, given: StatementInput, context: StatementContext) -> Result:
    syncs = context.lake.store.syncs.all()
    if statement.schema is not None:
        syncs = context.lake.store.syncs.in_schema(*schema_named(statement.schema, given.text, context))
    rows = [SyncRow.of(sync) for sync in syncs if like(sync.name.table, statement.like)]
    table = to_arrow(SyncRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def describe_sync(statement: DescribeSync, given: StatementInput, context: StatementContext) -> Result:
    """EXTENDED: a row for each table, as table and database say it now."""
    sync, zone = find_sync(statement.name, given, context), context.lake.settings.zone
    if not statement.extended:
        return Result(LocalRows(info_table(SyncDetails.of(sync), zone)))
    if sync.mode is SyncMode.BATCH:
        rows = [_batch_row(table, sync, context) for table in sync.tables]
    else:
        with open_source(connection_of(sync, context), sync.id, context.lake.secret_value) as source:
            rows = [_table_row(table, sync, source, context) for table in sync.tables]
    return Result(LocalRows(to_arrow(SyncTableRow, rows, zone)))


def _batch_row(table: SyncTable, sync: Sync, context: StatementContext) -> SyncTableRow:
    found = current_position(table.target, position_key(table.source), context.session)
    position = None if found is None else BatchPosition.from_json(found)
    if position is not None:
        table = replace(table, phase=position.phase)
    return SyncTableRow.of(table, sync, None if position is None else str(position), None, None)


def _table_row(table: SyncTable, sync: Sync, source: ChangeSource, context: StatementContext) -> SyncTableRow:
    found = current_position(table.target, position_key(table.source), context.session)
    position = None if found is None else TablePosition.from_json(found)
    lag = None if position is None else source.lag(position.at).bytes
    if position is not None:
        table = replace(table, phase=position.phase.value)
    return SyncTableRow.of(table, sync, None if position is None else position.at, lag, source.held_bytes())
