"""CREATE DYNAMIC TABLE."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from headrace.commands.define import Defined, define
from headrace.commands.workbench import Workbench
from headrace.errors import AlreadyExists, Error, NotFound, NotSupportedError, Refused
from headrace.lake.results import NOTHING, Result
from headrace.lake.tables import TABLE_ID
from headrace.model.dynamic_table import Column, DynamicTable, RequestedMode, Schedule
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, quote_string
from headrace.sql.equality import same_query
from headrace.sql.statements import ColumnSpec, CreateDynamicTable
from headrace.sql.text import place_of

CLUSTERS = ("default", "default_ap")
_NARROW = {r"\b(tinyint|smallint)\b": "int", r"\b(var)?char\(\d+\)": "string"}
"""Types that Iceberg stores wider."""
_ICEBERG_PREFIXES = ("write.", "read.", "commit.")
"""Of properties that steer Iceberg; the others are the user's own notes."""


def create_dynamic_table(statement: CreateDynamicTable, text: str, bench: Workbench) -> Result:
    name = bench.resolve(statement.name)
    existing = bench.lake.store.find(name)
    if existing is not None and statement.if_not_exists:
        return Result(NOTHING, (f"{name} already exists, nothing was done",))
    try:
        _check_name(name, existing, statement, bench)
    except Error as error:
        raise error.at(place_of(text, statement.name.span)) from None
    _check_options(statement, bench)
    defined = define(statement.query, text, statement.query_offset, bench)
    _check_cycle(name, defined, bench)
    columns = _columns(statement, text, defined, bench)
    wanted = _dynamic_table(name, statement, defined, columns, bench)
    notices = defined.notices + _schedule_notice(wanted)
    if existing is None:
        _create(wanted, bench)
    else:
        _replace(existing, wanted, bench)
    return Result(NOTHING, notices)


def _check_name(
    name: TableName, existing: DynamicTable | None, statement: CreateDynamicTable, bench: Workbench
) -> None:
    if existing is not None:
        if not statement.or_replace:
            raise AlreadyExists(
                f"dynamic table {name} already exists",
                hint="use CREATE OR REPLACE to change it, or IF NOT EXISTS to leave it",
            )
        return
    catalog = bench.session.catalog
    if not catalog.has_schema(name.workspace, name.schema):
        raise NotFound(
            f"schema {name.workspace}.{name.schema} does not exist", hint="CREATE SCHEMA makes one"
        )
    for kind, found in (("table", catalog.table(name)), ("view", catalog.view(name))):
        if found is not None:
            raise AlreadyExists(f"{name} already exists and is a {kind}", hint="choose another name")


def _check_options(statement: CreateDynamicTable, bench: Workbench) -> None:
    least = bench.lake.settings.minimum_interval_seconds
    if statement.interval_seconds is not None and statement.interval_seconds < least:
        raise Refused(
            f"the refresh interval is {statement.interval_seconds} seconds, and the least is {least}",
            hint="minimum_interval_seconds in lake.toml sets the least",
        )
    if _cluster(statement) not in CLUSTERS:
        raise NotFound(
            f"virtual cluster {statement.cluster} does not exist",
            hint=f"this version has {' and '.join(CLUSTERS)}",
        )
    if statement.mode is RequestedMode.INCREMENTAL:
        raise NotSupportedError(
            "incremental refresh not supported: this version recomputes the whole result at each refresh",
            hint="use REFRESH_MODE = AUTO, which turns incremental as soon as it can",
        )


def _cluster(statement: CreateDynamicTable) -> str:
    return (statement.cluster or CLUSTERS[0]).lower()


def _check_cycle(name: TableName, defined: Defined, bench: Workbench) -> None:
    seen: set[TableName] = set()
    paths: list[tuple[TableName, tuple[TableName, ...]]] = [
        (source.name, (source.name,)) for source in defined.definition.sources
    ]
    while paths:
        table, path = paths.pop()
        if table == name:
            circle = " reads ".join(str(step) for step in (name, *path))
            raise Refused(f"dynamic tables cannot read each other in a circle: {circle}")
        upstream = None if table in seen else bench.lake.store.find(table)
        seen.add(table)
        if upstream is not None:
            paths += [(source.name, (*path, source.name)) for source in upstream.definition.sources]


def _columns(
    statement: CreateDynamicTable, text: str, defined: Defined, bench: Workbench
) -> tuple[Column, ...]:
    if statement.columns:
        columns = _listed_columns(statement.columns, defined.columns, bench)
    else:
        _refuse_unnamed(statement, text, defined)
        columns = defined.columns
    seen: set[str] = set()
    for column in columns:
        if column.name.lower() in seen:
            raise Refused(
                f"the query gives two columns named {column.name}",
                hint="give one of them another name with AS",
            )
        seen.add(column.name.lower())
    return tuple(replace(column, type=_stored_type(column)) for column in columns)


def _refuse_unnamed(statement: CreateDynamicTable, text: str, defined: Defined) -> None:
    for position, output in enumerate(defined.facts.outputs, 1):
        if output.name is None and not output.is_star:
            raise Refused(
                f"column {position} of the query has no name",
                hint="name it with AS, or list the names after the table's name",
                place=place_of(text, output.span.shifted(statement.query_offset)),
            )


def _listed_columns(
    listed: tuple[ColumnSpec, ...], given: tuple[Column, ...], bench: Workbench
) -> tuple[Column, ...]:
    if len(listed) != len(given):
        raise Refused(f"{len(listed)} columns are listed, but the query gives {len(given)}")
    columns = []
    for spec, column in zip(listed, given, strict=True):
        if spec.type is not None and bench.session.canonical_type(spec.type) != column.type:
            raise Refused(
                f"column {spec.name} is listed as {spec.type.lower()}, but the query gives {column.type}",
                hint="CAST it in the query, or leave out the type",
            )
        columns.append(Column(spec.name, column.type, spec.comment))
    return tuple(columns)


def _stored_type(column: Column) -> str:
    stored = column.type
    for narrow, wide in _NARROW.items():
        stored = re.sub(narrow, wide, stored)
    if re.search(r"\bvoid\b", stored):
        raise Refused(f"column {column.name} is NULL and has no type", hint="CAST(NULL AS ...) gives it one")
    if "interval" in stored:
        raise Refused(
            f"column {column.name} is an {column.type}, which a table cannot hold",
            hint="keep it as a number of seconds or months",
        )
    return stored


def _dynamic_table(
    name: TableName,
    statement: CreateDynamicTable,
    defined: Defined,
    columns: tuple[Column, ...],
    bench: Workbench,
) -> DynamicTable:
    now = bench.now()
    return DynamicTable(
        id=uuid.uuid4().hex,
        name=name,
        definition=defined.definition,
        columns=columns,
        creator=bench.user,
        created_at=now,
        modified_at=now,
        schedule=Schedule(statement.interval_seconds, _moment(statement.start_at, bench.lake.settings.zone)),
        cluster=_cluster(statement),
        mode=statement.mode,
        comment=statement.comment,
        properties=dict(statement.properties),
        partitioned_by=statement.partitioned_by,
        clustered_by=statement.clustered_by,
    )


def _moment(written: str | None, zone: ZoneInfo) -> datetime | None:
    if written is None:
        return None
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise Refused(
            f"START WITH {written!r} is not a timestamp", hint="write it as '2024-06-01 08:00:00'"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _schedule_notice(table: DynamicTable) -> tuple[str, ...]:
    if table.schedule.interval_seconds is None:
        return ()
    return (
        f"no scheduler runs on this lake yet, so nothing refreshes {table.name} by itself: "
        f"run REFRESH DYNAMIC TABLE {table.name}, from cron for instance with `headrace sql -e`",
    )


def _create(table: DynamicTable, bench: Workbench) -> None:
    """Announced, made, confirmed: what dies between is undone when the lake is next opened."""
    store = bench.lake.store
    store.begin_create(table)
    try:
        with bench.lake.borrow_session() as session:
            session.run(_ddl(table))
            if table.clustered_by:
                session.run(f"ALTER TABLE {table.name.sql} WRITE ORDERED BY {', '.join(table.clustered_by)}")
    except BaseException as error:
        bench.session.catalog.drop_if_owned(table.name, table.id)
        store.abandon_create(table.id)
        if isinstance(error, Error):
            error.place = None
        raise
    store.finish_create(table.id)


def _ddl(table: DynamicTable) -> str:
    columns = ", ".join(_column_ddl(column) for column in table.columns)
    clauses = [f"CREATE TABLE {table.name.sql} ({columns}) USING iceberg"]
    if table.partitioned_by:
        clauses.append(f"PARTITIONED BY ({', '.join(table.partitioned_by)})")
    if table.comment is not None:
        clauses.append(f"COMMENT {quote_string(table.comment)}")
    properties = {key: value for key, value in table.properties.items() if key.startswith(_ICEBERG_PREFIXES)}
    properties |= {TABLE_ID: table.id, "headrace.query": table.definition.query}
    listed = ", ".join(f"{quote_string(key)} = {quote_string(value)}" for key, value in properties.items())
    return " ".join([*clauses, f"TBLPROPERTIES ({listed})"])


def _column_ddl(column: Column) -> str:
    comment = f" COMMENT {quote_string(column.comment)}" if column.comment is not None else ""
    return f"{quote_identifier(column.name)} {column.type}{comment}"


def _replace(existing: DynamicTable, wanted: DynamicTable, bench: Workbench) -> None:
    """Schedule, cluster, mode, comment and properties change at once; rows and history stay."""
    same_columns = [column.name for column in existing.columns] == [column.name for column in wanted.columns]
    if not same_query(existing.definition.expanded, wanted.definition.expanded) or not same_columns:
        raise NotSupportedError(
            f"the query of {existing.name} is another one, and this version cannot replace it in place",
            hint=f"DROP DYNAMIC TABLE {existing.name}, then CREATE; with the same query the rest can change",
        )
    for what, before, after in (
        ("PARTITIONED BY", existing.partitioned_by, wanted.partitioned_by),
        ("CLUSTERED BY", existing.clustered_by, wanted.clustered_by),
    ):
        if before != after:
            raise NotSupportedError(
                f"{what} of {existing.name} cannot be changed in place",
                hint=f"DROP DYNAMIC TABLE {existing.name}, then CREATE",
            )
    with bench.lake.alone_with(existing):
        bench.lake.store.replace(
            replace(
                wanted,
                id=existing.id,
                definition=existing.definition,
                creator=existing.creator,
                created_at=existing.created_at,
            )
        )
