"""Text of one statement to the statement; whatever is not Headrace's passes through."""

from __future__ import annotations

from collections.abc import Callable

from headrace.sql.alterations import parse_alter
from headrace.sql.arguments import parse_reset, parse_set
from headrace.sql.clauses import read_clauses
from headrace.sql.cursor import Cursor
from headrace.sql.lexer import Tokens, tokenize
from headrace.sql.looks import parse_describe, parse_show
from headrace.sql.not_yet import not_yet
from headrace.sql.operations import Operation, parse_operation
from headrace.sql.partition import read_partition
from headrace.sql.recovery import parse_optimize, parse_restore, parse_undrop, parse_vacuum
from headrace.sql.statements import (
    CreateDynamicTable,
    CreateMaterializedView,
    DropDynamicTable,
    DropTable,
    Explain,
    Name,
    Passthrough,
    RefreshDynamicTable,
    Statement,
    VerifyDynamicTable,
)
from headrace.sql.streams import parse_create_stream, parse_drop_stream

CREATE_FORM = "CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query"
REFRESH_FORM = "REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]"
VERIFY_FORM = "VERIFY DYNAMIC TABLE name"
DROP_DYNAMIC_FORM = "DROP DYNAMIC TABLE [IF EXISTS] name"
DROP_FORM = "DROP TABLE [IF EXISTS] name [PURGE]"

_QUERY_STARTS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "(")


def parse_statement(text: str) -> Statement | Operation:
    """The statement, or SqlSyntaxError where it is one of Headrace's and cannot be read."""
    return parse_tokens(text, tokenize(text))


def parse_tokens(text: str, tokens: Tokens) -> Statement | Operation:
    """The same of a text whose tokens are known."""
    cursor = Cursor(text, tokens)
    apart = not_yet(cursor) or parse_operation(cursor)
    if apart is not None:
        return apart
    parse = _PARSERS.get(cursor.token.upper if cursor.token else "")
    return (parse and parse(cursor)) or Passthrough(text)


def _create(cursor: Cursor) -> Statement | None:
    start = cursor.span
    cursor.expect("CREATE")
    or_replace = cursor.take("OR", "REPLACE")
    if cursor.at("MATERIALIZED", "VIEW"):
        return CreateMaterializedView(start.to(cursor.span))
    if cursor.take("DYNAMIC"):
        cursor.hint = CREATE_FORM
        cursor.expect("TABLE")
        return _create_dynamic_table(cursor, or_replace)
    return parse_create_stream(cursor, or_replace)


def _create_dynamic_table(cursor: Cursor, or_replace: bool) -> CreateDynamicTable:
    if_not_exists = cursor.take_if_not_exists(or_replace)
    name = cursor.name("the name of the dynamic table")
    clauses = read_clauses(cursor)
    query, query_offset = _query(cursor)
    return CreateDynamicTable(
        name=name,
        query=query,
        query_offset=query_offset,
        or_replace=or_replace,
        if_not_exists=if_not_exists,
        columns=clauses.columns,
        partitioned_by=clauses.partitioned_by,
        clustered_by=clauses.clustered_by,
        comment=clauses.comment,
        properties=clauses.properties,
        interval_seconds=clauses.interval_seconds,
        start_at=clauses.start_at,
        cluster=clauses.cluster,
        mode=clauses.mode,
        places=clauses.places,
    )


def _query(cursor: Cursor) -> tuple[str, int]:
    if cursor.done:
        raise cursor.error("a dynamic table requires AS and a query")
    cursor.expect("AS")
    if cursor.done:
        raise cursor.error("the query after AS is missing")
    if cursor.token and not cursor.at_any(*_QUERY_STARTS):
        raise cursor.error(f"a query cannot start with {cursor.token.text}")
    query = cursor.expression("a query", ";")
    if cursor.token:
        hint = "send one statement at a time" if cursor.at(";") else None
        raise cursor.error(f"unexpected {cursor.token.text} in the query", hint=hint)
    return query.text, query.span.start


def _refresh(cursor: Cursor) -> Statement | None:
    if cursor.at("REFRESH", "TABLE") and _ends_with_dynamic(cursor):
        raise cursor.error("DYNAMIC must precede TABLE", hint=REFRESH_FORM)
    if not cursor.take("REFRESH", "DYNAMIC"):
        return None
    cursor.hint = REFRESH_FORM
    cursor.expect("TABLE")
    name = cursor.name("the name of a dynamic table")
    full = cursor.take("FULL")
    partition = read_partition(cursor) if cursor.take("PARTITION") else None
    if cursor.at("FULL"):
        raise cursor.error("FULL must precede PARTITION" if not full else "FULL is given twice")
    cursor.expect_end()
    return RefreshDynamicTable(name, full, partition)


def _ends_with_dynamic(cursor: Cursor) -> bool:
    last = cursor.ahead(3)
    return last is not None and last.upper == "DYNAMIC"


def _explain(cursor: Cursor) -> Statement | None:
    cursor.expect("EXPLAIN")
    parse = {"CREATE": _create, "REFRESH": _refresh}.get(cursor.token.upper if cursor.token else "")
    statement = parse(cursor) if parse else None
    if isinstance(statement, CreateDynamicTable | RefreshDynamicTable):
        return Explain(statement)
    return statement if isinstance(statement, CreateMaterializedView) else None


def _verify(cursor: Cursor) -> Statement | None:
    if not cursor.take("VERIFY", "DYNAMIC"):
        return None
    cursor.hint = VERIFY_FORM
    cursor.expect("TABLE")
    name = cursor.name("the name of a dynamic table")
    cursor.expect_end()
    return VerifyDynamicTable(name)


def _drop(cursor: Cursor) -> Statement | None:
    cursor.expect("DROP")
    if cursor.take("DYNAMIC"):
        cursor.hint = DROP_DYNAMIC_FORM
        cursor.expect("TABLE")
        if_exists = cursor.take("IF", "EXISTS")
        dynamic = DropDynamicTable(cursor.name("the name of a dynamic table"), if_exists)
        cursor.expect_end()
        return dynamic
    if stream := parse_drop_stream(cursor):
        return stream
    if cursor.take("TABLE"):
        cursor.hint = DROP_FORM
        return _drop_table(cursor)
    return None


def _drop_table(cursor: Cursor) -> Statement | None:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a table", most_parts=None)
    purge = cursor.take("PURGE")
    cursor.expect_end()
    return DropTable(name, if_exists, purge) if _names_a_table(name) else None


def _names_a_table(name: Name) -> bool:
    return len(name.parts) <= 3


_PARSERS: dict[str, Callable[[Cursor], Statement | None]] = {
    "CREATE": _create,
    "REFRESH": _refresh,
    "EXPLAIN": _explain,
    "VERIFY": _verify,
    "DROP": _drop,
    "ALTER": parse_alter,
    "UNDROP": parse_undrop,
    "RESTORE": parse_restore,
    "VACUUM": parse_vacuum,
    "OPTIMIZE": parse_optimize,
    "SET": parse_set,
    "RESET": parse_reset,
    "SHOW": parse_show,
    "DESC": parse_describe,
    "DESCRIBE": parse_describe,
}
"""By first word; None from one of these means that the statement is Spark's."""
