"""SHOW and DESCRIBE."""

from __future__ import annotations

from headrace.sql.cursor import Cursor
from headrace.sql.filters import read_filters, read_limit, read_where
from headrace.sql.statements import (
    Describe,
    DescribeHistory,
    DescribeTableStream,
    ShowCreateTable,
    ShowDynamicTables,
    ShowRefreshHistory,
    ShowTables,
    ShowTablesHistory,
    Statement,
)
from headrace.sql.streams import parse_describe_stream, parse_show_streams

SHOW_TABLES_FORM = "SHOW TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_TABLES_HISTORY_FORM = "SHOW TABLES HISTORY [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_DYNAMIC_TABLES_FORM = "SHOW DYNAMIC TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_HISTORY_FORM = "SHOW DYNAMIC TABLE REFRESH HISTORY [FOR table] [WHERE condition] [LIMIT n]"
DESCRIBE_HISTORY_FORM = "DESC HISTORY table [WHERE condition] [LIMIT n]"
DESCRIBE_FORM = "DESC [TABLE | DYNAMIC TABLE] [EXTENDED] name"

_NOT_TABLES = frozenset(
    {"FUNCTION", "NAMESPACE", "SCHEMA", "DATABASE", "CATALOG", "QUERY", "HISTORY", "PROCEDURE", "STREAM"}
)
_QUERY_STARTS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "(")


def parse_show(cursor: Cursor) -> Statement | None:
    cursor.expect("SHOW")
    if cursor.take("TABLES", "HISTORY"):
        cursor.hint = SHOW_TABLES_HISTORY_FORM
        return ShowTablesHistory(*read_filters(cursor))
    if cursor.take("TABLES"):
        cursor.hint = SHOW_TABLES_FORM
        return ShowTables(*read_filters(cursor))
    if cursor.take("TABLE", "STREAMS"):
        return parse_show_streams(cursor)
    if cursor.take("CREATE", "TABLE"):
        return _show_create(cursor)
    if cursor.take("DYNAMIC", "TABLES"):
        cursor.hint = SHOW_DYNAMIC_TABLES_FORM
        return ShowDynamicTables(*read_filters(cursor))
    if cursor.take("DYNAMIC"):
        cursor.hint = SHOW_HISTORY_FORM
        cursor.expect("TABLE", "REFRESH", "HISTORY")
        table = cursor.name("the name of a dynamic table") if cursor.take("FOR") else None
        return ShowRefreshHistory(table, read_where(cursor), read_limit(cursor))
    return None


def _show_create(cursor: Cursor) -> ShowCreateTable | None:
    cursor.hint = "SHOW CREATE TABLE name"
    name = cursor.name("the name of a table", most_parts=None)
    if cursor.at("AS", "SERDE") or len(name.parts) > 3:
        return None
    cursor.expect_end()
    return ShowCreateTable(name)


def parse_describe(cursor: Cursor) -> Describe | DescribeHistory | DescribeTableStream | None:
    cursor.next()
    if _asks_for_history(cursor):
        return _describe_history(cursor)
    return parse_describe_stream(cursor) or _describe(cursor)


def _asks_for_history(cursor: Cursor) -> bool:
    """Without a name after it, HISTORY is the name of a table itself."""
    following = cursor.ahead(1)
    names_table = following is not None and following.is_name
    return cursor.at("HISTORY") and names_table and not cursor.at("HISTORY", "PARTITION", "(")


def _describe_history(cursor: Cursor) -> DescribeHistory:
    cursor.hint = DESCRIBE_HISTORY_FORM
    cursor.expect("HISTORY")
    return DescribeHistory(cursor.name("the name of a table"), read_where(cursor), read_limit(cursor))


def _describe(cursor: Cursor) -> Describe | None:
    if cursor.done or _describes_something_else(cursor):
        return None
    kind = _kind(cursor)
    extended = _option(cursor, "EXTENDED", "FORMATTED")
    if kind is None and extended and cursor.at("DYNAMIC", "TABLE"):
        kind = _kind(cursor)
    if kind == "DYNAMIC TABLE":
        cursor.hint = DESCRIBE_FORM
        name = cursor.name("the name of a dynamic table")
        cursor.expect_end()
        return Describe(name, extended, kind)
    return _describe_table(cursor, extended, kind)


def _describe_table(cursor: Cursor, extended: bool, kind: str | None) -> Describe | None:
    if cursor.token is None or not cursor.token.is_name:
        return None
    cursor.hint = DESCRIBE_FORM
    name = cursor.name("the name of a table", most_parts=None)
    return Describe(name, extended, kind) if cursor.done and len(name.parts) <= 3 else None


def _describes_something_else(cursor: Cursor) -> bool:
    following = cursor.ahead(1)
    if cursor.at_any(*_NOT_TABLES):
        return following is not None and following.upper != "."
    return cursor.at_any(*_QUERY_STARTS) and not cursor.at("TABLE")


def _kind(cursor: Cursor) -> str | None:
    if cursor.take("DYNAMIC", "TABLE"):
        return "DYNAMIC TABLE"
    return "TABLE" if _option(cursor, "TABLE") else None


def _option(cursor: Cursor, *words: str) -> bool:
    """Steps over one of the words unless it is itself the name."""
    following = cursor.ahead(1)
    is_option = following is not None and (following.is_name or following.upper == "IDENTIFIER")
    if cursor.at_any(*words) and is_option:
        cursor.next()
        return True
    return False
