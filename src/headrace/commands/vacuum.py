"""VACUUM: deletes for good what is past its retention, and what belongs to no table."""

from __future__ import annotations

from datetime import timedelta

from headrace.commands.keep import begin_expired_purges, purge
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound
from headrace.lake.upkeep import remove_unreferenced_files
from headrace.model.names import TableName
from headrace.result import LocalRows, Result
from headrace.sql.statements import Vacuum
from headrace.views.arrow import to_arrow
from headrace.views.objects import RemovedTableRow

WRITERS_MAY_TAKE = timedelta(days=3)
"""A file that nothing refers to may still be waiting for its commit; after so long it is not."""


def vacuum(statement: Vacuum, text: str, bench: Workbench) -> Result:
    """The answer lists what was deleted."""
    store, name = bench.lake.store, None
    if statement.name is not None:
        with pointing_at(text, statement.name.span):
            name = bench.resolve(statement.name)
            _expect_known(name, bench)
    with bench.lake.purging:
        with bench.lake.moving_names:
            removed = begin_expired_purges(store, bench.now(), name)
        for dropped in removed:
            purge(dropped, store, bench.session.catalog)
    rows = to_arrow(RemovedTableRow, map(RemovedTableRow.of, removed), bench.lake.settings.zone)
    return Result(LocalRows(rows), (*_notices(name, bench), *_cleaned(name, bench)))


def _cleaned(name: TableName | None, bench: Workbench) -> tuple[str, ...]:
    """What killed writers have left in the directory of a table that is named."""
    if name is None or bench.session.catalog.table(name) is None:
        return ()
    with bench.lake.borrow_session() as session:
        limit = bench.now() - WRITERS_MAY_TAKE
        count = remove_unreferenced_files(name, bench.session.catalog, session, limit)
    return (f"{count} files that no version of {name} refers to were deleted",) if count else ()


def _expect_known(name: TableName, bench: Workbench) -> None:
    catalog, dropped = bench.session.catalog, bench.lake.store.dropped
    known = (catalog.table(name), dropped.of_name(name), name in {each.name for each in dropped.purging()})
    if not any(known):
        raise NotFound(
            f"table {name} does not exist, and no dropped table has that name",
            hint="SHOW TABLES HISTORY lists all dropped tables",
        )


def _notices(name: TableName | None, bench: Workbench) -> tuple[str, ...]:
    kept = [] if name is None else bench.lake.store.dropped.of_name(name)
    zone = bench.lake.settings.zone
    return tuple(
        f"{name}, dropped at {dropped.dropped_at.astimezone(zone):%Y-%m-%d %H:%M:%S}, "
        f"is kept until {dropped.undrop_until.astimezone(zone):%Y-%m-%d %H:%M:%S}"
        for dropped in kept
    )
