"""The tables of a sync: which ones are chosen, and how their tables of the lake are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from headrace.commands.error_location import pointing_at
from headrace.commands.new_names import expect_possible
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.features.syncs.model import Sync, SyncMode, SyncStart, SyncTable
from headrace.ingest.cdc.changes import SourceTable
from headrace.ingest.cdc.shards import merged_name
from headrace.ingest.cdc.source import Identity, StartPosition, SyncSource
from headrace.ingest.cdc.write_sql import added_columns
from headrace.ingest.synced_position import position_key
from headrace.ingest.writer import current_position
from headrace.lake.commit.positioned_commit import commit_with_position
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.sql.parsing.statements import Word


def chosen_tables(
    patterns: Sequence[Word], source: SyncSource, sync: Sync, given: StatementInput
) -> list[Identity]:
    """The tables that fit, each once; every pattern must find one."""
    chosen: dict[str, Identity] = {}
    for pattern in patterns:
        with pointing_at(given.text, pattern.span):
            found = source.discover([pattern.text])
            if not found:
                raise NotFound(
                    f"no table of the database fits {pattern.text}",
                    hint="names are schema.table, in the case that the database has them in;"
                    " the user of the connection must be allowed to read them",
                )
            for each in found:
                expect_followed(each, sync)
                chosen[each.table.full_name] = each
    return list(chosen.values())


def expect_followed(identity: Identity, sync: Sync) -> None:
    table, mode = identity.table, sync.mode
    if not table.columns:
        raise Refused(f"{table.full_name} has no columns")
    if problem := identity.problem or (mode is not SyncMode.BATCH and identity.log_problem):
        raise Refused(f"{table.full_name} cannot be synced: {problem}")
    doubled = [name for name, count in Counter(c.name.lower() for c in table.columns).items() if count > 1]
    if doubled:
        raise Refused(f"{table.full_name} has two columns {doubled[0]}, which differ only in case")
    own = {name for name, _ in added_columns(mode)}
    if taken := [column.name for column in table.columns if column.name.lower() in own]:
        raise Refused(f"{table.full_name} has a column {taken[0]}, which MODE = {mode} adds itself")
    if mode is SyncMode.SHARD_MERGE and not table.key:
        raise Refused(f"{table.full_name} has no primary key, which MODE = SHARD_MERGE requires")
    if sync.reads.watermark is not None:
        _expect_watermark(table, sync.reads.watermark)
    if mode not in (SyncMode.APPEND, SyncMode.BATCH) and not identity.is_known:
        raise Refused(
            f"{table.full_name} has no primary key, so its log does not say which row was changed",
            hint=f"ALTER TABLE {table.full_name} REPLICA IDENTITY FULL in the database,"
            " or use MODE = APPEND, which then has inserts alone",
        )


def _expect_watermark(table: SourceTable, column: str) -> None:
    if column not in (each.name for each in table.columns):
        raise Refused(
            f"{table.full_name} has no column {column}, which is the watermark of the sync",
            hint="create a sync without WATERMARK for tables that do not have it",
        )
    if not table.key:
        raise Refused(
            f"{table.full_name} has no primary key, which WATERMARK requires to find rows again",
            hint="create a sync without WATERMARK, which compares whole rows",
        )


def target_of(identity: Identity, sync: Sync, context: StatementContext) -> SyncTable:
    table = identity.table
    own = table.name if sync.mode is not SyncMode.SHARD_MERGE else merged_name(table, sync.patterns)
    name = context.session.resolve_new((sync.target_workspace, sync.target_schema, sync.prefix + own))
    expect_possible(name.table)
    return SyncTable(table.full_name, name, table.key)


def expect_free(tables: Sequence[SyncTable], mode: SyncMode, context: StatementContext) -> None:
    targets = Counter(str(table.target).lower() for table in tables)
    for table in tables:
        if targets[str(table.target).lower()] > 1 and mode is not SyncMode.SHARD_MERGE:
            raise Refused(
                f"two tables would become {table.target}, one of them {table.source}",
                hint="use a sync with a PREFIX for each schema, or MODE = SHARD_MERGE",
            )
        kind = context.kind_of(table.target)
        if kind is not None:
            raise AlreadyExists(
                f"{kind} {table.target} already exists, so {table.source} cannot be synced into it",
                hint="drop it, or choose another schema or PREFIX",
            )


def first_position(start: StartPosition, wanted: SyncStart) -> StartPosition:
    return start if wanted is SyncStart.SNAPSHOT else start.without_rows()


def create_table(name: TableName, table: SourceTable, mode: SyncMode, context: StatementContext) -> None:
    columns = [*((column.name, column.type) for column in table.columns), *added_columns(mode)]
    listed = ", ".join(f"{quote_identifier(column)} {kind}" for column, kind in columns)
    context.session.run(f"CREATE TABLE {name.sql} ({listed})")


def begin_table(table: SyncTable, position: StartPosition, context: StatementContext) -> None:
    session, key = context.session, position_key(table.source)
    current = current_position(table.target, key, session)
    loaded = session.catalog.existing_table(table.target)
    commit_with_position(loaded, key, current, position.to_json(), lambda into: None, session)


def fit_columns(name: TableName, table: SourceTable, mode: SyncMode, context: StatementContext) -> None:
    """The columns that the source has now: what is missing or has another type is made anew."""
    own = {column for column, _ in added_columns(mode)}
    known = {
        column.name: column.type for column in context.session.analyze(f"SELECT * FROM {name.sql}").columns
    }
    wanted = {column.name: column.type for column in table.columns}
    for column, kind in known.items():
        if column not in own and wanted.get(column) != kind and len(known) > 1:
            context.session.run(f"ALTER TABLE {name.sql} DROP COLUMN {quote_identifier(column)}")
    for column, kind in wanted.items():
        if known.get(column) != kind:
            context.session.run(f"ALTER TABLE {name.sql} ADD COLUMN {quote_identifier(column)} {kind}")


def described_tables(sync: Sync) -> str:
    listed = ", ".join(f"{table.source} -> {table.target}" for table in sync.tables[:5])
    more = f" and {len(sync.tables) - 5} more" if len(sync.tables) > 5 else ""
    return f"created {len(sync.tables)} tables: {listed}{more}"


def warnings_of(identities: Sequence[Identity], sync: Sync) -> list[str]:
    return [
        f"{each.table.full_name} has no primary key: only its inserts are recorded"
        for each in identities
        if not each.is_known and sync.mode is SyncMode.APPEND
    ]
