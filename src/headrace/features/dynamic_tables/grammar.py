"""CREATE, ALTER, REFRESH, EXPLAIN, VERIFY, DROP and SHOW of dynamic tables, and SET of their arguments."""

from __future__ import annotations

from functools import partial

from headrace.features.dynamic_tables.grammar_alterations import (
    ALTER_DYNAMIC_FORM,
    ALTER_FORM,
    read_alter_dynamic_table,
    read_alter_table,
)
from headrace.features.dynamic_tables.grammar_arguments import RESET_FORM, SET_FORM, read_reset, read_set
from headrace.features.dynamic_tables.grammar_clauses import read_clauses
from headrace.features.dynamic_tables.grammar_partition import read_partition
from headrace.features.dynamic_tables.grammar_statements import (
    CreateDynamicTable,
    CreateMaterializedView,
    DropDynamicTable,
    Explain,
    RefreshDynamicTable,
    ShowDynamicTables,
    ShowRefreshHistory,
    VerifyDynamicTable,
)
from headrace.sql.parsing.filters import read_filters, read_limit, read_where
from headrace.sql.parsing.rules import Rule, Rules
from headrace.sql.parsing.token_reader import TokenReader

CREATE_FORM = "CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query"
REFRESH_FORM = "REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]"
VERIFY_FORM = "VERIFY DYNAMIC TABLE name"
DROP_DYNAMIC_FORM = "DROP DYNAMIC TABLE [IF EXISTS] name"
SHOW_DYNAMIC_TABLES_FORM = "SHOW DYNAMIC TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_HISTORY_FORM = "SHOW DYNAMIC TABLE REFRESH HISTORY [FOR table] [WHERE condition] [LIMIT n]"

_QUERY_STARTS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "(")


def _create(cursor: TokenReader, or_replace: bool = False) -> CreateDynamicTable:
    cursor.expect("TABLE")
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


def _query(cursor: TokenReader) -> tuple[str, int]:
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


def _create_materialized_view(cursor: TokenReader) -> CreateMaterializedView | None:
    return CreateMaterializedView(cursor.span_so_far) if cursor.at("VIEW") else None


def _refresh(cursor: TokenReader) -> RefreshDynamicTable:
    cursor.expect("TABLE")
    name = cursor.name("the name of a dynamic table")
    full = cursor.take("FULL")
    partition = read_partition(cursor) if cursor.take("PARTITION") else None
    if cursor.at("FULL"):
        raise cursor.error("FULL must precede PARTITION" if not full else "FULL is given twice")
    cursor.expect_end()
    return RefreshDynamicTable(name, full, partition)


def _refresh_other(cursor: TokenReader) -> None:
    """Spark's, except where DYNAMIC is in the wrong place."""
    last = cursor.ahead(2)
    if cursor.at("TABLE") and last is not None and last.upper == "DYNAMIC":
        raise cursor.error("DYNAMIC must precede TABLE", cursor.span_before)


def _explain(cursor: TokenReader) -> Explain | CreateMaterializedView | None:
    statement = _EXPLAINED.read(cursor.text, cursor.upcoming)
    if isinstance(statement, CreateDynamicTable | RefreshDynamicTable):
        return Explain(statement)
    return statement if isinstance(statement, CreateMaterializedView) else None


def _verify(cursor: TokenReader) -> VerifyDynamicTable:
    cursor.expect("TABLE")
    name = cursor.name("the name of a dynamic table")
    cursor.expect_end()
    return VerifyDynamicTable(name)


def _drop(cursor: TokenReader) -> DropDynamicTable:
    cursor.expect("TABLE")
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a dynamic table")
    cursor.expect_end()
    return DropDynamicTable(name, if_exists)


def _show(cursor: TokenReader) -> ShowDynamicTables:
    return ShowDynamicTables(*read_filters(cursor))


def _show_history(cursor: TokenReader) -> ShowRefreshHistory:
    cursor.expect("TABLE", "REFRESH", "HISTORY")
    table = cursor.name("the name of a dynamic table") if cursor.take("FOR") else None
    return ShowRefreshHistory(table, read_where(cursor), read_limit(cursor))


_EXPLAINABLE = (
    Rule("CREATE DYNAMIC", CREATE_FORM, _create),
    Rule("CREATE OR REPLACE DYNAMIC", CREATE_FORM, partial(_create, or_replace=True)),
    Rule("CREATE MATERIALIZED", None, _create_materialized_view),
    Rule("CREATE OR REPLACE MATERIALIZED", None, _create_materialized_view),
    Rule("REFRESH DYNAMIC", REFRESH_FORM, _refresh),
    Rule("REFRESH", REFRESH_FORM, _refresh_other),
)
_EXPLAINED = Rules(_EXPLAINABLE)

RULES = (
    *_EXPLAINABLE,
    Rule("EXPLAIN", None, _explain),
    Rule("VERIFY DYNAMIC", VERIFY_FORM, _verify),
    Rule("ALTER DYNAMIC", ALTER_DYNAMIC_FORM, read_alter_dynamic_table),
    Rule("ALTER TABLE", ALTER_FORM, read_alter_table),
    Rule("DROP DYNAMIC", DROP_DYNAMIC_FORM, _drop),
    Rule("SHOW DYNAMIC TABLES", SHOW_DYNAMIC_TABLES_FORM, _show),
    Rule("SHOW DYNAMIC", SHOW_HISTORY_FORM, _show_history),
    Rule("SET", SET_FORM, read_set),
    Rule("RESET", RESET_FORM, read_reset),
)
