"""Random tables, their contents, and changes of the contents: NULLs, duplicates, few distinct values."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

from headrace.model.names import TableName

INT, TEXT, DECIMAL, REAL, TRUTH = "INT", "STRING", "DECIMAL(10,2)", "DOUBLE", "BOOLEAN"
_STORED = (INT, INT, TEXT, DECIMAL)
VALUES: dict[str, tuple[Any, ...]] = {
    INT: (None, 0, 1, 1, 2, 3),
    TEXT: (None, "x", "y", ""),
    DECIMAL: (None, Decimal("0.00"), Decimal("1.50"), Decimal("-2.25")),
}

Row = tuple[Any, ...]
Tables = dict[TableName, dict[str, str]]
Contents = dict[str, list[Row]]


def random_tables(rng: Random) -> Tables:
    return {TableName("lake", "p", f"r{n}"): _columns(rng) for n in range(rng.randint(2, 3))}


def random_versions(tables: Tables, seed: int, number: int) -> list[tuple[Contents, Contents]]:
    """Pairs of rows before and rows after inserts, deletes and updates; some tables never change."""
    rng = Random(seed)
    still = {name for name in tables if rng.random() < 0.2}
    return [_changed(rng, tables, still) for _ in range(number)]


def _changed(rng: Random, tables: Tables, still: set[TableName]) -> tuple[Contents, Contents]:
    old: Contents = {}
    new: Contents = {}
    for name, columns in tables.items():
        before = [_row(rng, columns) for _ in range(rng.choice((0, 1, 3, 4, 5, 6, 7)))]
        after = [row for row in before if rng.random() < 0.7]
        after = [_updated(rng, row, columns) if rng.random() < 0.2 else row for row in after]
        after += [_row(rng, columns) for _ in range(rng.randint(0, 3))]
        old[name.table], new[name.table] = before, before if name in still else after
    return old, new


def _columns(rng: Random) -> dict[str, str]:
    kinds = [INT, *(rng.choice(_STORED) for _ in range(rng.randint(1, 3)))]
    return {f"c{n}": kind for n, kind in enumerate(kinds)}


def _row(rng: Random, columns: dict[str, str]) -> Row:
    return tuple(rng.choice(VALUES[kind]) for kind in columns.values())


def _updated(rng: Random, row: Row, columns: dict[str, str]) -> Row:
    place = rng.randrange(len(row))
    value = rng.choice(VALUES[list(columns.values())[place]])
    return (*row[:place], value, *row[place + 1 :])
