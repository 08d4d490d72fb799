"""Which sync a statement is about, and its source."""

from __future__ import annotations

from contextlib import AbstractContextManager

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound
from headrace.features.connections.model import SourceConnection
from headrace.features.syncs.model import Sync
from headrace.ingest.cdc.source import SyncSource
from headrace.ingest.open_sync import open_sync
from headrace.sql.parsing.statements import Name


def opened_source(sync: Sync, context: StatementContext) -> AbstractContextManager[SyncSource]:
    return open_sync(sync.mode, connection_of(sync, context), sync.id, context)


def connection_of(sync: Sync, context: StatementContext) -> SourceConnection:
    found = context.lake.store.connections.find(sync.connection)
    if found is None:
        raise NotFound(f"connection {sync.connection} does not exist")
    return found


def find_sync(name: Name, given: StatementInput, context: StatementContext) -> Sync:
    with pointing_at(given.text, name.span):
        found = sync_named(name, context)
        if found is None:
            raise NotFound(f"sync {context.resolve(name)} does not exist", hint="SHOW SYNCS lists all syncs")
        return found


def sync_named(name: Name, context: StatementContext) -> Sync | None:
    return context.lake.store.syncs.find(context.resolve(name))
