"""DROP TABLE, UNDROP, RESTORE and DESC HISTORY; VACUUM, after which they have less to offer; OPTIMIZE."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.sql.parsing.filters import read_limit, read_where
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Expression, Name, ObjectKind, Statement
from headrace.sql.parsing.time_travel import read_timestamp
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.positions import Span

DROP_FORM = "DROP TABLE [IF EXISTS] name [PURGE]"
UNDROP_FORM = "UNDROP TABLE | DYNAMIC TABLE | TABLE STREAM name"
RESTORE_FORM = "RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp"
VACUUM_FORM = "VACUUM [table]"
OPTIMIZE_FORM = "OPTIMIZE table"
DESCRIBE_HISTORY_FORM = "DESC HISTORY table [WHERE condition] [LIMIT n]"


@dataclass(frozen=True)
class DropTable(Statement):
    name: Name
    if_exists: bool = False
    purge: bool = False


@dataclass(frozen=True)
class Undrop(Statement):
    kind: ObjectKind
    """TABLE brings back whatever had the name."""
    name: Name


@dataclass(frozen=True)
class AsOfVersion:
    version: int
    span: Span


@dataclass(frozen=True)
class AsOfTimestamp:
    timestamp: Expression


@dataclass(frozen=True)
class Restore(Statement):
    kind: ObjectKind
    name: Name
    to: AsOfVersion | AsOfTimestamp


@dataclass(frozen=True)
class Vacuum(Statement):
    name: Name | None = None
    """None: the whole lake."""


@dataclass(frozen=True)
class Optimize(Statement):
    name: Name


@dataclass(frozen=True)
class DescribeHistory(Statement):
    """The versions of a table."""

    name: Name
    where: Expression | None = None
    limit: int | None = None


def _drop_table(cursor: TokenReader) -> DropTable | None:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a table", most_parts=None)
    purge = cursor.take("PURGE")
    cursor.expect_end()
    return DropTable(name, if_exists, purge) if len(name.parts) <= 3 else None


def _undrop(cursor: TokenReader) -> Undrop:
    kind = _kind_of_table(cursor, "TABLE, DYNAMIC TABLE or TABLE STREAM")
    return _undrop_kind(cursor, kind)


def _undrop_stream(cursor: TokenReader) -> Undrop | None:
    """Without a name after it, a table is called ``stream``."""
    is_named = cursor.token is not None and cursor.token.is_name
    return _undrop_kind(cursor, ObjectKind.TABLE_STREAM) if is_named else None


def _undrop_kind(cursor: TokenReader, kind: ObjectKind) -> Undrop:
    name = cursor.name(f"the name of a {kind.lower()}")
    cursor.expect_end()
    return Undrop(kind, name)


def _restore(cursor: TokenReader) -> Restore:
    kind = _kind_of_table(cursor, "TABLE or DYNAMIC TABLE")
    name = cursor.name(f"the name of a {kind.lower()}")
    cursor.expect("TO")
    target = _target(cursor)
    cursor.expect_end()
    return Restore(kind, name, target)


def _kind_of_table(cursor: TokenReader, possible: str) -> ObjectKind:
    if cursor.take("DYNAMIC", "TABLE"):
        return ObjectKind.DYNAMIC_TABLE
    if cursor.take("TABLE"):
        return ObjectKind.TABLE
    raise cursor.error(f"expected {possible}{cursor.found()}")


def _target(cursor: TokenReader) -> AsOfVersion | AsOfTimestamp:
    if cursor.take("VERSION"):
        cursor.expect("AS", "OF")
        span = cursor.span
        return AsOfVersion(cursor.whole_number("the number of a version"), span)
    if cursor.take("TIMESTAMP"):
        cursor.expect("AS", "OF")
        return AsOfTimestamp(read_timestamp(cursor))
    raise cursor.error(f"expected VERSION AS OF or TIMESTAMP AS OF{cursor.found()}")


def _vacuum(cursor: TokenReader) -> Vacuum:
    name = None if cursor.done else cursor.name("the name of a table")
    cursor.expect_end()
    return Vacuum(name)


def _optimize(cursor: TokenReader) -> Optimize:
    name = cursor.name("the name of a table")
    cursor.expect_end()
    return Optimize(name)


def _describe_history(cursor: TokenReader) -> DescribeHistory | None:
    """Without a name after it, HISTORY is the name of a table itself."""
    if not cursor.names_next:
        return None
    return DescribeHistory(cursor.name("the name of a table"), read_where(cursor), read_limit(cursor))


RULES = (
    Rule("DROP TABLE", DROP_FORM, _drop_table),
    Rule("UNDROP", UNDROP_FORM, _undrop),
    Rule("UNDROP TABLE STREAM", UNDROP_FORM, _undrop_stream),
    Rule("RESTORE", RESTORE_FORM, _restore),
    Rule("VACUUM", VACUUM_FORM, _vacuum),
    Rule("OPTIMIZE", OPTIMIZE_FORM, _optimize),
    Rule("DESC HISTORY", DESCRIBE_HISTORY_FORM, _describe_history),
    Rule("DESCRIBE HISTORY", DESCRIBE_HISTORY_FORM, _describe_history),
)
