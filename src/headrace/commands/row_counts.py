"""How many rows a statement has written, changed or deleted, by the summary of its commit."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.commands.hidden import possible_tables
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Snapshot
from headrace.model.names import TableName
from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.effects import EffectKind

_INSERTS = {EffectKind.INSERT, EffectKind.OVERWRITE, EffectKind.CREATE, EffectKind.REPLACE}
_DELETES = {EffectKind.DELETE, EffectKind.TRUNCATE}
_COUNTED = {*_INSERTS, *_DELETES, EffectKind.UPDATE, EffectKind.MERGE}
_MERGED = tuple(f"spark.merge-into.num-target-rows-{change}" for change in ("inserted", "updated", "deleted"))


@dataclass(frozen=True)
class WriteCount:
    """A statement that writes to one table, and the snapshot that the table had before."""

    kind: EffectKind
    table: TableName
    before: int | None


def write_in(statement: ParsedStatement, session: LakeSession) -> WriteCount | None:
    """None where the statement writes to no table, to several, or to a branch."""
    effects = statement.effects
    if len(effects) != 1 or statement.is_block or statement.is_explain:
        return None
    kind, target = effects[0].kind, effects[0].target or ()
    tables = possible_tables(target, session) if kind in _COUNTED else []
    if len(tables) != 1 or tables[0].table.lower() != target[-1].lower():
        return None
    snapshot = _snapshot(tables[0], session)
    return WriteCount(kind, tables[0], snapshot.id if snapshot else None)


def row_count(write: WriteCount | None, session: LakeSession) -> int | None:
    """None where the newest commit may be another statement's, or does not tell."""
    snapshot = _snapshot(write.table, session) if write is not None else None
    if write is None or snapshot is None or snapshot.id == write.before:
        return None
    parent = None if write.kind is EffectKind.REPLACE else write.before
    return rows_changed(write.kind, snapshot) if snapshot.parent == parent else None


def rows_changed(kind: EffectKind, snapshot: Snapshot) -> int | None:
    """None for an update or a merge that has rewritten whole files without counting the rows it changed."""
    added, count = snapshot.count("added-records"), snapshot.count
    if kind in _INSERTS or snapshot.operation == "append":
        return added
    if kind in _DELETES:
        vectors = count("added-position-deletes") - count("removed-position-deletes")
        return count("deleted-records") - added + vectors
    if kind is EffectKind.MERGE:
        return sum(map(count, _MERGED)) if snapshot.summary.keys() >= set(_MERGED) else None
    return None if count("deleted-data-files") else added


def _snapshot(name: TableName, session: LakeSession) -> Snapshot | None:
    table = session.catalog.table(name)
    return table.snapshot if table is not None else None
