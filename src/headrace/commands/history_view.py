"""The refresh history as rows: for SHOW, and as ``information_schema.dynamic_table_refresh_history``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from headrace.commands.local_view import local_view
from headrace.commands.workbench import Workbench
from headrace.errors import SqlSyntaxError
from headrace.model.history import Refresh
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.sql.lexer import tokenize
from headrace.sql.query import QueryFacts, read_query
from headrace.sql.text import Span, splice

_SCHEMA, _VIEW = "information_schema", "dynamic_table_refresh_history"
_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "("})

_TEXT_COLUMNS_BEFORE = ("workspace_name", "schema_name", "name", "virtual_cluster")
_TEXT_COLUMNS_AFTER = (
    "state",
    "refresh_trigger",
    "suspended_reason",
    "refresh_mode",
    "error_message",
    "source_tables",
    "stats",
    "completion_target",
    "job_id",
    "refresh_mode_reason",
    "source_versions",
)


def history_schema(zone: ZoneInfo) -> pa.Schema:
    moment = pa.timestamp("us", tz=zone.key)
    return pa.schema(
        [
            *((name, pa.string()) for name in _TEXT_COLUMNS_BEFORE),
            ("start_time", moment),
            ("end_time", moment),
            ("duration", pa.duration("us")),
            *((name, pa.string()) for name in _TEXT_COLUMNS_AFTER),
            ("rows_read", pa.int64()),
            ("bytes_read", pa.int64()),
            ("cluster_seconds", pa.float64()),
        ]
    )


def history_rows(refreshes: Sequence[Refresh], zone: ZoneInfo) -> pa.Table:
    return pa.Table.from_pylist([_row(refresh) for refresh in refreshes], schema=history_schema(zone))


def _row(refresh: Refresh) -> dict[str, Any]:
    return {
        "workspace_name": refresh.table.workspace,
        "schema_name": refresh.table.schema,
        "name": refresh.table.table,
        "virtual_cluster": refresh.cluster.upper(),
        "start_time": refresh.start_time,
        "end_time": refresh.end_time,
        "duration": refresh.duration,
        "state": refresh.state.value,
        "refresh_trigger": refresh.trigger.value,
        "suspended_reason": refresh.suspended_reason,
        "refresh_mode": refresh.mode.value if refresh.mode else None,
        "error_message": refresh.error_message,
        "source_tables": _compact(
            [
                {"schema": source.schema, "table_name": source.table, "workspace": source.workspace}
                for source in refresh.sources
            ]
        ),
        "stats": _stats(refresh),
        "completion_target": None,
        "job_id": refresh.job_id,
        "refresh_mode_reason": refresh.mode_reason,
        "source_versions": versions_json(refresh.source_versions),
        "rows_read": refresh.rows_read,
        "bytes_read": refresh.bytes_read,
        "cluster_seconds": refresh.cluster_seconds,
    }


def versions_json(versions: Mapping[TableName, TableVersion]) -> str:
    return _compact({str(name): version.snapshot_id for name, version in sorted(versions.items())})


def _stats(refresh: Refresh) -> str | None:
    if refresh.stats is None:
        return None
    return _compact(
        {
            "rows_deleted": str(refresh.stats.rows_deleted),
            "rows_inserted": str(refresh.stats.rows_inserted),
        }
    )


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


@contextmanager
def with_history_view(text: str, bench: Workbench) -> Iterator[str]:
    """``text`` with the history's name replaced by a temporary view of it, where it is named."""
    if _VIEW not in text.lower():
        yield text
        return
    references = _history_references(text, bench)
    if not references:
        yield text
        return
    rows = history_rows(bench.lake.store.history(), bench.lake.settings.zone)
    with local_view(rows, bench) as view:
        yield splice(text, [(span, _named(alias, view, span)) for span, alias in references])


def names_history(text: str, bench: Workbench) -> bool:
    return _VIEW in text.lower() and bool(_history_references(text, bench))


def _history_references(text: str, bench: Workbench) -> list[tuple[Span, str | None]]:
    """Places of the history's name with the alias it has there."""
    query, offset = _query_in(text)
    names = ((_SCHEMA, _VIEW), (bench.session.workspace.lower(), _SCHEMA, _VIEW))
    return [
        (table.span.shifted(offset), table.alias)
        for table in (query.tables if query else ())
        if tuple(part.lower() for part in table.parts) in names
    ]


def _query_in(text: str) -> tuple[QueryFacts | None, int]:
    """The query that ``text`` is or ends with, as INSERT and CREATE TABLE do, and where it starts."""
    for token in tokenize(text):
        if token.upper in _QUERY_STARTS:
            with suppress(SqlSyntaxError):
                return read_query(text[token.span.start :]), token.span.start
    return None, 0


def _named(alias: str | None, view: str, span: Span) -> str:
    """Exactly as long as what it replaces, so that whatever follows keeps its place."""
    sql = view if alias is not None else f"{view} AS {_VIEW}"
    return sql.ljust(span.end - span.start)
