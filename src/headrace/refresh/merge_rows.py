"""Applies a change to a table whose rows have no identity: rows are found by all their columns.

Of equal rows any will do. Deleting a row that is not there fails the statement.
"""

from __future__ import annotations

from collections.abc import Sequence

from headrace.algebra.operators.scan import WEIGHT
from headrace.lake.commit.guarded_commit import MISSING_ROW
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.refresh.partition import Within, narrowed


def net_change(change: str, columns: Sequence[str]) -> str:
    """``change`` with equal rows as one, their weights added up."""
    names = ", ".join(map(quote_identifier, columns))
    return (
        f"SELECT {names}, sum({WEIGHT}) AS {WEIGHT} FROM (\n{change}\n) "
        f"GROUP BY {names} HAVING sum({WEIGHT}) <> 0"
    )


def merge_rows(
    target: str,
    table: TableName,
    version: int,
    columns: Sequence[str],
    net: str,
    within: Within | None = None,
) -> str:
    """``net`` is a query; it is read twice."""
    quoted = [quote_identifier(column) for column in columns]
    names = ", ".join(quoted)
    of_change = ", ".join(f"__hr_d.{column}" for column in quoted)
    same = " AND ".join(f"__hr_d.{column} <=> __hr_t.{column}" for column in quoted)
    values = ", ".join(f"__hr_new.{column}" for column in quoted)
    where = f" WHERE {within.sql()}" if within else ""
    return f"""MERGE INTO {target} AS __hr_old USING (
  WITH __hr_net AS (
{net}
  )
  SELECT CAST(NULL AS BIGINT) AS __hr_id, {names} FROM __hr_net
  LATERAL VIEW explode(array_repeat(0, CAST({WEIGHT} AS INT))) AS __hr_copy WHERE {WEIGHT} > 0
  UNION ALL
  SELECT __hr_id, {names} FROM (
    SELECT {of_change}, __hr_d.{WEIGHT},
      row_number() OVER (PARTITION BY {of_change} ORDER BY __hr_t._row_id) AS __hr_number,
      IF(count(__hr_t._row_id) OVER (PARTITION BY {of_change}) < -__hr_d.{WEIGHT},
        raise_error('{MISSING_ROW}'), __hr_t._row_id) AS __hr_id
    FROM (SELECT * FROM __hr_net WHERE {WEIGHT} < 0) AS __hr_d
    LEFT JOIN (SELECT {names}, _row_id FROM {table.sql} VERSION AS OF {version}{where}) AS __hr_t ON {same}
  ) WHERE __hr_number <= -{WEIGHT}
) AS __hr_new ON {narrowed("__hr_old._row_id = __hr_new.__hr_id", within, "__hr_old")}
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({values})"""
