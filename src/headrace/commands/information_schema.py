"""What can be selected from ``information_schema``: views of the metadata database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

import pyarrow as pa

from headrace.commands.costs import COST_SCHEMA, costs
from headrace.commands.history_rows import history_rows, profile_rows
from headrace.commands.local_view import local_view
from headrace.commands.workbench import Workbench
from headrace.errors import SqlSyntaxError
from headrace.sql.lexer import tokenize
from headrace.sql.query import QueryFacts, read_query
from headrace.sql.references import TableReference
from headrace.sql.text import Span, splice

_SCHEMA = "information_schema"
_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "("})


def _history(bench: Workbench) -> pa.Table:
    return history_rows(bench.lake.store.history(), bench.lake.settings.zone)


def _profiles(bench: Workbench) -> pa.Table:
    return profile_rows(bench.lake.store.profiles())


def _costs(bench: Workbench) -> pa.Table:
    lake = bench.lake
    return pa.Table.from_pylist(
        costs(lake.store, lake.heads_of_all(), lake.settings.zone), schema=COST_SCHEMA
    )


_VIEWS: Mapping[str, Callable[[Workbench], pa.Table]] = {
    "dynamic_table_refresh_history": _history,
    "dynamic_table_job_profiles": _profiles,
    "dynamic_table_costs": _costs,
}


@contextmanager
def with_information_schema(text: str, bench: Workbench) -> Iterator[str]:
    """``text`` with the names of these views replaced by temporary ones, where it has any."""
    references = _references(text, bench)
    with ExitStack() as stack:
        views = {
            name: stack.enter_context(local_view(_VIEWS[name](bench), bench))
            for name in {name for name, _, _ in references}
        }
        yield splice(
            text, [(span, _named(alias, views[name], name, span)) for name, span, alias in references]
        )


def names_information_schema(text: str, bench: Workbench) -> bool:
    return bool(_references(text, bench))


def _references(text: str, bench: Workbench) -> list[tuple[str, Span, str | None]]:
    """Which view is named, where, and the alias it has there."""
    lowered = text.lower()
    if not any(name in lowered for name in _VIEWS):
        return []
    query, offset = _query_in(text)
    return [
        (table.parts[-1].lower(), table.span.shifted(offset), table.alias)
        for table in (query.tables if query else ())
        if _is_view(table, bench)
    ]


def _is_view(table: TableReference, bench: Workbench) -> bool:
    *path, name = (part.lower() for part in table.parts)
    return name in _VIEWS and path in ([_SCHEMA], [bench.session.workspace.lower(), _SCHEMA])


def _query_in(text: str) -> tuple[QueryFacts | None, int]:
    """The query that ``text`` is or ends with, as INSERT and CREATE TABLE do, and where it starts."""
    for token in tokenize(text):
        if token.upper in _QUERY_STARTS:
            with suppress(SqlSyntaxError):
                return read_query(text[token.span.start :]), token.span.start
    return None, 0


def _named(alias: str | None, view: str, name: str, span: Span) -> str:
    """Exactly as long as what it replaces, so that whatever follows keeps its place."""
    sql = view if alias is not None else f"{view} AS {name}"
    return sql.ljust(span.end - span.start)
