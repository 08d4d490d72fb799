"""SHOW and DESCRIBE."""

from __future__ import annotations

from headrace.sql.cursor import Cursor
from headrace.sql.lexer import Kind
from headrace.sql.statements import (
    Describe,
    Expression,
    Name,
    ShowCreateTable,
    ShowDynamicTables,
    ShowRefreshHistory,
    ShowTables,
    Statement,
)

SHOW_TABLES_FORM = "SHOW TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_DYNAMIC_TABLES_FORM = "SHOW DYNAMIC TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_HISTORY_FORM = "SHOW DYNAMIC TABLE REFRESH HISTORY [FOR table] [WHERE condition] [LIMIT n]"
DESCRIBE_FORM = "DESC [TABLE | DYNAMIC TABLE] [EXTENDED] name"

_NOT_TABLES = frozenset(
    {"FUNCTION", "NAMESPACE", "SCHEMA", "DATABASE", "CATALOG", "QUERY", "HISTORY", "PROCEDURE", "STREAM"}
)
_QUERY_STARTS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "(")


def parse_show(cursor: Cursor) -> Statement | None:
    cursor.expect("SHOW")
    if cursor.take("TABLES"):
        cursor.hint = SHOW_TABLES_FORM
        return ShowTables(_schema(cursor), _like(cursor), _where(cursor), _limit(cursor))
    if cursor.take("CREATE", "TABLE"):
        return _show_create(cursor)
    if cursor.take("DYNAMIC", "TABLES"):
        cursor.hint = SHOW_DYNAMIC_TABLES_FORM
        return ShowDynamicTables(_schema(cursor), _like(cursor), _where(cursor), _limit(cursor))
    if cursor.take("DYNAMIC"):
        cursor.hint = SHOW_HISTORY_FORM
        cursor.expect("TABLE", "REFRESH", "HISTORY")
        table = cursor.name("the name of a dynamic table") if cursor.take("FOR") else None
        return ShowRefreshHistory(table, _where(cursor), _limit(cursor))
    return None


def _schema(cursor: Cursor) -> Name | None:
    if cursor.take("IN") or cursor.take("FROM"):
        return cursor.name("the name of a schema", most_parts=2)
    return None


def _like(cursor: Cursor) -> str | None:
    if cursor.take("LIKE") or (cursor.token and cursor.token.kind is Kind.STRING):
        return cursor.string("a pattern")
    return None


def _where(cursor: Cursor) -> Expression | None:
    return cursor.expression("a condition after WHERE", "LIMIT", ";") if cursor.take("WHERE") else None


def _limit(cursor: Cursor) -> int | None:
    limit = cursor.whole_number("a whole number after LIMIT") if cursor.take("LIMIT") else None
    cursor.expect_end()
    return limit


def _show_create(cursor: Cursor) -> ShowCreateTable | None:
    cursor.hint = "SHOW CREATE TABLE name"
    name = cursor.name("the name of a table", most_parts=None)
    if cursor.at("AS", "SERDE") or len(name.parts) > 3:
        return None
    cursor.expect_end()
    return ShowCreateTable(name)


def parse_describe(cursor: Cursor) -> Describe | None:
    cursor.next()
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
