"""Statements that make a table equal to the rows that were read, and leave equal rows untouched.

The law: after the statement, the table has the rows of its source at the moment of reading, each as often as
the source has it, and its change from one version to the next is the difference of both and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.ingest.cdc.changes import SourceTable
from headrace.ingest.cdc.write_sql import read_expression
from headrace.model.quoting import quote_identifier


def keyed_difference_sql(target: str, view: str, table: SourceTable, *, deletes: bool) -> str:
    """``deletes``: rows of the table whose keys were not read are deleted."""
    matches = " AND ".join(f"t.{_q(name)} <=> s.{_q(name)}" for name in table.key)
    return "\n".join(
        [
            f"MERGE INTO {target} AS t",
            f"USING (SELECT {_values(table)} FROM {view}) AS s",
            f"ON {matches}",
            *_clauses(table, deletes),
        ]
    )


def _clauses(table: SourceTable, deletes: bool) -> Iterator[str]:
    names = _names(table)
    others = [_q(column.name) for column in table.columns if column.name not in table.key]
    if others:
        same = " AND ".join(f"t.{name} <=> s.{name}" for name in others)
        updates = ", ".join(f"{name} = s.{name}" for name in others)
        yield f"WHEN MATCHED AND NOT ({same}) THEN UPDATE SET {updates}"
    inserted = ", ".join(f"s.{name}" for name in names)
    yield f"WHEN NOT MATCHED THEN INSERT ({', '.join(names)}) VALUES ({inserted})"
    if deletes:
        yield "WHEN NOT MATCHED BY SOURCE THEN DELETE"


def whole_row_difference_sql(target: str, view: str, table: SourceTable) -> str:
    """Of rows without a key: equal rows are counted, and as many come or go as the counts differ by."""
    names = _names(table)
    listed = ", ".join(names)
    same = " AND ".join(f"n.{name} <=> o.{name}" for name in names)
    read, inserted = (", ".join(f"{alias}.{name}" for name in names) for alias in ("n", "s"))
    return f"""
        MERGE INTO {target} AS t
        USING (
          SELECT o.__id, {read} FROM (
            SELECT *, row_number() OVER (PARTITION BY {listed} ORDER BY 1) AS __place
            FROM (SELECT {_values(table)} FROM {view})
          ) AS n FULL OUTER JOIN (
            SELECT {listed}, _row_id AS __id,
              row_number() OVER (PARTITION BY {listed} ORDER BY _row_id) AS __place
            FROM {target}
          ) AS o ON {same} AND o.__place = n.__place
          WHERE o.__place IS NULL OR n.__place IS NULL
        ) AS s ON t._row_id = s.__id
        WHEN MATCHED THEN DELETE
        WHEN NOT MATCHED THEN INSERT ({listed}) VALUES ({inserted})
    """


def _values(table: SourceTable) -> str:
    return ", ".join(f"{read_expression(column)} AS {_q(column.name)}" for column in table.columns)


def _names(table: SourceTable) -> list[str]:
    return [_q(column.name) for column in table.columns]


def _q(name: str) -> str:
    return quote_identifier(name)
