"""FULL refresh: the statement that makes the table equal to its query.

- an empty table is filled;
- a table that others read, or a small one, gets the difference, so that rows which stay the same keep their
  identity and count as neither inserted nor deleted;
- any other is rewritten: finding the difference reads both sides and takes about four times as long as
  writing (1 million rows, measured).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from headrace.lake.table.tables import Snapshot
from headrace.model.dynamic_table import Column
from headrace.model.history import RefreshMode, RefreshStats
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.refresh.partition import Within, narrowed
from headrace.refresh.record import REFRESH_MODE
from headrace.refresh.stages import Way, WriteStage
from headrace.sql.queries.hiding import is_hidden

SMALL_ENOUGH_TO_COMPARE = 100_000
_NOT_COMPARABLE = re.compile(r"(?:^|[<:,])(?:map<|(?:variant|geometry|geography)(?![\w`:]))")
"""Types that GROUP BY refuses, at any depth; a field may well be named like one."""
_SAME_ROW = "__hr_old._row_id = __hr_new.__hr_id"
_MERGED = "spark.merge-into.num-target-rows-"


def stats_of(snapshot: Snapshot) -> RefreshStats:
    """What the commit of a refresh changed, by its own account.

    A FULL refresh updates hidden columns alone, in rows that stay.
    """
    count = snapshot.count
    if f"{_MERGED}inserted" in snapshot.summary:
        in_place = snapshot.summary.get(REFRESH_MODE) == RefreshMode.FULL
        updated = 0 if in_place else count(f"{_MERGED}updated")
        return RefreshStats(
            rows_inserted=count(f"{_MERGED}inserted") + updated,
            rows_deleted=count(f"{_MERGED}deleted") + updated,
        )
    return RefreshStats(
        rows_inserted=count("added-records"),
        rows_deleted=count("deleted-records")
        + count("added-position-deletes")
        - count("removed-position-deletes"),
    )


def plan_full(
    name: TableName,
    target: str,
    columns: tuple[Column, ...],
    query: str,
    current: Snapshot | None,
    *,
    has_readers: bool,
    stored: Sequence[str] = (),
    can_compare: bool = True,
    within: Within | None = None,
    sorted_by: Sequence[str] = (),
) -> WriteStage:
    """``target`` is what is written to: the table, or a branch of it; with ``within``, one partition of it.

    ``stored`` are the columns that the table has, in its own order; those that ``columns`` lacks become NULL.
    A version that lacks some of ``columns`` cannot be compared. Files are ``sorted_by`` the columns by which
    their rows will be looked for.
    """
    way = _way(columns, current, has_readers)
    if way is Way.DIFFERENCE and not can_compare:
        way = Way.REWRITE
    names = ", ".join(quote_identifier(column.name) for column in columns)
    result = f"(\n{query}\n) AS __hr_result({names})"
    order = f"\nSORT BY {', '.join(map(quote_identifier, sorted_by))}" if sorted_by else ""
    match way:
        case Way.FILL:
            statement = f"INSERT INTO {target} ({names})\nSELECT * FROM {result}{order}"
        case Way.REWRITE:
            listed = _in_order_of(stored, [column.name for column in columns])
            replaced = "true" if within is None else within.sql()
            statement = f"INSERT INTO {target} REPLACE WHERE {replaced}\nSELECT {listed} FROM {result}{order}"
        case _:
            statement = _difference(name, target, names, columns, result, current, within)
    return WriteStage(way, statement)


def _in_order_of(stored: Sequence[str], given: Sequence[str]) -> str:
    """REPLACE WHERE takes columns by their places."""
    behind = [name for name in given if name not in stored]
    return ", ".join(
        quote_identifier(name) if name in given else f"NULL AS {quote_identifier(name)}"
        for name in (*stored, *behind)
    )


def comparable(columns: tuple[Column, ...]) -> bool:
    """Whether whole rows can be grouped and compared."""
    return not any(_NOT_COMPARABLE.search(column.type) for column in columns)


def _way(columns: tuple[Column, ...], current: Snapshot | None, has_readers: bool) -> Way:
    if current is None or current.rows == 0:
        return Way.FILL
    if comparable(columns) and (has_readers or current.rows <= SMALL_ENOUGH_TO_COMPARE):
        return Way.DIFFERENCE
    return Way.REWRITE


def _difference(
    name: TableName,
    target: str,
    names: str,
    columns: tuple[Column, ...],
    result: str,
    current: Snapshot | None,
    within: Within | None,
) -> str:
    """Weight +1 for rows of the query, -1 for rows of the table: what does not cancel is the change."""
    if current is None:
        raise ValueError("an empty table is filled, not compared")
    compared = f" WHERE {within.sql()}" if within else ""
    given = ", ".join(map(_as_stored, columns))
    differing = f"""SELECT __hr_id, {names} FROM (
    SELECT {names}, sum(__hr_weight) AS __hr_weight, collect_list(__hr_id) AS __hr_ids FROM (
      SELECT {given}, 1L AS __hr_weight, CAST(NULL AS BIGINT) AS __hr_id FROM {result}
      UNION ALL
      SELECT {names}, -1L, _row_id FROM {name.sql} VERSION AS OF {current.id}{compared}
    ) GROUP BY {names} HAVING sum(__hr_weight) <> 0
  ) LATERAL VIEW explode(
    IF(__hr_weight < 0, slice(__hr_ids, 1, CAST(-__hr_weight AS INT)),
       array_repeat(CAST(NULL AS BIGINT), CAST(__hr_weight AS INT)))
  ) AS __hr_id"""
    hidden = [quote_identifier(column.name) for column in columns if is_hidden(column.name)]
    if hidden:
        return _merge_in_place(target, columns, hidden, differing, within)
    values = ", ".join(f"__hr_new.{quote_identifier(column.name)}" for column in columns)
    return f"""MERGE INTO {target} AS __hr_old USING (
  {differing}
) AS __hr_new ON {narrowed(_SAME_ROW, within, "__hr_old")}
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({values})"""


def _as_stored(column: Column) -> str:
    """A string of the query may have a collation, and one of the table has none."""
    name = quote_identifier(column.name)
    return f"CAST({name} AS {column.type}) AS {name}" if "string" in column.type else name


def _merge_in_place(
    target: str, columns: tuple[Column, ...], hidden: list[str], differing: str, within: Within | None
) -> str:
    """A row that goes and one that comes, alike but for hidden columns, are one row that stays."""
    visible = [quote_identifier(c.name) for c in columns if not is_hidden(c.name)]
    shown, kept = ", ".join(visible), ", ".join(hidden)
    updates = ", ".join(f"{column} = __hr_new.__hr_hidden.{column}" for column in hidden)
    values = [*(f"__hr_new.{c}" for c in visible), *(f"__hr_new.__hr_hidden.{c}" for c in hidden)]
    return f"""MERGE INTO {target} AS __hr_old USING (
  SELECT {shown}, max(__hr_id) AS __hr_id, max(__hr_hidden) AS __hr_hidden FROM (
    SELECT {shown}, __hr_id, IF(__hr_id IS NULL, struct({kept}), NULL) AS __hr_hidden,
      row_number() OVER (PARTITION BY {shown}, __hr_id IS NULL ORDER BY __hr_id, {kept}) AS __hr_number
    FROM (
  {differing}
    )
  ) GROUP BY {shown}, __hr_number
) AS __hr_new ON {narrowed(_SAME_ROW, within, "__hr_old")}
WHEN MATCHED AND __hr_new.__hr_hidden IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET {updates}
WHEN NOT MATCHED THEN INSERT ({shown}, {kept}) VALUES ({", ".join(values)})"""
