"""Queries and their deltas on DuckDB, where thousands of cases take a minute and no JVM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import duckdb
from sqlglot import exp

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.relation import Scan
from headrace.algebra.render import render
from headrace.delta.differentiate import differentiate
from headrace.model.names import TableName
from headrace.sql.qualify import qualified_tree

Row = tuple[Any, ...]
Weighted = Counter[Row]
Versions = tuple[Mapping[str, Sequence[Row]], Mapping[str, Sequence[Row]]]
"""Old and new rows of each table."""

TABLES: dict[TableName, dict[str, str]] = {
    TableName("lake", "p", "t"): {"a": "INT", "b": "VARCHAR", "d": "DECIMAL(10,2)"},
    TableName("lake", "p", "u"): {"a": "INT", "k": "INT"},
    TableName("lake", "p", "v"): {"k": "INT", "b": "VARCHAR"},
}
SCHEMA = {name: tuple(columns) for name, columns in TABLES.items()}


class Pond:
    """One version after the other of the same tables."""

    def __init__(self) -> None:
        self._duck = duckdb.connect()
        self._duck.execute("SET threads = 1")
        self._duck.execute("CREATE MACRO raise_error(message) AS error(message)")
        for name, columns in TABLES.items():
            listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            for version in ("old", "new"):
                self._duck.execute(f"CREATE TABLE {name.table}_{version} ({listed})")
            self._duck.execute(f"CREATE TABLE {name.table}_change ({listed}, __hr_weight BIGINT)")

    def assert_exact(self, query: str, versions: Versions, same_as: str | None = None) -> None:
        """The delta rules give just the difference of what the user's own text gives, or ``same_as``."""
        changed = self._fill(*versions, _tables_of(query))
        text = same_as or query
        old, new = (Counter(self._rows(_text_at(text, version))) for version in ("old", "new"))
        wanted = {row: new[row] - old[row] for row in old | new if new[row] != old[row]}
        assert self._change(query, changed) == wanted

    def _fill(
        self, old: Mapping[str, Sequence[Row]], new: Mapping[str, Sequence[Row]], tables: list[TableName]
    ) -> frozenset[TableName]:
        changed = set()
        self._duck.execute("BEGIN")
        for name in tables:
            before, after = list(old.get(name.table, ())), list(new.get(name.table, ()))
            self._put(f"{name.table}_old", before)
            self._put(f"{name.table}_new", after)
            self._put(f"{name.table}_change", _change(before, after))
            if Counter(before) != Counter(after):
                changed.add(name)
        self._duck.execute("COMMIT")
        return frozenset(changed)

    def _put(self, table: str, rows: Sequence[Row]) -> None:
        self._duck.execute(f"DELETE FROM {table}")
        if rows:
            listed = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
            self._duck.execute(f"INSERT INTO {table} VALUES {listed}")

    def _change(self, query: str, changed: frozenset[TableName]) -> dict[Row, int]:
        text = _delta_text(query, changed)
        summed: Weighted = Counter()
        for *row, weight in [] if text is None else self._rows(text):
            summed[tuple(row)] += weight
        return {row: weight for row, weight in summed.items() if weight}

    def _rows(self, text: str) -> list[Row]:
        return [tuple(row) for row in self._duck.execute(text).fetchall()]


@cache
def _tables_of(query: str) -> list[TableName]:
    """In their own order; a table that the query does not read need not be filled."""
    return [name for name in TABLES if f"{name.schema}.{name.table}" in query]


@cache
def _text_at(query: str, version: str) -> str:
    tree = qualified_tree(query, SCHEMA)
    for table in list(tree.find_all(exp.Table)):
        if table.db:
            there = exp.to_table(f"{table.name}_{version}")
            table.replace(exp.alias_(there, table.alias_or_name, table=True))
    return tree.sql(dialect="duckdb")


@cache
def _delta_text(query: str, changed: frozenset[TableName]) -> str | None:
    names = Names()
    change = differentiate(build(query, SCHEMA, names).relation, changed, names)
    if change is None:
        return None
    tree = render(change.relation, _source)
    return exp.select(*change.columns, change.weight).from_(tree.subquery("x")).sql(dialect="duckdb")


def _source(scan: Scan) -> exp.Expr:
    return exp.to_table(f"{scan.table.table}_{scan.version.value}")


def _change(before: list[Row], after: list[Row]) -> list[Row]:
    """The difference by weights. Every third row also comes and goes: a change need not be consolidated."""
    totals = Counter(after)
    totals.subtract(before)
    rows = [(*row, 1 if n > 0 else -1) for row, n in totals.items() for _ in range(abs(n))]
    noise = [row for index, row in enumerate(totals) if index % 3 == 0]
    return rows + [(*row, sign) for row in noise for sign in (1, -1)]


def _literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case int() | Decimal():
            return str(value)
    raise TypeError(f"no literal for {value!r}")
