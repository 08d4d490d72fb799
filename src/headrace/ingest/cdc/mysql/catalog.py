"""Tables of a MySQL server that can be synced."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pymysql.connections import Connection

from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.declared_types import CHARSET
from headrace.ingest.cdc.mysql.types import ENCODINGS, MysqlType
from headrace.ingest.cdc.source import Identity, pattern_fits

_SYSTEM = "('mysql', 'information_schema', 'performance_schema', 'sys')"
_TABLES = f"""
    SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.ENGINE, e.TRANSACTIONS
    FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
    WHERE t.TABLE_TYPE = 'BASE TABLE' AND t.TABLE_SCHEMA NOT IN {_SYSTEM}
      AND t.TABLE_SCHEMA LIKE %s AND t.TABLE_NAME LIKE %s
    ORDER BY 1, 2
"""
_COLUMNS = """
    SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE,
      CHARACTER_SET_NAME, COLLATION_NAME, IS_NULLABLE, COLUMN_DEFAULT, EXTRA
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA LIKE %s AND TABLE_NAME LIKE %s
    ORDER BY 1, 2, ORDINAL_POSITION
"""
_KEYS = """
    SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.STATISTICS
    WHERE INDEX_NAME = 'PRIMARY' AND TABLE_SCHEMA LIKE %s AND TABLE_NAME LIKE %s
    ORDER BY 1, 2, SEQ_IN_INDEX
"""


@dataclass(frozen=True)
class CatalogColumn:
    """A row of information_schema.COLUMNS."""

    name: str
    type: MysqlType
    full_type: str
    charset: str | None
    collation: str | None
    has_default: bool
    """Whether rows that were there before the column have a value in it."""
    is_generated: bool

    def source_column(self) -> SourceColumn:
        kind, expression = self.type.spark() or ("string", "{}")
        charset = "" if self.charset is None else f"{CHARSET}{self.charset}"
        return SourceColumn(
            self.name,
            kind,
            expression,
            self.full_type,
            self.has_default,
            declared=f"{self.full_type}{charset}",
        )

    @property
    def problem(self) -> str | None:
        if self.type.spark() is None:
            return f"column {self.name} has the type {self.full_type}, which is not supported"
        return None

    @property
    def log_problem(self) -> str | None:
        """The server converts what it is asked for, not what it logs."""
        if self.charset is not None and self.charset not in ENCODINGS:
            return f"column {self.name} has the character set {self.charset}, which is not supported"
        return None


@dataclass(frozen=True)
class DescribedTable:
    table: SourceTable
    generated: frozenset[str]
    """Columns that are computed from others, which are left out."""


class MysqlCatalog:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def tables(self, patterns: Sequence[str]) -> list[Identity]:
        return [each for pattern in patterns for each in self._tables(pattern)]

    def _tables(self, pattern: str) -> list[Identity]:
        columns, keys = self.columns(pattern), self._keys(pattern)
        return [
            _identity((schema, name), columns.get((schema, name), []), keys.get((schema, name), ()), problem)
            for schema, name, engine, transactions in self._rows(_TABLES, pattern)
            if pattern_fits(pattern, f"{schema}.{name}")
            for problem in [None if transactions == "YES" else _engine_problem(engine)]
        ]

    def described(self, name: str) -> DescribedTable | None:
        """A table by its ``schema.name``; None: it does not exist."""
        found = self._tables(name)
        if not found:
            return None
        table = found[0].table
        columns = self.columns(name).get((table.schema, table.name), [])
        return DescribedTable(table, frozenset(each.name for each in columns if each.is_generated))

    def columns(self, pattern: str) -> dict[tuple[str, str], list[CatalogColumn]]:
        found: dict[tuple[str, str], list[CatalogColumn]] = {}
        for schema, table, *column in self._rows(_COLUMNS, pattern):
            found.setdefault((schema, table), []).append(_column(*column))
        return found

    def _keys(self, pattern: str) -> dict[tuple[str, str], tuple[str, ...]]:
        found: dict[tuple[str, str], tuple[str, ...]] = {}
        for schema, table, column in self._rows(_KEYS, pattern):
            found[schema, table] = (*found.get((schema, table), ()), column)
        return found

    def _rows(self, query: str, pattern: str) -> Sequence[tuple[Any, ...]]:
        schema, _, name = pattern.partition(".")
        with self._connection.cursor() as cursor:
            cursor.execute(query, (_like(schema), _like(name)))
            return list(cursor.fetchall())


def _like(pattern: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", pattern).replace("*", "%")


def _column(
    name: str,
    data_type: str,
    full_type: str,
    precision: int | None,
    scale: int | None,
    charset: str | None,
    collation: str | None,
    nullable: str,
    default: str | None,
    extra: str,
) -> CatalogColumn:
    is_unsigned = " unsigned" in full_type and data_type != "decimal"
    kind = MysqlType(data_type, is_unsigned, int(precision or 0), int(scale or 0))
    has_default = nullable == "NO" or default not in (None, "NULL")
    is_generated = any(word in extra for word in ("VIRTUAL GENERATED", "STORED GENERATED", "PERSISTENT"))
    return CatalogColumn(name, kind, full_type, charset, collation, has_default, is_generated)


def _identity(
    name: tuple[str, str], columns: Sequence[CatalogColumn], key: tuple[str, ...], problem: str | None
) -> Identity:
    """``problem``: of its engine with the log."""
    stored = [column for column in columns if not column.is_generated]
    table = SourceTable(*name, tuple(column.source_column() for column in stored), key)
    problems = [column.problem for column in stored]
    log_problems = [problem, *(column.log_problem for column in stored)]
    return Identity(
        table,
        is_known=True,
        problem=next(filter(None, problems), None),
        log_problem=next(filter(None, log_problems), None),
    )


def _engine_problem(engine: str | None) -> str:
    return (
        f"its engine {engine} has no transactions, so its rows and the log cannot be read at one moment;"
        " ALTER TABLE ... ENGINE = InnoDB"
    )
