"""Changes of few rows, each with what is to be done and where in the table the old row lies.

Such rows are written without Spark: see ``lake.guard``. What a merge takes for granted is checked here: a row
to be inserted is not there yet, one to be updated or deleted is.
"""

from __future__ import annotations

from collections.abc import Sequence

from headrace.algebra.operators.scan import WEIGHT
from headrace.lake.commit.guarded_commit import MISSING_ROW, ROW_IS_THERE
from headrace.lake.table.pin import sql_type
from headrace.lake.table.tables import Table
from headrace.model.quoting import quote_identifier
from headrace.refresh.layout import Layout
from headrace.refresh.merge_groups import LOST_TOO_MANY
from headrace.refresh.merge_keys import ACTION, DELETE, INSERT, UPDATE
from headrace.refresh.row_keys import same_keys

FILE, POSITION, ROW = "__hr_file", "__hr_position", "__hr_row"
_POSITION_COLUMNS = f"_file AS {FILE}, _pos AS {POSITION}, _row_id AS {ROW}"
_NO_POSITION = (
    f"CAST(NULL AS STRING) AS {FILE}, CAST(NULL AS BIGINT) AS {POSITION}, CAST(NULL AS BIGINT) AS {ROW}"
)
PLACE = ("_file", "_pos", "_row_id")
"""Iceberg's own columns."""


def has_row_positions(table: Table) -> bool:
    """Whether rows can be found by file and position, and taken out by deletion vectors."""
    own = {column.lower() for column in table.columns}
    return table.takes_vectors and own.isdisjoint(PLACE)


def rows_with_positions(table: Table, columns: Sequence[str], condition: str = "") -> str:
    """The rows of the table as it was loaded, with their places; ``condition`` is on ``__hr_old``."""
    return placed_rows(columns, f"{table.name.sql} VERSION AS OF {table.version.snapshot_id}", condition)


def placed_rows(columns: Sequence[str], source: str, condition: str = "") -> str:
    """``source`` stands in FROM, and has the columns of ``PLACE`` beside those of the table."""
    names = "".join(f"{quote_identifier(column)}, " for column in columns)
    where = f"\nWHERE {condition}" if condition else ""
    return f"SELECT {names}{_POSITION_COLUMNS} FROM {source} AS __hr_old{where}"


def matching_rows(old_rows: str, changed: str, same: str) -> str:
    """Those that are the ``same`` as a changed row: a large table passes by the few, and is not shuffled."""
    return (
        f"SELECT /*+ BROADCAST(__hr_few) */ * FROM (\n{old_rows}\n) AS __hr_all "
        f"LEFT SEMI JOIN (\n{changed}\n) AS __hr_few ON {same}"
    )


def positioned_inserts(rows: str) -> str:
    return f"SELECT *, '{INSERT}' AS {ACTION}, {_NO_POSITION} FROM (\n{rows}\n)"


def positioned_actions(actions: str, old_rows: str, columns: Sequence[str], keys: Sequence[str]) -> str:
    """``actions`` is a query as of ``merge_keys.by_key``."""
    names = ", ".join(f"__hr_new.{quote_identifier(column)}" for column in columns)
    return f"""SELECT {names},
  CASE WHEN {ACTION} = '{INSERT}' AND {POSITION} IS NOT NULL THEN raise_error('{ROW_IS_THERE}')
    WHEN {ACTION} <> '{INSERT}' AND {POSITION} IS NULL THEN raise_error('{MISSING_ROW}')
    ELSE {ACTION} END AS {ACTION},
  {FILE}, {POSITION}, {ROW}
FROM (
{actions}
) AS __hr_new LEFT JOIN (
{old_rows}
) AS __hr_old ON {same_keys("__hr_old", "__hr_new", keys)}"""


def groups_with_lost_extremes(layout: Layout, growth: str, old_rows: str) -> str:
    """The keys of those groups, with a weight. ``growth`` is as of ``positioned_groups``."""
    keys = "".join(f"__hr_new.{quote_identifier(key)}, " for key in layout.keys or ())
    return f"""SELECT {keys}CAST(1 AS BIGINT) AS {WEIGHT}
FROM (
{growth}
) AS __hr_new JOIN (
{old_rows}
) AS __hr_old ON {same_keys("__hr_old", "__hr_new", layout.keys or ())}
WHERE {layout.group_values.lost}"""


def positioned_groups(layout: Layout, growth: str, old_rows: str, again: str | None = None) -> str:
    """``growth`` gives keys and the growth of each state, under the names of the table's columns.

    ``again`` gives the keys of groups that may have lost an extreme, and their extremes.
    """
    groups = layout.group_values if again is None else layout.group_values_with_lost
    keys = layout.keys or ()
    lost = f" LEFT JOIN (\n{again}\n) AS __hr_again ON {same_keys('__hr_again', '__hr_new', keys)}"
    unchanged = f"\nWHERE {POSITION} IS NULL OR NOT ({groups.unchanged})" if groups.unchanged else ""
    columns = ",\n  ".join(
        f"IF({POSITION} IS NULL, {groups.first[name]}, {groups.grown.get(name, groups.first[name])}) "
        f"AS {quote_identifier(name)}"
        for name in groups.first
    )
    emptied = f"WHEN {groups.rows} = 0 THEN '{DELETE}'" if layout.keys else ""
    return f"""SELECT {columns},
  CASE WHEN {POSITION} IS NULL THEN IF({groups.rows_grown} > 0, '{INSERT}', raise_error('{LOST_TOO_MANY}'))
    WHEN {groups.rows} < 0 THEN raise_error('{LOST_TOO_MANY}') {emptied} ELSE '{UPDATE}' END AS {ACTION},
  {FILE}, {POSITION}, {ROW}
FROM (
{growth}
) AS __hr_new LEFT JOIN (
{old_rows}
) AS __hr_old ON {same_keys("__hr_old", "__hr_new", keys)}{lost if again else ""}{unchanged}"""


def positioned_rows(net: str, old_rows: str, columns: Sequence[str]) -> str:
    """Of rows without identity: ``net`` gives them with weights, and is read twice."""
    quoted = [quote_identifier(column) for column in columns]
    names = ", ".join(quoted)
    of_change = ", ".join(f"__hr_d.{column}" for column in quoted)
    return f"""WITH __hr_net AS (
{net}
)
SELECT {names}, '{INSERT}' AS {ACTION}, {_NO_POSITION} FROM __hr_net
LATERAL VIEW explode(array_repeat(0, CAST({WEIGHT} AS INT))) AS __hr_copy WHERE {WEIGHT} > 0
UNION ALL
SELECT {names}, IF(__hr_found < -{WEIGHT}, raise_error('{MISSING_ROW}'), '{DELETE}'),
  {FILE}, {POSITION}, {ROW}
FROM (
  SELECT {of_change}, __hr_d.{WEIGHT}, {FILE}, {POSITION}, {ROW},
    row_number() OVER (PARTITION BY {of_change} ORDER BY {ROW}) AS __hr_number,
    count({ROW}) OVER (PARTITION BY {of_change}) AS __hr_found
  FROM (SELECT * FROM __hr_net WHERE {WEIGHT} < 0) AS __hr_d LEFT JOIN (
{old_rows}
  ) AS __hr_t ON {same_keys("__hr_d", "__hr_t", columns)}
) WHERE __hr_number <= -{WEIGHT}"""


def in_table_order(positioned: str, table: Table, columns: Sequence[str]) -> str:
    """``positioned``, which gives ``columns``, as rows of the table, in its order; the others are NULL."""
    return _in_table_order(positioned, table, columns, (ACTION, FILE, POSITION, ROW))


def weighted_in_table_order(change: str, table: Table, columns: Sequence[str]) -> str:
    """The same of rows with weights."""
    return _in_table_order(change, table, columns, (f"CAST({WEIGHT} AS BIGINT) AS {WEIGHT}",))


def _in_table_order(rows: str, table: Table, columns: Sequence[str], others: Sequence[str]) -> str:
    given = {column.lower() for column in columns}
    values = ", ".join(
        f"CAST({quote_identifier(f.name) if f.name.lower() in given else 'NULL'} AS {sql_type(f.type)}) "
        f"AS {quote_identifier(f.name)}"
        for f in table.fields
    )
    return f"SELECT {values}, {', '.join(others)} FROM (\n{rows}\n)"
