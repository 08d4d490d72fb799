"""PostgreSQL as a source of changes.

Each sync has a logical replication slot, which holds the log back until it is acknowledged, and two
publications: one of tables whose rows can be told apart, and one for the inserts of all others. The slot is
read without moving it, and moved once the tables of the lake have the changes.

A chunk of rows is read by a query whose snapshot says which transactions it sees. The log has the id of each
transaction, so of every change it is known whether the chunk has it: nothing is left out or applied twice,
without locks and without writing to the source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from headrace.errors import NotFound, OperationalError, Refused
from headrace.ingest.cdc.changes import Key, SourceTable, Transaction
from headrace.ingest.cdc.copy_file import write_copy
from headrace.ingest.cdc.postgres.catalog import PostgresCatalog
from headrace.ingest.cdc.postgres.errors import postgres_errors
from headrace.ingest.cdc.postgres.lsn import Lsn, Snapshot
from headrace.ingest.cdc.postgres.pgoutput import Decoder
from headrace.ingest.cdc.source import Chunk, Identity, LogPart
from headrace.ingest.cdc.table_position import OpenChunk, Phase, TablePosition
from headrace.ingest.protocol import Lag

_MOST_CHANGES = 200_000
"""Of one part of the log; a transaction is never split."""
_LEAST_VERSION = 140000
_SLOT_SECONDS = 60
_FLUSH = "SELECT pg_logical_emit_message(true, 'headrace', '')"
"""An empty message, so that the log is written up to here and the chunk need not stay open."""
_LSN = re.compile(r"[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}")
_HEAD = "pg_current_wal_flush_lsn()"


class PostgresSource:
    def __init__(self, connection: psycopg.Connection[Any], sync_id: str) -> None:
        """Of a connection that commits by itself."""
        self._connection = connection
        self._slot = f"headrace_{sync_id}"
        self._publications = (self._slot, f"{self._slot}_inserts")

    def check(self) -> str:
        with postgres_errors():
            version = self._connection.info.server_version
            if version < _LEAST_VERSION:
                raise OperationalError(
                    f"PostgreSQL {version // 10000} is too old", hint="14 or newer is needed"
                )
            level = self._value("SHOW wal_level")
            if level != "logical":
                raise OperationalError(
                    f"wal_level of the server is {level}, so its log does not have the changes of rows",
                    hint="set wal_level = logical and restart the server",
                )
            can = "SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user"
            if not self._value(can):
                user = self._connection.info.user
                raise OperationalError(
                    f"role {user} must not replicate", hint=f"ALTER ROLE {user} REPLICATION, as a superuser"
                )
            return f"PostgreSQL {self._connection.info.parameter_status('server_version')}"

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        with postgres_errors():
            return PostgresCatalog(self._connection).tables(patterns)

    def start(self, tables: Sequence[Identity]) -> TablePosition:
        with postgres_errors():
            self._publish(tables)
            if self.oldest() is None:
                self._connection.execute(f"SET statement_timeout = '{_SLOT_SECONDS}s'")
                self._connection.execute(
                    "SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", [self._slot]
                )
                self._connection.execute("SET statement_timeout = 0")
            return self._beginning()

    def add(self, tables: Sequence[Identity]) -> TablePosition:
        with postgres_errors():
            self._publish(tables)
            return self._beginning()

    def place(self, position: str) -> TablePosition:
        """A new slot has the log from now on: what was before is not kept for it."""
        if not _LSN.fullmatch(position):
            raise Refused(
                f"{position!r} is not a position of the log", hint="an LSN is meant, as in '16/B374D848'"
            )
        kept = self.oldest()
        if kept is None or self.is_before(position, kept):
            raise Refused(
                f"the log is kept for this sync from {kept} on, not from {position}",
                hint="START = SNAPSHOT reads the rows first; START = LATEST begins now",
            )
        return TablePosition(str(Lsn.parse(position)), is_partial=True)

    def _beginning(self) -> TablePosition:
        """A transaction that has begun before its table was published is not in the log as a whole."""
        head, following = self._row(f"SELECT {_HEAD}, pg_snapshot_xmax(pg_current_snapshot())")
        return TablePosition(head, Phase.SNAPSHOT, barrier=int(following))

    def _publish(self, tables: Sequence[Identity]) -> None:
        published = self._published()
        for publication, is_known in zip(self._publications, (True, False), strict=True):
            operations = "insert, update, delete, truncate" if is_known else "insert, truncate"
            if publication not in published:
                self._execute(
                    "CREATE PUBLICATION {} WITH (publish = {}, publish_via_partition_root = true)",
                    sql.Identifier(publication),
                    sql.Literal(operations),
                )
            for each in tables:
                name = (each.table.schema, each.table.name)
                if each.is_known is is_known and name not in published.get(publication, ()):
                    self._execute(
                        "ALTER PUBLICATION {} ADD TABLE {}",
                        sql.Identifier(publication),
                        sql.Identifier(*name),
                    )

    def _published(self) -> dict[str, set[tuple[str, str]]]:
        query = """
            SELECT p.pubname, n.nspname, c.relname
            FROM pg_publication p LEFT JOIN pg_publication_rel r ON r.prpubid = p.oid
              LEFT JOIN pg_class c ON c.oid = r.prrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE p.pubname = ANY(%s)
        """
        found: dict[str, set[tuple[str, str]]] = {}
        for publication, schema, name in self._connection.execute(query, [list(self._publications)]):
            found.setdefault(publication, set()).add((schema, name))
        return found

    def remove(self, tables: Sequence[str]) -> None:
        with postgres_errors():
            for publication, published in self._published().items():
                for schema, name in published:
                    if f"{schema}.{name}" in tables:
                        self._execute(
                            "ALTER PUBLICATION {} DROP TABLE {}",
                            sql.Identifier(publication),
                            sql.Identifier(schema, name),
                        )

    def end(self) -> None:
        with postgres_errors():
            if self.oldest() is not None:
                self._connection.execute("SELECT pg_drop_replication_slot(%s)", [self._slot])
            for publication in self._published():
                self._execute("DROP PUBLICATION IF EXISTS {}", sql.Identifier(publication))

    def head(self) -> str:
        with postgres_errors():
            return str(self._value(f"SELECT {_HEAD}"))

    def chunk(self, table: SourceTable, position: TablePosition, rows: int, into: Path) -> Chunk | None:
        with postgres_errors():
            found = self._chunk(table, position, rows, into)
            self._connection.execute(_FLUSH)
            return found

    def _chunk(self, table: SourceTable, position: TablePosition, rows: int, into: Path) -> Chunk | None:
        with self._connection.transaction():
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            if not self._is_held_as(table):
                return None
            shown, high = self._row("SELECT pg_current_snapshot(), pg_current_wal_insert_lsn()")
            snapshot = Snapshot.parse(shown)
            has_ended = position.barrier is None or snapshot.oldest >= position.barrier
            if not has_ended or not all(map(snapshot.has, position.pending)):
                return None
            last = self._last_key(table, position.upto, rows)
            count = write_copy(self._copy(table, position.upto, last), table, into)
            return Chunk(OpenChunk(position.upto, shown, high), last, count)

    def _is_held_as(self, table: SourceTable) -> bool:
        """Whether it has these columns, which it then keeps to the end of the transaction.

        The lock comes before the snapshot: in an older one, a table that ALTER TABLE has rewritten is empty.
        """
        name = sql.Identifier(table.schema, table.name)
        self._execute("LOCK TABLE {} IN ACCESS SHARE MODE", name)
        found = PostgresCatalog(self._connection).tables([table.full_name])
        return [each.table for each in found] == [table]

    def _copy(self, table: SourceTable, after: Key | None, last: Key | None) -> Any:
        query = sql.SQL("COPY (SELECT {} FROM {}{}{}) TO STDOUT (FORMAT csv)").format(
            sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns),
            sql.Identifier(table.schema, table.name),
            self._between(table, after, last),
            _ordered(table),
        )
        return self._connection.cursor().copy(query)

    def _last_key(self, table: SourceTable, after: Key | None, rows: int) -> Key | None:
        """Of a chunk of so many rows; None: there are fewer.

        In ORDER BY the name of a column would mean its text, if that were selected under the same name.
        """
        if not table.key:
            return None
        query = sql.SQL("SELECT {} FROM {}{}{} OFFSET {} LIMIT 1").format(
            sql.SQL(", ").join(
                sql.SQL("{}::text AS {}").format(sql.Identifier(name), sql.Identifier(f"text of {name}"))
                for name in table.key
            ),
            sql.Identifier(table.schema, table.name),
            self._between(table, after, None),
            _ordered(table),
            sql.Literal(rows - 1),
        )
        found = self._connection.execute(query).fetchone()
        return None if found is None else tuple(found)

    def _between(self, table: SourceTable, after: Key | None, last: Key | None) -> sql.Composable:
        bounds = [(">", after), ("<=", last)]
        conditions = [self._compared(table, sign, key) for sign, key in bounds if key is not None]
        return sql.SQL(" WHERE ") + sql.SQL(" AND ").join(conditions) if conditions else sql.SQL("")

    def _compared(self, table: SourceTable, sign: str, key: Key) -> sql.Composable:
        columns = sql.SQL(", ").join(sql.Identifier(name) for name in table.key)
        values = sql.SQL(", ").join(sql.Literal(value) for value in key)
        return sql.SQL("({}) {} ({})").format(columns, sql.SQL(sign), values)

    def changes(self, since: str, tables: Collection[str]) -> LogPart:
        """All that the slot keeps: it begins where the last of the tables is, and has what is published."""
        with postgres_errors():
            if (kept := self.oldest()) is None:
                raise _lost(self._slot)
            head = Lsn.parse(self.head())
            if head <= Lsn.parse(kept):
                return LogPart((), kept, unseen=(), tables={}, described=self._described(tables))
            decoder = Decoder()
            messages = self._peek(str(head))
            transactions = list(decoder.transactions(messages))
            snapshot = Snapshot.parse(self._value("SELECT pg_current_snapshot()::text"))
            last = Lsn.parse(transactions[-1].position) if transactions else Lsn(0)
            is_all = len(messages) < _MOST_CHANGES or last >= head
            return LogPart(
                transactions,
                str(max(head, last) if is_all else last),
                tuple(each.id for each in transactions if not snapshot.has(each.id)),
                self._tables(decoder),
                self._described(tables),
            )

    def _peek(self, upto: str) -> list[bytes]:
        query = (
            "SELECT data FROM pg_logical_slot_peek_binary_changes(%s, %s, %s,"
            " 'proto_version', '1', 'publication_names', %s)"
        )
        names = ", ".join(f'"{name}"' for name in self._publications)
        with self._connection.cursor(binary=True) as cursor:
            cursor.execute(query, [self._slot, upto, _MOST_CHANGES, names])
            return [bytes(row[0]) for row in cursor]

    def _described(self, tables: Collection[str]) -> dict[str, SourceTable]:
        found = PostgresCatalog(self._connection).tables(list(tables))
        return {each.table.full_name: each.table for each in found}

    def _tables(self, decoder: Decoder) -> dict[str, SourceTable]:
        catalog = PostgresCatalog(self._connection) if decoder.seen else None
        found = {}
        for name, relations in decoder.seen.items():
            table = catalog.current(relations[-1]) if catalog else None
            if table is not None:
                found[name] = table
        return found

    def sees(self, chunk: OpenChunk, transaction: Transaction) -> bool:
        return Snapshot.parse(chunk.snapshot).has(transaction.id)

    def beyond(self, table: SourceTable, keys: Sequence[Key], boundary: Key) -> Sequence[bool]:
        """In the order of the database, which no other program knows as well."""
        with postgres_errors():
            parts = [
                sql.SQL("(NULL::{}).{}").format(
                    sql.Identifier(table.schema, table.name), sql.Identifier(name)
                )
                for name in table.key
            ]
            names = [sql.Identifier(f"k{place}") for place in range(len(parts))]
            nothing = sql.SQL("SELECT {}, 0 AS place WHERE false").format(
                sql.SQL(", ").join(
                    sql.SQL("{} AS {}").format(part, name) for part, name in zip(parts, names, strict=True)
                )
            )
            found: list[bool] = []
            remaining = iter(keys)
            while part_of_keys := list(islice(remaining, 1000)):
                values = sql.SQL(" UNION ALL SELECT ").join(
                    sql.SQL("{}, {}").format(sql.SQL(", ").join(map(sql.Literal, key)), sql.Literal(place))
                    for place, key in enumerate(part_of_keys)
                )
                query = sql.SQL(
                    "SELECT ({}) > ({}) FROM ({} UNION ALL SELECT {}) AS given ORDER BY place"
                ).format(
                    sql.SQL(", ").join(names), sql.SQL(", ").join(map(sql.Literal, boundary)), nothing, values
                )
                found += [bool(row[0]) for row in self._connection.execute(query)]
            return found

    def is_before(self, position: str, other: str) -> bool:
        return Lsn.parse(position) < Lsn.parse(other)

    def oldest(self) -> str | None:
        with postgres_errors():
            query = "SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = %s"
            found = self._connection.execute(query, [self._slot]).fetchone()
            return None if found is None else str(found[0])

    def acknowledge(self, position: str) -> None:
        kept = self.oldest()
        if kept is not None and self.is_before(kept, position):
            with postgres_errors():
                self._connection.execute("SELECT pg_replication_slot_advance(%s, %s)", [self._slot, position])

    def lag(self, position: str) -> Lag:
        with postgres_errors():
            behind = self._value(f"SELECT pg_wal_lsn_diff({_HEAD}, %s)", position)
            return Lag(None, max(0, int(behind)))

    def held_bytes(self) -> int | None:
        """How much of the log the slot holds back; None: there is no slot."""
        query = (
            "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint"
            " FROM pg_replication_slots WHERE slot_name = %s"
        )
        with postgres_errors():
            found = self._connection.execute(query, [self._slot]).fetchone()
            return None if found is None or found[0] is None else int(found[0])

    def close(self) -> None:
        self._connection.close()

    def _value(self, query: str, *values: object) -> Any:
        return self._row(query, *values)[0]

    def _row(self, query: str, *values: object) -> tuple[Any, ...]:
        found = self._connection.execute(query, values or None).fetchone()
        if found is None:
            raise NotFound(f"PostgreSQL has no answer to {query}")
        return tuple(found)

    def _execute(self, statement: str, *parts: sql.Composable) -> None:
        self._connection.execute(sql.SQL(statement).format(*parts))


def _ordered(table: SourceTable) -> sql.Composable:
    if not table.key:
        return sql.SQL("")
    return sql.SQL(" ORDER BY ") + sql.SQL(", ").join(sql.Identifier(name) for name in table.key)


def _lost(slot: str) -> OperationalError:
    return OperationalError(
        f"the replication slot {slot} does not exist any more, so changes may be missing",
        hint="ALTER SYNC name RESYNC reads all tables again",
    )
