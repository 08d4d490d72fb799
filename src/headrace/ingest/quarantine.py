"""``t__rejected``: records of the sources of ``t`` that could not be read, as they came.

Its rows have a position of their own, so that each record comes here once, too: they are committed before
the rows of the same batch come into ``t``, and a batch that is repeated brings no row a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headrace.errors import Refused
from headrace.lake.commit.positioned_commit import commit_with_position, position_of
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.names import TableName

COLUMNS = ("rejected_at", "source", "place", "reason", "raw")


def rejected_table(target: TableName) -> TableName:
    return replace(target, table=f"{target.table}__rejected")


def quarantine(
    target: TableName,
    key: str,
    end_after: Callable[[str | None, Table], str | None],
    rows: Callable[[str | None], str | None],
    session: LakeSession,
) -> None:
    """``rows`` is a query of the columns above, given the position that the table of rejected rows has.

    ``end_after`` is the position that they lead to; None: all of them are there.
    """
    name = rejected_table(target)
    session.run(
        f"CREATE TABLE IF NOT EXISTS {name.sql}"
        " (rejected_at TIMESTAMP, source STRING, place STRING, reason STRING, raw STRING)"
    )
    table = session.catalog.existing_table(name)
    _expect_columns(table)
    start = position_of(table, key, session)
    end = end_after(start, table)
    query = None if end is None else rows(start)
    if end is not None and query is not None:
        listed = ", ".join(COLUMNS)
        commit_with_position(
            table, key, start, end, lambda into: f"INSERT INTO {into} ({listed}) {query}", session
        )


def _expect_columns(table: Table) -> None:
    missing = [each for each in COLUMNS if each not in table.columns]
    if missing:
        raise Refused(
            f"{table.name} is not a table of rejected rows: it has no column {missing[0]}",
            hint="rename it, and the next run creates one",
        )
