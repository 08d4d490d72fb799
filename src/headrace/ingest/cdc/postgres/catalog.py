"""Tables of a PostgreSQL database that can be synced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import psycopg

from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.postgres.pgoutput import Relation
from headrace.ingest.cdc.postgres.types import PostgresType, Types
from headrace.ingest.cdc.source import Identity, pattern_fits

_TYPES = "SELECT oid, typname, typtype, typcategory, typelem, typbasetype, typtypmod FROM pg_type"
_TABLES = """
    SELECT c.oid, n.nspname, c.relname, c.relreplident
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
    ORDER BY 2, 3
"""
_COLUMNS = """
    SELECT a.attrelid, a.attname, a.atttypid, a.atttypmod,
      a.atthasdef OR a.atthasmissing OR a.attidentity <> '', format_type(a.atttypid, a.atttypmod), a.attnum
    FROM pg_attribute a
    WHERE a.attrelid = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY a.attrelid, a.attnum
"""
_KEYS = """
    SELECT i.indrelid, i.indisprimary, i.indisreplident, a.attname
    FROM pg_index i
      JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) ON k.place <= i.indnkeyatts
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = ANY(%s) AND (i.indisprimary OR i.indisreplident) AND i.indisvalid
    ORDER BY i.indrelid, k.place
"""


class PostgresCatalog:
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._types = self._load_types()

    def _load_types(self) -> Types:
        found = (PostgresType(*row) for row in self._connection.execute(_TYPES))
        return Types({each.oid: each for each in found})

    def tables(self, patterns: Sequence[str]) -> list[Identity]:
        chosen = [
            row
            for row in self._connection.execute(_TABLES).fetchall()
            if any(pattern_fits(each, f"{row[1]}.{row[2]}") for each in patterns)
        ]
        oids = [row[0] for row in chosen]
        columns, keys = self._columns(oids), self._keys(oids)
        return [
            _identity(schema, name, columns.get(oid, ()), keys.get(oid, {}), identity)
            for oid, schema, name, identity in chosen
        ]

    def current(self, relation: Relation) -> SourceTable | None:
        """With the columns that a message of the log has, and what the catalog says of them now."""
        (found,) = self.tables([relation.full_name]) or (None,)
        if found is None:
            return None
        known = {column.name: column for column in found.table.columns}
        columns = []
        for each in relation.columns:
            has_default = each.name not in known or known[each.name].has_default
            columns.append(
                self._column(each.name, each.type_oid, each.type_modifier, has_default=has_default)
            )
        return SourceTable(relation.schema, relation.name, tuple(columns), found.table.key)

    def _column(self, name: str, type_oid: int, modifier: int, *, has_default: bool) -> SourceColumn:
        if not self._types.knows(type_oid):
            self._types = self._load_types()
        return self._types.column(name, type_oid, modifier, has_default=has_default)

    def _columns(self, oids: list[int]) -> dict[int, tuple[SourceColumn, ...]]:
        found: dict[int, tuple[SourceColumn, ...]] = {}
        for oid, name, kind, modifier, has_default, declared, number in self._connection.execute(
            _COLUMNS, [oids]
        ).fetchall():
            column = self._column(name, kind, modifier, has_default=has_default)
            found[oid] = (*found.get(oid, ()), replace(column, declared=declared, number=number))
        return found

    def _keys(self, oids: list[int]) -> dict[int, dict[str, tuple[str, ...]]]:
        """Of each table the columns of its primary key, and of the index that replication uses."""
        found: dict[int, dict[str, tuple[str, ...]]] = {}
        for oid, is_primary, is_identity, column in self._connection.execute(_KEYS, [oids]):
            of_table = found.setdefault(oid, {})
            for name in [*["primary"] * is_primary, *["identity"] * is_identity]:
                of_table[name] = (*of_table.get(name, ()), column)
        return found


def _identity(
    schema: str, name: str, columns: Iterable[SourceColumn], keys: dict[str, tuple[str, ...]], identity: str
) -> Identity:
    """``identity``: d for the primary key, i for another index, f for the whole row, n for nothing."""
    key = keys.get("identity" if identity == "i" else "primary", ())
    is_known = identity == "f" or (identity in "di" and bool(key))
    return Identity(SourceTable(schema, name, tuple(columns), key), is_known)
