"""What a store needs: a transaction to write in, and the rows of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, or_, true
from sqlalchemy.dialects import postgresql, sqlite

from headrace.catalog.rows import Row, name_to_columns
from headrace.model.names import TableName
from headrace.model.position import Position

Write = Callable[[], AbstractContextManager[Connection]]
Read = Callable[[Table, Select[Any]], AbstractContextManager[Iterator[Row]]]

UpsertInsert = postgresql.Insert | sqlite.Insert


def named(table: Table, name: TableName) -> ColumnElement[bool]:
    return and_(*(table.c[column] == value for column, value in name_to_columns(name).items()))


def insert_on_conflict(connection: Connection, table: Table) -> UpsertInsert:
    """An INSERT that can say what happens if the key is taken; both databases spell it alike."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def older(columns: Sequence[ColumnElement[Any]], than: Position | None) -> ColumnElement[bool]:
    """The rows after a position in a list that is newest first by ``columns``; all without one."""
    if than is None:
        return true()
    first, value = columns[0], than[0]
    is_less: ColumnElement[bool] = first < value
    if len(columns) == 1:
        return is_less
    return or_(is_less, and_(first == value, older(columns[1:], than[1:])))


def upsert(connection: Connection, table: Table, *rows: dict[str, Any]) -> None:
    """Inserts each, or updates the row with its primary key; two that race both succeed."""
    if not rows:
        return
    key = [column.name for column in table.primary_key.columns]
    wanted = insert_on_conflict(connection, table)
    changed = {name: wanted.excluded[name] for name in rows[0] if name not in key}
    connection.execute(wanted.on_conflict_do_update(index_elements=key, set_=changed), rows)
