"""CREATE and DROP SYNC."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from headrace.commands.error_location import pointing_at
from headrace.commands.new_names import expect_schema, new_name
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import AlreadyExists, Error
from headrace.features.syncs.grammar import CreateSync, DropSync
from headrace.features.syncs.model import Sync, SyncMode, SyncSettings
from headrace.features.tasks.task_changes import schedule_of
from headrace.features.vclusters.vcluster_changes import find_vcluster
from headrace.ingest.cdc.shards import expect_equal_shards
from headrace.ingest.cdc.source import Identity, SyncSource
from headrace.ingest.connection_statements import find_connection
from headrace.ingest.find_sync import connection_of, find_sync, opened_source, sync_named
from headrace.ingest.open_sync import kept_for, open_sync
from headrace.ingest.sync_tables import (
    begin_table,
    chosen_tables,
    create_table,
    described_tables,
    expect_free,
    first_position,
    target_of,
    warnings_of,
)
from headrace.model.names import TableName
from headrace.model.vcluster import DEFAULT_VCLUSTER, VclusterType
from headrace.result import NOTHING, Result
from headrace.sql.parsing.statements import Word

_NO_SERVER = (
    "no server is running for this lake, so the sync does not run automatically; start one with"
    " `headrace serve`, or run the sync with EXECUTE SYNC {name}"
)


def create_sync(statement: CreateSync, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = new_name(statement.name, context)
        if context.lake.store.syncs.find(name) is not None:
            if statement.if_not_exists:
                return Result(NOTHING, (f"sync {name} already exists, nothing was done",))
            raise AlreadyExists(f"sync {name} already exists")
    connection = find_connection(statement.connection, given, context)
    sync = _sync(statement, name, given, context)
    with open_sync(sync.mode, connection, sync.id, context) as source:
        with pointing_at(given.text, statement.connection.span):
            source.check()
        identities = chosen_tables(statement.patterns, source, sync, given)
        sync = replace(sync, tables=tuple(target_of(each, sync, context) for each in identities))
        expect_free(sync.tables, sync.mode, context)
        expect_equal_shards(identities, sync.tables)
        _make(sync, identities, source, statement.position, given, context)
    notices = [described_tables(sync), *warnings_of(identities, sync)]
    if not context.lake.is_scheduled and not _is_manual(sync):
        notices.append(_NO_SERVER.format(name=name))
    return Result(NOTHING, tuple(notices))


def _is_manual(sync: Sync) -> bool:
    return sync.mode is SyncMode.BATCH and sync.settings.schedule is None


def _sync(statement: CreateSync, name: TableName, given: StatementInput, context: StatementContext) -> Sync:
    workspace, schema = name.workspace, name.schema
    if statement.schema is not None:
        with pointing_at(given.text, statement.schema.span):
            inside = context.session.resolve_new((*statement.schema.parts, "t"))
            workspace, schema = inside.workspace, inside.schema
            expect_schema(workspace, schema, context)
    now = context.now()
    settings = SyncSettings(_cluster(statement, given, context), comment=statement.comment)
    if statement.interval_seconds is not None:
        settings = replace(settings, interval_seconds=statement.interval_seconds)
    if statement.schedule is not None:
        schedule = schedule_of(statement.schedule, given.text, context.lake.settings)
        settings = replace(settings, schedule=schedule)
    return Sync(
        uuid.uuid4().hex[:16],
        name,
        statement.connection.text,
        tuple(pattern.text for pattern in statement.patterns),
        workspace,
        schema,
        statement.prefix,
        statement.mode,
        statement.start,
        (),
        settings,
        context.user,
        now,
        now,
        reads=statement.reads,
    )


def _cluster(statement: CreateSync, given: StatementInput, context: StatementContext) -> str:
    """As given; else one for integration, if there is one; else the default one."""
    vclusters = context.lake.store.vclusters
    if statement.cluster is not None:
        return find_vcluster(statement.cluster, given.text, vclusters).name
    suited = (each.name for each in vclusters.all() if each.type is VclusterType.INTEGRATION)
    return next(suited, DEFAULT_VCLUSTER)


def _make(
    sync: Sync,
    identities: Sequence[Identity],
    source: SyncSource,
    position: Word | None,
    given: StatementInput,
    context: StatementContext,
) -> None:
    """What was made is undone if anything fails. After a kill the sync exists, paused; drop it."""
    store, made = context.lake.store.syncs, list[TableName]()
    store.create(replace(sync, settings=replace(sync.settings, is_paused=True)))
    try:
        start = first_position(source.start(identities), sync.start)
        if position is not None:
            with pointing_at(given.text, position.span):
                start = source.place(position.text)
        for identity, table in zip(identities, sync.tables, strict=True):
            if table.target not in made:
                create_table(table.target, identity.table, sync.mode, context)
                made.append(table.target)
            begin_table(table, start, context)
        store.change(sync, sync.settings, sync.modified_at)
    except BaseException:
        for target in made:
            context.session.run(f"DROP TABLE IF EXISTS {target.sql}")
        source.end()
        store.drop(sync)
        raise


def drop_sync(statement: DropSync, given: StatementInput, context: StatementContext) -> Result:
    """The tables stay."""
    if statement.if_exists and sync_named(statement.name, context) is None:
        return Result(NOTHING, (f"sync {context.resolve(statement.name)} does not exist, nothing was done",))
    sync = find_sync(statement.name, given, context)
    connection, notices = connection_of(sync, context), tuple[str, ...]()
    if (kept := kept_for(sync.mode, connection, sync.id)) is not None:
        try:
            with opened_source(sync, context) as source:
                source.end()
        except Error as error:
            if not statement.force:
                error.hint = f"DROP SYNC {sync.name} FORCE leaves what the database keeps for it: {kept}"
                raise
            notices = (f"in the database, remove {kept}, which holds back its log",)
    context.lake.store.syncs.drop(sync)
    return Result(NOTHING, notices)
