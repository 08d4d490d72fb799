"""DROP TABLE, UNDROP and RESTORE; VACUUM, after which neither is possible; OPTIMIZE."""

from __future__ import annotations

from headrace.features.streams.grammar import names_stream
from headrace.sql.cursor import Cursor
from headrace.sql.rules import Rule
from headrace.sql.statements import (
    AsOfTimestamp,
    AsOfVersion,
    DropTable,
    ObjectKind,
    Optimize,
    Restore,
    Undrop,
    Vacuum,
)
from headrace.sql.time_travel import read_timestamp

DROP_FORM = "DROP TABLE [IF EXISTS] name [PURGE]"
UNDROP_FORM = "UNDROP TABLE | DYNAMIC TABLE | TABLE STREAM name"
RESTORE_FORM = "RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp"
VACUUM_FORM = "VACUUM [table]"
OPTIMIZE_FORM = "OPTIMIZE table"


def _drop_table(cursor: Cursor) -> DropTable | None:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a table", most_parts=None)
    purge = cursor.take("PURGE")
    cursor.expect_end()
    return DropTable(name, if_exists, purge) if len(name.parts) <= 3 else None


def _undrop(cursor: Cursor) -> Undrop:
    if names_stream(cursor):
        cursor.expect("TABLE", "STREAM")
        kind = ObjectKind.TABLE_STREAM
    else:
        kind = _kind_of_table(cursor, "TABLE, DYNAMIC TABLE or TABLE STREAM")
    name = cursor.name(f"the name of a {kind.lower()}")
    cursor.expect_end()
    return Undrop(kind, name)


def _restore(cursor: Cursor) -> Restore:
    kind = _kind_of_table(cursor, "TABLE or DYNAMIC TABLE")
    name = cursor.name(f"the name of a {kind.lower()}")
    cursor.expect("TO")
    target = _target(cursor)
    cursor.expect_end()
    return Restore(kind, name, target)


def _kind_of_table(cursor: Cursor, possible: str) -> ObjectKind:
    if cursor.take("DYNAMIC", "TABLE"):
        return ObjectKind.DYNAMIC_TABLE
    if cursor.take("TABLE"):
        return ObjectKind.TABLE
    raise cursor.error(f"expected {possible}{cursor.found()}")


def _target(cursor: Cursor) -> AsOfVersion | AsOfTimestamp:
    if cursor.take("VERSION"):
        cursor.expect("AS", "OF")
        span = cursor.span
        return AsOfVersion(cursor.whole_number("the number of a version"), span)
    if cursor.take("TIMESTAMP"):
        cursor.expect("AS", "OF")
        return AsOfTimestamp(read_timestamp(cursor))
    raise cursor.error(f"expected VERSION AS OF or TIMESTAMP AS OF{cursor.found()}")


def _vacuum(cursor: Cursor) -> Vacuum:
    name = None if cursor.done else cursor.name("the name of a table")
    cursor.expect_end()
    return Vacuum(name)


def _optimize(cursor: Cursor) -> Optimize:
    name = cursor.name("the name of a table")
    cursor.expect_end()
    return Optimize(name)


RULES = (
    Rule("DROP TABLE", DROP_FORM, _drop_table),
    Rule("UNDROP", UNDROP_FORM, _undrop),
    Rule("RESTORE", RESTORE_FORM, _restore),
    Rule("VACUUM", VACUUM_FORM, _vacuum),
    Rule("OPTIMIZE", OPTIMIZE_FORM, _optimize),
)
