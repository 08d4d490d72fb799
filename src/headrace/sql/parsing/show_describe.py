"""SHOW and DESCRIBE of tables, where they are not Spark's."""

from __future__ import annotations

from headrace.sql.parsing.filters import read_filters
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Describe, ShowCreateTable, ShowTables, ShowTablesHistory
from headrace.sql.parsing.token_reader import TokenReader

SHOW_TABLES_FORM = "SHOW TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_TABLES_HISTORY_FORM = "SHOW TABLES HISTORY [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_CREATE_FORM = "SHOW CREATE TABLE name"
DESCRIBE_FORM = "DESC [TABLE | DYNAMIC TABLE] [EXTENDED] name"

_NOT_TABLES = frozenset(
    {"FUNCTION", "NAMESPACE", "SCHEMA", "DATABASE", "CATALOG", "QUERY", "HISTORY", "PROCEDURE", "STREAM"}
)
_QUERY_STARTS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "(")


def _show_tables(cursor: TokenReader) -> ShowTables:
    return ShowTables(*read_filters(cursor))


def _show_history(cursor: TokenReader) -> ShowTablesHistory:
    return ShowTablesHistory(*read_filters(cursor))


def _show_create(cursor: TokenReader) -> ShowCreateTable | None:
    name = cursor.name("the name of a table", most_parts=None)
    if cursor.at("AS", "SERDE") or len(name.parts) > 3:
        return None
    cursor.expect_end()
    return ShowCreateTable(name)


def _describe(cursor: TokenReader) -> Describe | None:
    if cursor.done or _describes_something_else(cursor):
        return None
    kind = _kind(cursor)
    extended = _option(cursor, "EXTENDED", "FORMATTED")
    if kind is None and extended and cursor.at("DYNAMIC", "TABLE"):
        kind = _kind(cursor)
    if kind == "DYNAMIC TABLE":
        name = cursor.name("the name of a dynamic table")
        cursor.expect_end()
        return Describe(name, extended, kind)
    return _describe_table(cursor, extended, kind)


def _describe_table(cursor: TokenReader, extended: bool, kind: str | None) -> Describe | None:
    if cursor.token is None or not cursor.token.is_name:
        return None
    name = cursor.name("the name of a table", most_parts=None)
    return Describe(name, extended, kind) if cursor.done and len(name.parts) <= 3 else None


def _describes_something_else(cursor: TokenReader) -> bool:
    following = cursor.ahead(1)
    if cursor.at_any(*_NOT_TABLES):
        return following is not None and following.upper != "."
    return cursor.at_any(*_QUERY_STARTS) and not cursor.at("TABLE")


def _kind(cursor: TokenReader) -> str | None:
    if cursor.take("DYNAMIC", "TABLE"):
        return "DYNAMIC TABLE"
    return "TABLE" if _option(cursor, "TABLE") else None


def _option(cursor: TokenReader, *words: str) -> bool:
    """Steps over one of the words unless it is itself the name."""
    following = cursor.ahead(1)
    is_option = following is not None and (following.is_name or following.upper == "IDENTIFIER")
    if cursor.at_any(*words) and is_option:
        cursor.next()
        return True
    return False


RULES = (
    Rule("SHOW TABLES", SHOW_TABLES_FORM, _show_tables),
    Rule("SHOW TABLES HISTORY", SHOW_TABLES_HISTORY_FORM, _show_history),
    Rule("SHOW CREATE TABLE", SHOW_CREATE_FORM, _show_create),
    Rule("DESC", DESCRIBE_FORM, _describe),
    Rule("DESCRIBE", DESCRIBE_FORM, _describe),
)
