"""DESC and SHOW CREATE TABLE."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

import pyarrow as pa

from headrace.commands.error_location import pointing_at
from headrace.commands.passthrough import run_guarded
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import Error, NotFound
from headrace.features.dynamic_tables.define import define
from headrace.features.streams.consume import with_streams
from headrace.features.streams.show_streams import create_stream_statement, described
from headrace.lake.table.pin import sql_type
from headrace.lake.table.tables import Table, View
from headrace.model.counted import counted
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.model.quoting import quote_string
from headrace.model.text_table import show_value
from headrace.refresh.arguments import default_of
from headrace.refresh.choose import WAITS
from headrace.refresh.condition import conditions
from headrace.refresh.increment import index_use
from headrace.refresh.observe import last_record
from headrace.result import LocalRows, Result
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.statements import Describe, ShowCreateTable
from headrace.sql.queries.hiding import is_hidden
from headrace.sql.query_parameters import parameter_names
from headrace.views.ddl import create_statement
from headrace.views.described import column_table
from headrace.views.dynamic_tables import RECENT
from headrace.views.key_indexes import indexes_used, key_index_rows
from headrace.views.refreshes import arguments_json

Pairs = list[tuple[str, str | None]]

_IDENTITIES = {
    "keys": "rows are identified by the rows or groups that they come from",
    "groups": "groups are identified by their keys, and have hidden counts, sums and extremes",
}
"""By the kind of layout that a refresh has recorded."""


def describe(statement: Describe, given: StatementInput, context: StatementContext) -> Result:
    if context.session.is_temporary_view(statement.name.parts):
        return run_guarded(statement, given, context)
    with pointing_at(given.parsed.text, statement.name.span):
        stream = context.lake.store.streams.find(context.resolve(statement.name))
        if stream is not None and statement.kind != "DYNAMIC TABLE":
            return described(stream, context, extended=statement.extended)
        pairs = _describe(context.resolve(statement.name), statement, context)
    return Result(LocalRows(column_table(pairs, context.lake.settings.zone)))


def _describe(name: TableName, statement: Describe, context: StatementContext) -> Pairs:
    if statement.kind == "DYNAMIC TABLE":
        context.dynamic_table(statement.name, "DESC {name}")
    table = context.session.catalog.table(name)
    dynamic = context.lake.store.definitions.find(name)
    if table is not None:
        pairs: Pairs = [
            (field.name, context.session.canonical_type(sql_type(field.type)))
            for field in table.fields
            if dynamic is None or not is_hidden(field.name)
        ]
        return pairs + (_details(name, table, dynamic, context) if statement.extended else [])
    view = context.session.catalog.view(name)
    if view is None:
        raise NotFound(f"table or view {name} does not exist", hint="SHOW TABLES lists all tables").of(
            *name.parts
        )
    return _view(view, statement.extended, context)


def _details(name: TableName, table: Table, dynamic: DynamicTable | None, context: StatementContext) -> Pairs:
    heading: Pairs = [("detailed table information", None), *_identity(name)]
    if dynamic is not None:
        return heading + _dynamic_details(dynamic, table, context) + _storage(table)
    properties = {key: value for key, value in table.properties.items() if key != "comment"}
    return [
        *heading,
        ("comment", table.properties.get("comment", "")),
        ("properties", show_properties(properties)),
        ("type", "TABLE"),
        *_storage(table),
    ]


def _identity(name: TableName) -> Pairs:
    return [("workspace", name.workspace), ("schema", name.schema), ("name", name.table)]


def _dynamic_details(dynamic: DynamicTable, table: Table, context: StatementContext) -> Pairs:
    last = context.lake.store.refreshes.latest(dynamic.id)
    interval = dynamic.schedule.interval_seconds
    start = dynamic.schedule.start_at or dynamic.created_at
    return [
        ("creator", dynamic.creator),
        ("created_time", _moment(dynamic.created_at, context)),
        ("last_modified_time", _moment(dynamic.modified_at, context)),
        ("comment", dynamic.comment or ""),
        ("properties", show_properties(dict(dynamic.properties))),
        ("type", "DYNAMIC TABLE"),
        ("view_text", dynamic.definition.qualified),
        ("view_original_text", dynamic.definition.query),
        ("source_tables", _sources(dynamic, table)),
        *_state(dynamic, context),
        ("refresh_type", "on demand" if interval is None else "on schedule"),
        ("refresh_mode", f"{dynamic.mode}" + (f" (last: {last.mode}, {last.mode_reason})" if last else "")),
        ("refresh_start_time", _moment(start, context)),
        ("refresh_interval_second", None if interval is None else str(interval)),
        ("refresh_vcluster", dynamic.cluster.upper()),
        *_waiting(dynamic, table),
        *_arguments(dynamic, table),
        *_row_identity(table),
        *_key_indexes(dynamic, context),
        ("stored_groups", _stored_groups(table, context)),
    ]


def _key_indexes(dynamic: DynamicTable, context: StatementContext) -> Pairs:
    """By which its refreshes find rows of its sources, and its own."""
    store = context.lake.store
    past = [row for row in store.refreshes.history(dynamic.name, RECENT) if row.table_id == dynamic.id]
    profiles = (store.profiles.find(row.job_id) for row in past)
    used = indexes_used(filter(None, profiles), context.lake.key_indexes.all())
    shown = [
        f"{row.workspace_name}.{row.schema_name}.{row.table_name} by {row.columns}: "
        f"{row.files} files, {row.bytes} bytes"
        for row in key_index_rows(used)
    ]
    return [("key_index_use", index_use(dynamic.properties)), ("key_indexes", "; ".join(shown) or "none")]


def _stored_groups(table: Table, context: StatementContext) -> str:
    """Of aggregates inside the query, which its last refresh has read."""
    record = last_record(table)
    tables = map(context.session.catalog.table, record.groups if record else ())
    sizes = [found.snapshot for found in tables if found is not None and found.snapshot is not None]
    rows, size = sum(each.rows for each in sizes), sum(each.bytes for each in sizes)
    return f"{counted(len(sizes), 'table')}, {rows} rows, {size} bytes" if sizes else "none"


def _state(dynamic: DynamicTable, context: StatementContext) -> Pairs:
    found = conditions(context.lake.state(), context.now(), [dynamic.name])[dynamic.name]
    reason = [] if found.reason is None else [("state_reason", found.reason)]
    return [("state", found.state.value), *reason]


def _waiting(dynamic: DynamicTable, table: Table) -> Pairs:
    """Of a table whose rows are those of an older definition."""
    record = last_record(table)
    if record is None or record.fingerprint == dynamic.definition.fingerprint:
        return []
    return [("new_definition", WAITS)]


def _arguments(dynamic: DynamicTable, table: Table) -> Pairs:
    """Of a table with parameters, and of one whose partitions are refreshed one by one."""
    record = last_record(table)
    names = parameter_names(dynamic.definition.expanded)
    defaults = {name: default_of(dynamic, name) for name in names}
    found: Pairs = []
    if names:
        shown = [
            name if default is None else f"{name} = {quote_string(default)}"
            for name, default in defaults.items()
        ]
        found += [("parameters", ", ".join(shown))]
        found += [("refresh_arguments", arguments_json(record.arguments) if record else None)]
    if record is not None and record.partition is not None:
        found += [("refresh_partition", str(record.partition))]
    return found


def _row_identity(table: Table) -> Pairs:
    record = last_record(table)
    kind = (record.layout or "").split("(")[0] if record else ""
    return [
        ("unique_key_is_valid", str(kind in _IDENTITIES).lower()),
        (
            "unique_key_version_info",
            _IDENTITIES.get(kind, "rows have no key: they are identified by all columns"),
        ),
    ]


def _sources(dynamic: DynamicTable, table: Table) -> str:
    record = last_record(table)
    shown = []
    for source in dynamic.definition.sources:
        version = record.versions.get(source.name) if record else None
        shown.append(f"{version.uuid[:8]}:{source.name}={version}" if version else f"{source.name}=")
    return f"[{', '.join(shown)}]"


def _storage(table: Table) -> Pairs:
    snapshot = table.snapshot
    rows, size = (snapshot.rows, snapshot.bytes) if snapshot else (0, 0)
    options = {key: value for key, value in table.properties.items() if key.startswith("write.parquet.")}
    return [
        ("partitioning", table.partitioning),
        ("format", table.properties.get("write.format.default", "parquet").upper()),
        ("format_options", show_properties(options)),
        ("statistics", f"{rows} rows {size} bytes"),
    ]


def _view(view: View, extended: bool, context: StatementContext) -> Pairs:
    query = f"SELECT * FROM {view.name.sql}"
    with with_streams(ParsedStatement(query), context):
        analysed = context.session.analyze(query)
    pairs: Pairs = [(column.name, column.type) for column in analysed.columns]
    if not extended:
        return pairs
    return [
        *pairs,
        ("detailed table information", None),
        *_identity(view.name),
        ("type", "VIEW"),
        ("view_text", view.sql),
    ]


def show_properties(properties: dict[str, str]) -> str:
    """As ``(("refresh_vc","default"))``."""
    return "(" + ",".join(f'("{key}","{value}")' for key, value in sorted(properties.items())) + ")"


def _moment(moment: datetime, context: StatementContext) -> str:
    milliseconds = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    return show_value(milliseconds.astimezone(context.lake.settings.zone))


def show_create_table(statement: ShowCreateTable, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.parsed.text, statement.name.span):
        dynamic = context.find_dynamic_table(statement.name)
        stream = context.lake.store.streams.find(context.resolve(statement.name))
    if dynamic is not None:
        created = create_statement(dynamic, _query_here(dynamic, context))
    elif stream is not None:
        created = create_stream_statement(stream)
    else:
        return run_guarded(statement, given, context)
    return Result(LocalRows(pa.table({"createtab_stmt": [created]})))


def _query_here(table: DynamicTable, context: StatementContext) -> str:
    """As typed if that means the same here and now; else by full names, with the queries of its views."""
    typed, expanded = table.definition.query, table.definition.expanded
    with suppress(Error):
        again = define(typed, typed, 0, context, table.properties)
        return typed if again.definition.expanded == expanded else expanded
    return expanded
