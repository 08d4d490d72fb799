"""Applies a change to groups that follow their rows by arithmetic: counts and sums grow or shrink."""

from __future__ import annotations

from headrace.model.quoting import quote_identifier
from headrace.refresh.layout import Layout
from headrace.refresh.partition import Within, narrowed

LOST_TOO_MANY = "headrace: a group has lost more rows than it had"
_RAISED = f"CAST(raise_error('{LOST_TOO_MANY}') AS BIGINT)"


def merge_groups(target: str, layout: Layout, growth: str, within: Within | None = None) -> str:
    """``growth`` gives keys and the growth of each state, under the names of the table's columns."""
    values = layout.group_values
    names = ", ".join(map(quote_identifier, values.first))
    same = [f"__hr_old.{key} <=> __hr_new.{key}" for key in map(quote_identifier, layout.keys or ())]
    assigned = ", ".join(f"{quote_identifier(column)} = {value}" for column, value in values.grown.items())
    changes = f" AND NOT ({values.unchanged})" if values.unchanged else ""
    failing = [_RAISED if name == values.count else value for name, value in values.first.items()]
    clauses = [
        f"WHEN MATCHED AND {values.rows} < 0 THEN UPDATE SET {values.count} = {_RAISED}",
        f"WHEN MATCHED AND {values.rows} = 0 THEN DELETE" if layout.keys else "",
        f"WHEN MATCHED{changes} THEN UPDATE SET {assigned}",
        f"WHEN NOT MATCHED AND {values.rows_grown} > 0 "
        f"THEN INSERT ({names}) VALUES ({', '.join(values.first.values())})",
        f"WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({', '.join(failing)})",
    ]
    return "\n".join(
        [
            f"MERGE INTO {target} AS __hr_old USING (\n{growth}\n) AS __hr_new",
            f"ON {narrowed(' AND '.join(same) or 'true', within, '__hr_old')}",
            *filter(None, clauses),
        ]
    )
