"""Applies a change to a table whose rows are identified by keys.

Two invariants hold in each merge, or it fails: no two changes to one row, and no change to one that is not
there.
"""

from __future__ import annotations

from collections.abc import Sequence

from headrace.algebra.operators.scan import WEIGHT
from headrace.lake.commit.guarded_commit import MISSING_ROW, ROW_IS_THERE
from headrace.lake.small_result import TWICE
from headrace.model.dynamic_table import Column
from headrace.model.quoting import quote_identifier
from headrace.refresh.partition import Within, narrowed

ACTION = "__hr_action"
INSERT, UPDATE, DELETE = "insert", "update", "delete"


def by_key(net: str, columns: Sequence[str], keys: Sequence[str]) -> str:
    """Of a net change, whose rows have weights, one row for each key: what is to be done, and the new row."""
    names = ", ".join(map(quote_identifier, columns))
    partition = f"PARTITION BY {', '.join(map(quote_identifier, keys))}" if keys else ""
    return f"""SELECT {names},
  CASE WHEN __hr_many THEN raise_error('{TWICE}') WHEN {WEIGHT} < 0 THEN '{DELETE}'
    WHEN __hr_least < 0 THEN '{UPDATE}' ELSE '{INSERT}' END AS {ACTION}
FROM (
  SELECT *, row_number() OVER ({partition} ORDER BY {WEIGHT} DESC) AS __hr_number,
    min({WEIGHT}) OVER ({partition}) AS __hr_least,
    sum(abs({WEIGHT})) OVER ({partition}) > 2 OR abs(sum({WEIGHT}) OVER ({partition})) > 1 AS __hr_many
  FROM (
{net}
  )
) WHERE __hr_number = 1"""


def merge_keys(
    target: str, columns: Sequence[Column], keys: Sequence[str], actions: str, within: Within | None = None
) -> str:
    """``actions`` is a query as of ``by_key``."""
    quoted = [quote_identifier(column.name) for column in columns]
    same = [f"__hr_old.{key} <=> __hr_new.{key}" for key in map(quote_identifier, keys)]
    updates = ", ".join(f"{column} = __hr_new.{column}" for column in quoted)
    values = [f"__hr_new.{column}" for column in quoted]
    first = columns[0]
    there, missing = (
        f"CAST(raise_error('{words}') AS {first.type})" for words in (ROW_IS_THERE, MISSING_ROW)
    )
    names = ", ".join(quoted)
    return f"""MERGE INTO {target} AS __hr_old USING (
{actions}
) AS __hr_new ON {narrowed(" AND ".join(same) or "true", within, "__hr_old")}
WHEN MATCHED AND __hr_new.{ACTION} = '{DELETE}' THEN DELETE
WHEN MATCHED AND __hr_new.{ACTION} = '{UPDATE}' THEN UPDATE SET {updates}
WHEN MATCHED THEN UPDATE SET {quoted[0]} = {there}
WHEN NOT MATCHED AND __hr_new.{ACTION} = '{INSERT}' THEN INSERT ({names}) VALUES ({", ".join(values)})
WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({", ".join([missing, *values[1:]])})"""
