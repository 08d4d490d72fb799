"""VACUUM: deletes for good what is past its retention, and what belongs to no table or data file."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound
from headrace.features.recovery.grammar import Vacuum
from headrace.features.recovery.store import DroppedObjects
from headrace.features.recovery.trash import begin_expired_purges, purge
from headrace.lake.commit.upkeep import remove_unreferenced_files
from headrace.lake.table.tables import TableCatalog
from headrace.model.dropped import Dropped
from headrace.model.names import TableName
from headrace.refresh.inner_aggregates import owner_of
from headrace.refresh.stored_groups import remove_stored_groups
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.objects import RemovedTableRow

WRITERS_MAY_TAKE = timedelta(days=3)
"""A file that nothing refers to may still be waiting for its commit; after so long it is not."""


def vacuum(statement: Vacuum, given: StatementInput, context: StatementContext) -> Result:
    """The answer lists what was deleted."""
    store, name = context.lake.store, None
    if statement.name is not None:
        with pointing_at(given.text, statement.name.span):
            name = context.resolve(statement.name)
            _expect_known(name, context.session.catalog, store.dropped)
    with context.lake.purging:
        with context.lake.moving_names:
            removed = begin_expired_purges(store.dropped, context.now(), name)
        for dropped in removed:
            purge(dropped, store.dropped, store.streams, context.session.catalog)
    rows = to_arrow(RemovedTableRow, map(RemovedTableRow.of, removed), context.lake.settings.zone)
    kept = [] if name is None else store.dropped.of_name(name)
    notices = (_kept_notice(dropped, context.lake.settings.zone) for dropped in kept)
    return Result(
        LocalRows(rows),
        (*notices, *_cleaned(name, context), *_without_orphans(name, context), *_without_groups(context)),
    )


def _cleaned(name: TableName | None, context: StatementContext) -> tuple[str, ...]:
    """What killed writers have left in the directory of a table that is named."""
    if name is None or context.session.catalog.table(name) is None:
        return ()
    with context.lake.borrow_session() as session:
        limit = context.now() - WRITERS_MAY_TAKE
        count = remove_unreferenced_files(name, context.session.catalog, session, limit)
    return (f"{count} files that no version of {name} refers to were deleted",) if count else ()


def _without_orphans(name: TableName | None, context: StatementContext) -> tuple[str, ...]:
    """Key indexes of data files that are gone: of a table that is named, or of all."""
    indexes = context.lake.key_indexes
    count = indexes.remove_orphans(context.now()) if name is None else indexes.remove_orphans_of(name)
    return (f"{count} key indexes of data files that no longer exist were deleted",) if count else ()


def _without_groups(context: StatementContext) -> tuple[str, ...]:
    """Stored groups of dynamic tables that are gone for good."""
    store = context.lake.store
    owners = {table.id for table in store.definitions.all()}
    kept = {each.dynamic_table_id for each in (*store.dropped.all(), *store.dropped.purging())}
    count = remove_stored_groups(context.session.catalog, lambda name: owner_of(name) in owners | kept)
    return (f"{count} tables of stored groups that belong to no dynamic table were deleted",) if count else ()


def _expect_known(name: TableName, catalog: TableCatalog, dropped: DroppedObjects) -> None:
    known = (catalog.table(name), dropped.of_name(name), name in {each.name for each in dropped.purging()})
    if not any(known):
        raise NotFound(
            f"table {name} does not exist, and no dropped table has that name",
            hint="SHOW TABLES HISTORY lists all dropped tables",
        )


def _kept_notice(dropped: Dropped, zone: ZoneInfo) -> str:
    return (
        f"{dropped.name}, dropped at {dropped.dropped_at.astimezone(zone):%Y-%m-%d %H:%M:%S}, "
        f"is kept until {dropped.undrop_until.astimezone(zone):%Y-%m-%d %H:%M:%S}"
    )
