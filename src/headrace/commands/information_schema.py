"""What can be selected from ``information_schema``: views of what the lake holds and has done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import NamedTuple

import pyarrow as pa

from headrace.commands.lake_objects import all_columns, all_tables
from headrace.commands.local_view import local_view
from headrace.commands.statement_context import StatementContext
from headrace.errors import SqlSyntaxError
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.query import QueryFacts, read_query
from headrace.sql.queries.references import TableReference
from headrace.sql.tokens.positions import splice
from headrace.views.arrow import to_arrow
from headrace.views.costs import CostRow, costs
from headrace.views.refreshes import ProfileRow, RefreshRow

_SCHEMA = "information_schema"
_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "("})


class _Named(NamedTuple):
    workspace: str
    view: str


def _history(context: StatementContext, _workspace: str) -> pa.Table:
    return to_arrow(
        RefreshRow, map(RefreshRow.of, context.lake.store.refreshes.history()), context.lake.settings.zone
    )


def _profiles(context: StatementContext, _workspace: str) -> pa.Table:
    return to_arrow(
        ProfileRow, map(ProfileRow.of, context.lake.store.profiles.all()), context.lake.settings.zone
    )


def _costs(context: StatementContext, _workspace: str) -> pa.Table:
    lake, zone = context.lake, context.lake.settings.zone
    heads, indexes = lake.heads_of_all(), lake.key_indexes.all()
    rows = costs(lake.store.refreshes.history(), lake.store.profiles, heads, indexes, zone)
    return to_arrow(CostRow, rows, zone)


_VIEWS: Mapping[str, Callable[[StatementContext, str], pa.Table]] = {
    "tables": all_tables,
    "columns": all_columns,
    "dynamic_table_refresh_history": _history,
    "dynamic_table_job_profiles": _profiles,
    "dynamic_table_costs": _costs,
}


@contextmanager
def with_information_schema(
    statement: ParsedStatement, context: StatementContext
) -> Iterator[ParsedStatement]:
    """``statement`` with the names of these views replaced by temporary ones, where it has any."""
    references = _references(statement, context)
    with ExitStack() as stack:
        views = {
            named: stack.enter_context(
                local_view(_VIEWS[named.view](context, named.workspace), context.session)
            )
            for named in {named for named, _ in references}
        }
        edits = [(table.span, _renamed(table, views[named], named.view)) for named, table in references]
        yield statement.with_text(splice(statement.text, edits))


def names_information_schema(statement: ParsedStatement, context: StatementContext) -> bool:
    return bool(_references(statement, context))


def _references(statement: ParsedStatement, context: StatementContext) -> list[tuple[_Named, TableReference]]:
    """Which views are named, and where."""
    if _SCHEMA not in statement.text.lower():
        return []
    query, offset = _query_in(statement)
    tables = [replace(table, span=table.span.shifted(offset)) for table in (query.tables if query else ())]
    named = [(_view_named(table, context), table) for table in tables]
    return [(view, table) for view, table in named if view is not None]


def _view_named(table: TableReference, context: StatementContext) -> _Named | None:
    *path, name = table.parts
    workspace = path[0] if len(path) == 2 else context.session.workspace
    is_view = name.lower() in _VIEWS and [part.lower() for part in path[-1:]] == [_SCHEMA]
    return _Named(workspace, name.lower()) if is_view and workspace in context.session.workspaces else None


def _query_in(statement: ParsedStatement) -> tuple[QueryFacts | None, int]:
    """The query that ``statement`` is or ends with, as INSERT and CREATE TABLE do, and where it starts."""
    for token in statement.tokens:
        if token.upper in _QUERY_STARTS:
            with suppress(SqlSyntaxError):
                return read_query(statement.text[token.span.start :]), token.span.start
    return None, 0


def _renamed(table: TableReference, view: str, name: str) -> str:
    """As long as what it replaces where that is possible, so that whatever follows keeps its place."""
    sql = view if table.alias is not None else f"{view} AS {name}"
    return sql.ljust(table.span.end - table.span.start)
