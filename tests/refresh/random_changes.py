"""Random statements that change random tables row by row, so that the rows they leave keep their identity."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

from headrace.model.names import TableName
from headrace.model.quoting import quote_string
from tests.delta.random_tables import VALUES, Tables, random_tables

_KEPT_AS = (
    "",
    "",
    "",
    " TBLPROPERTIES ('write.delete.mode' = 'copy-on-write', 'write.update.mode' = 'copy-on-write', "
    "'write.merge.mode' = 'copy-on-write')",
    " TBLPROPERTIES ('format-version' = '2')",
)


def tables_in(rng: Random, schema: str) -> Tables:
    """Random tables of a schema."""
    found = random_tables(rng)
    return {TableName("lake", schema, name.table): columns for name, columns in found.items()}


def creation(rng: Random, tables: Tables) -> str:
    """Some tables are copy-on-write, some of format 2, which gives rows no identity."""
    made = []
    for name, columns in tables.items():
        listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        made.append(f"CREATE TABLE {name} ({listed}){rng.choice(_KEPT_AS)}")
        page = f"'write.parquet.page-row-limit' = '{rng.choice((2, 5, 99))}'"
        made.append(f"ALTER TABLE {name} SET TBLPROPERTIES ({page})")
        made.append(_insert(rng, str(name), columns, rng.randint(3, 12)))
    return ";\n".join(made)


def change(rng: Random, tables: Tables) -> str:
    """One to four statements."""
    made = []
    for _ in range(rng.randint(1, 4)):
        name, columns = rng.choice(list(tables.items()))
        kind = rng.choice((_insert_some, _insert_some, _delete, _update, _update, _merge))
        made.append(kind(rng, str(name), columns))
    return ";\n".join(made)


def _insert_some(rng: Random, table: str, columns: dict[str, str]) -> str:
    return _insert(rng, table, columns, rng.randint(1, 3))


def _insert(rng: Random, table: str, columns: dict[str, str], rows: int) -> str:
    values = ", ".join(f"({', '.join(_value(rng, kind) for kind in columns.values())})" for _ in range(rows))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values}"


def _delete(rng: Random, table: str, columns: dict[str, str]) -> str:
    return f"DELETE FROM {table} WHERE {_rows(rng, columns)}"


def _update(rng: Random, table: str, columns: dict[str, str]) -> str:
    column, kind = rng.choice(list(columns.items()))
    return f"UPDATE {table} SET {column} = {_value(rng, kind)} WHERE {_rows(rng, columns)}"


def _merge(rng: Random, table: str, columns: dict[str, str]) -> str:
    """Deletes some rows, updates others, and inserts one if there are none."""
    key, kind = rng.choice(list(columns.items()))
    column, its_kind = rng.choice(list(columns.items()))
    values = ", ".join(_value(rng, each) for each in columns.values())
    return (
        f"MERGE INTO {table} t USING (SELECT {_value(rng, kind)} AS k) s ON t.{key} <=> s.k\n"
        f"WHEN MATCHED AND {_rows(rng, {f't.{c}': k for c, k in columns.items()})} THEN DELETE\n"
        f"WHEN MATCHED THEN UPDATE SET t.{column} = {_value(rng, its_kind)}\n"
        f"WHEN NOT MATCHED THEN INSERT ({', '.join(columns)}) VALUES ({values})"
    )


def _rows(rng: Random, columns: dict[str, str]) -> str:
    """A condition that some rows fulfil."""
    return " AND ".join(
        f"{column} <=> {_value(rng, kind)}"
        for column, kind in rng.sample(sorted(columns.items()), rng.choice((1, 1, 2)))
    )


def _value(rng: Random, kind: str) -> str:
    value: Any = rng.choice(VALUES[kind])
    match value:
        case None:
            return f"CAST(NULL AS {kind})"
        case str():
            return quote_string(value)
        case Decimal():
            return f"CAST({value} AS {kind})"
    return str(value)
