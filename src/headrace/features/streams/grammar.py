"""CREATE, DROP, DESCRIBE and SHOW of table streams, next to tables that are called ``stream``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from headrace.features.streams.model import StreamMode
from headrace.sql.parsing.filters import read_filters
from headrace.sql.parsing.properties import read_properties
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Expression, Listing, Name, ObjectKind, Property, Statement
from headrace.sql.parsing.time_travel import read_timestamp
from headrace.sql.parsing.token_reader import TokenReader

CREATE_STREAM_FORM = (
    "CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] "
    "[WITH PROPERTIES (...)]"
)
DROP_STREAM_FORM = "DROP TABLE STREAM [IF EXISTS] name"
DESCRIBE_STREAM_FORM = "DESC TABLE STREAM name"
SHOW_STREAMS_FORM = "SHOW TABLE STREAMS [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"

_SPARK_CLAUSES = (
    *("AS", "SELECT", "WITH", "FROM", "LIKE", "USING", "OPTIONS", "PARTITIONED", "CLUSTERED", "CLUSTER"),
    *("COMMENT", "TBLPROPERTIES", "LOCATION", "ROW", "STORED", "SKEWED", "DEFAULT"),
)
"""What may follow the name of a new table that is called ``stream``."""


@dataclass(frozen=True)
class CreateTableStream(Statement):
    name: Name
    source: Name
    source_kind: ObjectKind = ObjectKind.TABLE
    or_replace: bool = False
    if_not_exists: bool = False
    start_at: Expression | None = None
    """None: now."""
    comment: str | None = None
    mode: StreamMode = StreamMode.STANDARD
    show_initial_rows: bool = False


@dataclass(frozen=True)
class DropTableStream(Statement):
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class DescribeTableStream(Statement):
    name: Name


@dataclass(frozen=True)
class ShowTableStreams(Listing):
    pass


def _at_name(cursor: TokenReader) -> bool:
    return cursor.token is not None and cursor.token.is_name


def _create(cursor: TokenReader, or_replace: bool = False) -> CreateTableStream | None:
    """None where Spark is to create a table called ``stream``."""
    if not _at_name(cursor) or _creates_table(cursor):
        return None
    if_not_exists = cursor.take_if_not_exists(or_replace)
    name = cursor.name("the name of the stream")
    cursor.expect("ON")
    source_kind = _source_kind(cursor)
    source = cursor.name("the name of a table")
    clauses = _read_clauses(cursor)
    return CreateTableStream(
        name=name,
        source=source,
        source_kind=source_kind,
        or_replace=or_replace,
        if_not_exists=if_not_exists,
        start_at=clauses.start_at,
        comment=clauses.comment,
        mode=clauses.mode,
        show_initial_rows=clauses.show_initial_rows,
    )


def _creates_table(cursor: TokenReader) -> bool:
    following = cursor.ahead(1)
    return cursor.at_any(*_SPARK_CLAUSES) and (following is None or following.upper not in ("ON", "."))


def _source_kind(cursor: TokenReader) -> ObjectKind:
    if cursor.take("DYNAMIC", "TABLE"):
        return ObjectKind.DYNAMIC_TABLE
    if cursor.take("TABLE"):
        return ObjectKind.TABLE
    raise cursor.error(f"expected TABLE or DYNAMIC TABLE after ON{cursor.found()}")


@dataclass
class _Clauses:
    start_at: Expression | None = None
    comment: str | None = None
    mode: StreamMode = StreamMode.STANDARD
    show_initial_rows: bool = False
    seen: set[str] = field(default_factory=set)


def _read_clauses(cursor: TokenReader) -> _Clauses:
    clauses = _Clauses()
    while cursor.token:
        start = cursor.span
        words, read = _clause_here(cursor)
        if words in clauses.seen:
            raise cursor.error(f"{words} is given twice", start)
        clauses.seen.add(words)
        read(cursor, clauses)
    return clauses


def _clause_here(cursor: TokenReader) -> tuple[str, Callable[[TokenReader, _Clauses], None]]:
    for words, read in _CLAUSES.items():
        if cursor.take(*words.split()):
            return words, read
    if cursor.at_any("PROPERTIES", "TBLPROPERTIES"):
        raise cursor.error("expected WITH PROPERTIES before the properties of a stream")
    start = cursor.span
    raise cursor.error(f"unexpected {cursor.next().text}", start)


def _timestamp(cursor: TokenReader, clauses: _Clauses) -> None:
    clauses.start_at = read_timestamp(cursor, *_CLAUSES)


def _comment(cursor: TokenReader, clauses: _Clauses) -> None:
    clauses.comment = cursor.string("a comment")


def _properties(cursor: TokenReader, clauses: _Clauses) -> None:
    seen: set[str] = set()
    for given in read_properties(cursor):
        name = given.name.text.upper()
        if name in seen:
            raise cursor.error(f"property {given.name.text} is given twice", given.name.span)
        seen.add(name)
        match name:
            case "TABLE_STREAM_MODE":
                clauses.mode = StreamMode(_choice(cursor, given, tuple(StreamMode)))
            case "SHOW_INITIAL_ROWS":
                clauses.show_initial_rows = _choice(cursor, given, ("TRUE", "FALSE")) == "TRUE"
            case _:
                message = f"a table stream has no property {given.name.text}"
                raise cursor.error(message, given.name.span)


def _choice(cursor: TokenReader, given: Property, choices: tuple[str, ...]) -> str:
    value = given.value.text.upper()
    if value not in choices:
        message = f"{given.name.text.upper()} must be {' or '.join(choices)}, found {given.value.text}"
        raise cursor.error(message, given.value.span)
    return value


_CLAUSES: dict[str, Callable[[TokenReader, _Clauses], None]] = {
    "TIMESTAMP AS OF": _timestamp,
    "COMMENT": _comment,
    "WITH PROPERTIES": _properties,
}


def _drop(cursor: TokenReader) -> DropTableStream | None:
    """None for a table called ``stream``."""
    purges_table = cursor.at("PURGE") and cursor.ahead(1) is None
    if not _at_name(cursor) or purges_table:
        return None
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a stream")
    cursor.expect_end()
    return DropTableStream(name, if_exists)


def _describe(cursor: TokenReader) -> DescribeTableStream | None:
    """None for a table called ``stream``."""
    if not cursor.names_next:
        return None
    name = cursor.name("the name of a stream")
    cursor.expect_end()
    return DescribeTableStream(name)


def _show(cursor: TokenReader) -> ShowTableStreams:
    return ShowTableStreams(*read_filters(cursor))


RULES = (
    Rule("CREATE TABLE STREAM", CREATE_STREAM_FORM, _create),
    Rule("CREATE OR REPLACE TABLE STREAM", CREATE_STREAM_FORM, partial(_create, or_replace=True)),
    Rule("DROP TABLE STREAM", DROP_STREAM_FORM, _drop),
    Rule("DESC TABLE STREAM", DESCRIBE_STREAM_FORM, _describe),
    Rule("DESCRIBE TABLE STREAM", DESCRIBE_STREAM_FORM, _describe),
    Rule("SHOW TABLE STREAMS", SHOW_STREAMS_FORM, _show),
)
