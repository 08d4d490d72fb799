"""ALTER SYNC."""

from __future__ import annotations

from dataclasses import replace

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.features.syncs.grammar import AlterSync, SyncAction
from headrace.features.syncs.model import Sync, SyncMode, SyncSettings, SyncTable
from headrace.features.tasks.task_changes import schedule_of
from headrace.ingest.cdc.follow_schema import follow_schema
from headrace.ingest.find_sync import find_sync, opened_source
from headrace.ingest.sync_tables import (
    begin_table,
    chosen_tables,
    create_table,
    described_tables,
    expect_followed,
    expect_free,
    first_position,
    fit_columns,
    target_of,
    warnings_of,
)
from headrace.result import NOTHING, Result
from headrace.sql.parsing.statements import Word


def alter_sync(statement: AlterSync, given: StatementInput, context: StatementContext) -> Result:
    sync = find_sync(statement.name, given, context)
    match statement.action:
        case SyncAction.PAUSE | SyncAction.RESUME:
            settings = replace(sync.settings, is_paused=statement.action is SyncAction.PAUSE)
            context.lake.store.syncs.change(sync, settings, context.now())
        case SyncAction.SET:
            context.lake.store.syncs.change(sync, _changed(sync, statement, given, context), context.now())
        case SyncAction.ADD if statement.table is not None:
            return _add_table(sync, statement.table, given, context)
        case SyncAction.REMOVE if statement.table is not None:
            _remove_table(sync, statement.table, given, context)
        case SyncAction.RESYNC:
            _resync(sync, statement.table, given, context)
    return Result(NOTHING)


def _changed(
    sync: Sync, statement: AlterSync, given: StatementInput, context: StatementContext
) -> SyncSettings:
    is_batch = sync.mode is SyncMode.BATCH
    with pointing_at(given.text, statement.name.span):
        if statement.schedule is not None and not is_batch:
            raise Refused(
                f"sync {sync.name} reads a log, so it has no schedule",
                hint="SET COMMIT_INTERVAL_IN_SECONDS = n says how often it commits",
            )
        if statement.interval_seconds is not None and is_batch:
            raise Refused(
                f"sync {sync.name} has MODE = BATCH, so it has no commit interval",
                hint="SET SCHEDULE INTERVAL 1 HOUR, or SET SCHEDULE CRON '0 2 * * *'",
            )
    if statement.schedule is not None:
        schedule = schedule_of(statement.schedule, given.text, context.lake.settings)
        return replace(sync.settings, schedule=schedule)
    return replace(
        sync.settings, interval_seconds=statement.interval_seconds or sync.settings.interval_seconds
    )


def _add_table(sync: Sync, table: Word, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, table.span):
        if any(each.source == table.text for each in sync.tables):
            raise AlreadyExists(f"{table.text} is a table of sync {sync.name} already")
    with opened_source(sync, context) as source:
        identities = chosen_tables([table], source, sync, given)
        added = replace(sync, tables=tuple(target_of(each, sync, context) for each in identities))
        merged = {each.target for each in sync.tables} if sync.mode is SyncMode.SHARD_MERGE else set()
        expect_free([each for each in added.tables if each.target not in merged], sync.mode, context)
        start = first_position(source.add(identities), sync.start)
        for identity, each in zip(identities, added.tables, strict=True):
            if each.target not in merged:
                create_table(each.target, identity.table, sync.mode, context)
                merged.add(each.target)
            begin_table(each, start, context)
        context.lake.store.syncs.change_tables(sync, (*sync.tables, *added.tables))
    return Result(NOTHING, (described_tables(added), *warnings_of(identities, sync)))


def _remove_table(sync: Sync, table: Word, given: StatementInput, context: StatementContext) -> None:
    found = _table_of(sync, table, given)
    if len(sync.tables) == 1:
        raise Refused(f"{found.source} is the only table of sync {sync.name}", hint=f"DROP SYNC {sync.name}")
    kept = [each for each in sync.tables if each.source != found.source]
    context.lake.store.syncs.change_tables(sync, kept)
    with opened_source(sync, context) as source:
        source.remove([found.source])


def _resync(sync: Sync, table: Word | None, given: StatementInput, context: StatementContext) -> None:
    """The rows that the table has are replaced by the first ones that are read; all columns are followed."""
    chosen = sync.tables if table is None else (_table_of(sync, table, given),)
    with opened_source(sync, context) as source:
        source.check()
        identities = {
            each.table.full_name: each for each in source.discover([each.source for each in chosen])
        }
        for each in chosen:
            if each.source not in identities:
                raise NotFound(f"{each.source} does not exist in the database")
            expect_followed(identities[each.source], sync)
        start = source.start(list(identities.values())).replacing()
        begun = {}
        for each in chosen:
            source_table = identities[each.source].table
            if sync.mode is SyncMode.SHARD_MERGE:
                target = context.session.catalog.existing_table(each.target)
                follow_schema(target, source_table, source_table.key, sync.mode, context.session)
            else:
                fit_columns(each.target, source_table, sync.mode, context)
            begin_table(each, start, context)
            begun[each.source] = replace(each, error=None, key=source_table.key, phase="SNAPSHOT")
    context.lake.store.syncs.change_tables(sync, [begun.get(each.source, each) for each in sync.tables])


def _table_of(sync: Sync, table: Word, given: StatementInput) -> SyncTable:
    found = next((each for each in sync.tables if each.source == table.text), None)
    with pointing_at(given.text, table.span):
        if found is None:
            raise NotFound(
                f"{table.text} is not a table of sync {sync.name}", hint=f"DESC SYNC {sync.name} lists them"
            )
    return found
