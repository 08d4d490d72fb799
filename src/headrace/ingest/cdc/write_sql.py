"""Statements that bring staged rows into a table.

Staged rows are text. Of changes, ``__op`` is what is to be done, ``__kept`` names columns that keep their
values, and ``__key_0``, ``__key_1``, ... are the key of the row in the table that is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from headrace.features.syncs.model import SyncMode
from headrace.ingest.cdc.changes import Operation, SourceColumn, SourceTable
from headrace.ingest.cdc.net_changes import NetRow
from headrace.model.quoting import quote_identifier, quote_string

OPERATION, KEPT, POSITION, COMMITTED_AT, SEQUENCE = (
    "__op",
    "__kept",
    "__position",
    "__committed_at",
    "__sequence",
)
LOG_COLUMNS = (
    ("_operation", "string", OPERATION),
    ("_position", "string", POSITION),
    ("_sequence", "bigint", SEQUENCE),
    ("_committed_at", "timestamp", COMMITTED_AT),
    ("_unchanged_columns", "array<string>", KEPT),
)
"""Of a table that keeps the log of changes: name, type, and column of the staged rows."""
SHARD = "_shard"
"""Of a table that has the rows of several sources: which of them."""
_SCOPED = ("int", "bigint", "string")
_MOST_LISTED = 500
BROKEN = "headrace: the table does not have the rows that its source had"


@dataclass(frozen=True)
class Shard:
    """The rows of one source in a table that has those of several."""

    source: str
    columns: tuple[str, ...]
    """All of the table."""

    @property
    def condition(self) -> str:
        return f"{SHARD} = {quote_string(self.source)}"


def added_columns(mode: SyncMode) -> tuple[tuple[str, str], ...]:
    """Those of a table that its source does not have: name and type."""
    match mode:
        case SyncMode.MIRROR | SyncMode.BATCH:
            return ()
        case SyncMode.APPEND:
            return tuple((name, kind) for name, kind, _ in LOG_COLUMNS)
        case SyncMode.SHARD_MERGE:
            return ((SHARD, "string"),)
        case _:
            assert_never(mode)


def key_column(place: int) -> str:
    return f"__key_{place}"


def read_expression(column: SourceColumn, name: str | None = None) -> str:
    """SQL of the value, given the name of the staged column."""
    return column.expression.format(quote_identifier(name or column.name))


def truncate_sql(target: str, shard: Shard | None = None) -> str:
    """DELETE without a condition would not be one commit with the position."""
    others = "false" if shard is None else f"NOT {shard.condition}"
    return f"INSERT OVERWRITE {target} SELECT * FROM {target} WHERE {others}"


def logged(values: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """The columns of a log, each with its SQL; without values, as they are staged."""
    given = [staged for _, _, staged in LOG_COLUMNS] if values is None else values
    return [
        (name, f"CAST({value} AS {kind})") for (name, kind, _), value in zip(LOG_COLUMNS, given, strict=True)
    ]


def insert_sql(
    target: str,
    view: str,
    table: SourceTable,
    *,
    replaces: bool,
    added: Sequence[tuple[str, str]] = (),
    shard: Shard | None = None,
) -> str:
    """``replaces``: in the place of all rows of the table, or of the shard.

    ``added`` are columns that the source does not have, each with its SQL.
    """
    given = {column.name: read_expression(column) for column in table.columns} | dict(added)
    if shard is not None:
        given[SHARD] = quote_string(shard.source)
    others = ""
    if replaces and shard is not None:
        given = {name: given.get(name, "NULL") for name in shard.columns}
        others = f" UNION ALL SELECT {', '.join(map(_q, given))} FROM {target} WHERE NOT {shard.condition}"
    into = "OVERWRITE" if replaces else "INTO"
    values = ", ".join(given.values())
    return f"INSERT {into} {target} ({', '.join(map(_q, given))}) SELECT {values} FROM {view}{others}"


def merge_scope(rows: Sequence[NetRow], table: SourceTable) -> list[str]:
    """A condition on ``t`` that all rows to be changed meet, where the key is one column of a plain type."""
    column = next(each for each in table.columns if each.name == table.key[0])
    keys = {row.key[0] for row in rows if row.key is not None and row.key[0] is not None}
    if len(table.key) != 1 or column.type not in _SCOPED:
        return []
    if len(keys) <= _MOST_LISTED:
        values = sorted(keys)
        sign, listed = (
            "IN",
            f"({', '.join(column.expression.format(quote_string(value)) for value in values)})",
        )
    elif column.type == "string":
        return []
    else:
        numbers = sorted(map(int, keys))
        sign, listed = "BETWEEN", f"{numbers[0]} AND {numbers[-1]}"
    return [f"t.{_q(column.name)} {sign} {listed}"]


def merge_sql(
    target: str,
    view: str,
    table: SourceTable,
    scope: Sequence[str],
    *,
    is_partial: bool,
    shard: Shard | None = None,
) -> str:
    """``scope`` are conditions on ``t`` that all rows to be changed meet, so that others need not be read.

    In a table that is not ``is_partial``, a change of a row that is not there is an error.
    """
    of_key = {column.name: column for column in table.columns}
    keys = [
        f"{read_expression(of_key[name], key_column(place))} AS {key_column(place)}"
        for place, name in enumerate(table.key)
    ]
    values = [f"{read_expression(column)} AS {_q(column.name)}" for column in table.columns]
    matches = [f"t.{_q(name)} = s.{key_column(place)}" for place, name in enumerate(table.key)]
    if shard is not None:
        matches.append(f"t.{shard.condition}")
    return "\n".join(
        [
            f"MERGE INTO {target} AS t",
            f"USING (SELECT {OPERATION}, {KEPT}, {', '.join(keys + values)} FROM {view}) AS s",
            f"ON {' AND '.join([*matches, *scope])}",
            *_merge_clauses(table, is_partial, shard),
        ]
    )


def _merge_clauses(table: SourceTable, is_partial: bool, shard: Shard | None) -> Iterator[str]:
    first = table.columns[0]
    broken = f"CAST(raise_error({quote_string(BROKEN)}) AS {first.type})"
    is_insert, is_delete = (f"s.{OPERATION} = '{each}'" for each in (Operation.INSERT, Operation.DELETE))
    updates = ", ".join(f"{_q(column.name)} = {_updated(column)}" for column in table.columns)
    inserts = {_q(column.name): f"s.{_q(column.name)}" for column in table.columns}
    if shard is not None:
        inserts[SHARD] = quote_string(shard.source)
    columns, inserted = ", ".join(inserts), ", ".join(inserts.values())
    yield f"WHEN MATCHED AND {is_delete} THEN DELETE"
    if not is_partial:
        yield f"WHEN MATCHED AND {is_insert} THEN UPDATE SET {_q(first.name)} = {broken}"
    yield f"WHEN MATCHED THEN UPDATE SET {updates}"
    wanted = f"NOT {is_delete}" if is_partial else is_insert
    yield f"WHEN NOT MATCHED AND {wanted} THEN INSERT ({columns}) VALUES ({inserted})"
    if not is_partial:
        yield f"WHEN NOT MATCHED THEN INSERT ({_q(first.name)}) VALUES ({broken})"


def _updated(column: SourceColumn) -> str:
    name = _q(column.name)
    is_kept = f"array_contains(s.{KEPT}, {quote_string(column.name)})"
    return f"CASE WHEN {is_kept} THEN t.{name} ELSE s.{name} END"


def whole_rows_sql(target: str, view: str, table: SourceTable) -> str:
    """Of a table without a key: of equal rows, as many are deleted as were deleted in the source."""
    columns = ", ".join(_q(column.name) for column in table.columns)
    values = ", ".join(f"{read_expression(column)} AS {_q(column.name)}" for column in table.columns)
    inserted = ", ".join(f"s.{_q(column.name)}" for column in table.columns)
    is_insert, is_delete = (f"{OPERATION} = '{each}'" for each in (Operation.INSERT, Operation.DELETE))
    first = table.columns[0]
    broken = f"CAST(raise_error({quote_string(BROKEN)}) AS {first.type})"
    deleted = f"SELECT {OPERATION}, {values} FROM {view} WHERE {is_delete}"
    return f"""
        MERGE INTO {target} AS t
        USING (
          {_found_rows(target, table, deleted)}
          UNION ALL SELECT {OPERATION}, CAST(NULL AS BIGINT), {values} FROM {view} WHERE {is_insert}
        ) AS s ON t._row_id = s.__id
        WHEN MATCHED THEN DELETE
        WHEN NOT MATCHED AND s.{is_insert} THEN INSERT ({columns}) VALUES ({inserted})
        WHEN NOT MATCHED THEN INSERT ({_q(first.name)}) VALUES ({broken})
    """


def _found_rows(target: str, table: SourceTable, deleted: str) -> str:
    """Each deleted row with the id of one equal to it, and of those that are equal each with another."""
    columns = ", ".join(_q(column.name) for column in table.columns)
    same = " AND ".join(f"o.{_q(column.name)} <=> d.{_q(column.name)}" for column in table.columns)
    of_deleted = ", ".join(f"d.{_q(column.name)}" for column in table.columns)
    return f"""
          SELECT d.{OPERATION}, o.__id, {of_deleted} FROM (
            SELECT *, row_number() OVER (PARTITION BY {columns} ORDER BY {OPERATION}) AS __place
            FROM ({deleted})
          ) AS d LEFT JOIN (
            SELECT {columns}, _row_id AS __id,
              row_number() OVER (PARTITION BY {columns} ORDER BY _row_id) AS __place
            FROM {target}
          ) AS o ON {same} AND o.__place = d.__place"""


def _q(name: str) -> str:
    return quote_identifier(name)


def mirror_sql(
    into: str,
    view: str,
    table: SourceTable,
    rows: Sequence[NetRow],
    is_truncated: bool,
    is_partial: bool,
    shard: Shard | None,
) -> str:
    """What brings net changes into a mirror."""
    if is_truncated or (not is_partial and all(row.operation is Operation.INSERT for row in rows)):
        return insert_sql(into, view, table, replaces=is_truncated, shard=shard)
    if not table.key:
        return whole_rows_sql(into, view, table)
    return merge_sql(into, view, table, merge_scope(rows, table), is_partial=is_partial, shard=shard)
