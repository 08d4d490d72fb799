"""The messages of pgoutput, PostgreSQL's own output plugin, in version 1 of its protocol."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from headrace.ingest.cdc.changes import UNCHANGED, Change, Operation, Row, Transaction, Value
from headrace.ingest.cdc.postgres.lsn import Lsn

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_BEGIN = struct.Struct("!xQqI")
_COMMIT = struct.Struct("!xBQQq")
_RELATION_COLUMN = struct.Struct("!Ii")
_INT16 = struct.Struct("!h")
_INT32 = struct.Struct("!I")
_NULL, _UNCHANGED = ord("n"), ord("u")


@dataclass(frozen=True)
class RelationColumn:
    name: str
    type_oid: int
    type_modifier: int


@dataclass(frozen=True)
class Relation:
    oid: int
    schema: str
    name: str
    columns: tuple[RelationColumn, ...]

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"


class Decoder:
    """Messages of one reading of a slot, in their order."""

    def __init__(self) -> None:
        self.relations: dict[int, Relation] = {}
        """As they were when they were last changed in what was read."""
        self.seen: dict[str, list[Relation]] = {}
        """All that was read of each table, oldest first."""

    def transactions(self, messages: Iterable[bytes]) -> Iterator[Transaction]:
        changes: list[Change] = []
        xid = 0
        for message in messages:
            kind = message[:1]
            if kind == b"B":
                changes, xid = [], _BEGIN.unpack(message)[2]
            elif kind == b"C":
                _, _, end, microseconds = _COMMIT.unpack(message)
                moment = _EPOCH + timedelta(microseconds=microseconds)
                yield Transaction(xid, str(Lsn(end)), moment, changes)
            elif kind == b"R":
                self._relation(message)
            else:
                changes.extend(self._changes(kind, message))

    def _relation(self, message: bytes) -> None:
        (oid,) = _INT32.unpack_from(message, 1)
        schema, at = _text(message, 5)
        name, at = _text(message, at)
        (count,) = _INT16.unpack_from(message, at + 1)
        at += 3
        columns = []
        for _ in range(count):
            column, at = _text(message, at + 1)
            columns.append(RelationColumn(column, *_RELATION_COLUMN.unpack_from(message, at)))
            at += _RELATION_COLUMN.size
        relation = Relation(oid, schema or "pg_catalog", name, tuple(columns))
        self.relations[oid] = relation
        seen = self.seen.setdefault(relation.full_name, [])
        if not seen or seen[-1] != relation:
            seen.append(relation)

    def _changes(self, kind: bytes, message: bytes) -> Iterator[Change]:
        if kind == b"T":
            yield from self._truncate(message)
        elif kind in b"IUD":
            relation = self.relations[_INT32.unpack_from(message, 1)[0]]
            old, new = _tuples(message, relation)
            yield Change(relation.full_name, _OPERATIONS[kind], new, old)

    def _truncate(self, message: bytes) -> Iterator[Change]:
        (count,) = _INT32.unpack_from(message, 1)
        for oid in struct.unpack_from(f"!{count}I", message, 6):
            yield Change(self.relations[oid].full_name, Operation.TRUNCATE)


_OPERATIONS = {b"I": Operation.INSERT, b"U": Operation.UPDATE, b"D": Operation.DELETE}


def _text(message: bytes, at: int) -> tuple[str, int]:
    end = message.index(0, at)
    return message[at:end].decode(), end + 1


def _tuples(message: bytes, relation: Relation) -> tuple[Row | None, Row | None]:
    """Old and new, as far as the message has them."""
    old: Row | None = None
    new: Row | None = None
    at = 5
    while at < len(message):
        part = message[at : at + 1]
        row, at = _row(message, at + 1, relation)
        if part == b"N":
            new = row
        else:
            old = row if part == b"O" else {name: value for name, value in row.items() if value is not None}
    if old is not None and new is not None:
        new = {name: old.get(name, value) if value is UNCHANGED else value for name, value in new.items()}
    return old, new


def _row(message: bytes, at: int, relation: Relation) -> tuple[dict[str, Value], int]:
    at += 2
    row: dict[str, Value] = {}
    for column in relation.columns:
        kind = message[at]
        at += 1
        if kind == _NULL:
            row[column.name] = None
        elif kind == _UNCHANGED:
            row[column.name] = UNCHANGED
        else:
            start = at + 4
            at = start + _INT32.unpack_from(message, at)[0]
            row[column.name] = message[start:at].decode()
    return row, at
