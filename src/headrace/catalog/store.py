"""Definitions and history, kept in one database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from threading import Lock
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    and_,
    delete,
    exc,
    exists,
    func,
    insert,
    null,
    or_,
    select,
    update,
)

from headrace.catalog import rows
from headrace.catalog.access import older, put
from headrace.catalog.dropped import DroppedObjects
from headrace.catalog.engine import connect, writing
from headrace.catalog.failures import plainly, readable
from headrace.catalog.jobs import Jobs
from headrace.catalog.leases import Leases
from headrace.catalog.migrate import bring_up_to_date
from headrace.catalog.partitions import PartitionRecords
from headrace.catalog.schema import Lifecycle, dynamic_tables, job_profiles, refreshes
from headrace.catalog.streams import TableStreams, move_source
from headrace.catalog.task_runs import TaskRuns
from headrace.catalog.tasks import Tasks
from headrace.catalog.tokens import Tokens
from headrace.catalog.vclusters import Vclusters
from headrace.catalog.warehouse import WarehousePlace
from headrace.errors import AlreadyExists, InterfaceError, NotFound
from headrace.model.change import OnRecord, not_followed
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import JobProfile, Outcome, Refresh, RefreshMode, RefreshState, RefreshTrigger
from headrace.model.names import TableName
from headrace.model.position import Position

ENDED = (RefreshState.SUCCEED.value, RefreshState.FAILED.value)
UNENDED = tuple(state.value for state in RefreshState if state.value not in ENDED)

_ACTIVE = dynamic_tables.c.lifecycle.in_((Lifecycle.ACTIVE.value, Lifecycle.REPLACING.value))
_UNFINISHED = dynamic_tables.c.lifecycle.in_(
    (Lifecycle.CREATING.value, Lifecycle.REPLACING.value, Lifecycle.DROPPING.value)
)
_NEWEST_FIRST = (refreshes.c.start_time.desc(), refreshes.c.job_id.desc())


@dataclass(frozen=True)
class Unfinished:
    """A table whose creation, replacement or removal was begun and not ended."""

    table: DynamicTable
    lifecycle: Lifecycle


@dataclass(frozen=True)
class Altering:
    """A table whose alteration was begun and not ended."""

    table: DynamicTable
    intended: DynamicTable


class MetadataStore:
    """Any thread may use it. Each method is one transaction, on disk when it returns."""

    def __init__(self, engine: Engine, on_record: OnRecord = not_followed) -> None:
        """``on_record`` is called after each commit that records a refresh, a job or a run of a task."""
        self._reads = engine
        self._writes = writing(engine)
        self._one_writer: AbstractContextManager[object] = (
            Lock() if engine.dialect.name == "sqlite" else nullcontext()
        )
        self._closed = False
        self._on_record = on_record
        self.dropped = DroppedObjects(self._write, self._select)
        self.vclusters = Vclusters(self._write, self._select)
        self.tasks = Tasks(self._write, self._select)
        self.task_runs = TaskRuns(self._write, self._select, on_record)
        self.jobs = Jobs(self._write, self._select, on_record)
        self.tokens = Tokens(self._write, self._select)
        self.leases = Leases(self._write, self._select)
        self.partitions = PartitionRecords(self._write, self._select)
        self.streams = TableStreams(self._write, self._select)
        self.warehouse = WarehousePlace(self._write, self._select)

    @classmethod
    def open(cls, url: str, on_record: OnRecord = not_followed) -> MetadataStore:
        """Creates the tables in an empty database and migrates an older one."""
        with plainly():
            engine = connect(url)
            try:
                bring_up_to_date(engine)
            except BaseException:
                engine.dispose()
                raise
        return cls(engine, on_record)

    def close(self) -> None:
        self._closed = True
        self._reads.dispose()

    def begin_create(self, table: DynamicTable) -> None:
        """Takes the name; the table shows once finish_create has run."""
        row = rows.table_to_row(table) | {"lifecycle": Lifecycle.CREATING.value}
        with self._write() as connection, _naming(table.name):
            connection.execute(insert(dynamic_tables).values(row))

    def finish_create(self, table_id: str) -> None:
        self._move(table_id, Lifecycle.CREATING, Lifecycle.ACTIVE)

    def abandon_create(self, table_id: str) -> None:
        self._remove(table_id, Lifecycle.CREATING)

    def begin_drop(self, table_id: str) -> None:
        """Hides a table of which nothing will be kept; its name stays taken until finish_drop."""
        self._move(table_id, Lifecycle.ACTIVE, Lifecycle.DROPPING)

    def finish_drop(self, table_id: str) -> None:
        """Frees the name; the history stays."""
        self._remove(table_id, Lifecycle.DROPPING)

    def replace(self, table: DynamicTable) -> None:
        """Puts ``table`` in the place of the one with its id; the name may differ.

        Whether it is suspended stays as it is.
        """
        self._put_in_place(table, Lifecycle.ACTIVE)

    def begin_replace(self, table: DynamicTable) -> None:
        """The same, with work left to do until finish_replace; ``replace`` with the old one undoes it."""
        self._put_in_place(table, Lifecycle.REPLACING)

    def finish_replace(self, table_id: str) -> None:
        self._move(table_id, Lifecycle.REPLACING, Lifecycle.ACTIVE)

    def set_suspended(self, table_id: str, suspended: bool, modified_at: datetime) -> None:
        with self._write() as connection:
            _change(connection, table_id, {"suspended": suspended, "modified_at": modified_at})

    def begin_alter(self, intended: DynamicTable) -> None:
        """Notes what is to become of the table; it shows as before until finish_alter."""
        with self._write() as connection:
            _change(connection, intended.id, {"intended": rows.intention_to_json(intended)})

    def finish_alter(self, intended: DynamicTable) -> None:
        """The history goes with the name, and so do the streams on the table."""
        row = rows.table_to_row(intended) | {"intended": None}
        with self._write() as connection, _naming(intended.name):
            named = select(dynamic_tables).where(dynamic_tables.c.id == intended.id)
            for before in connection.execute(named).mappings().all():
                move_source(connection, rows.name_from_columns(before), intended.name)
            _change(connection, intended.id, row)
            renamed = update(refreshes).where(refreshes.c.table_id == intended.id)
            connection.execute(renamed.values(rows.name_to_columns(intended.name)))

    def abandon_alter(self, table_id: str) -> None:
        with self._write() as connection:
            _change(connection, table_id, {"intended": None})

    def altering(self) -> list[Altering]:
        query = select(dynamic_tables).where(_ACTIVE, dynamic_tables.c.intended.is_not(null()))
        with self._select(dynamic_tables, query) as found:
            return [Altering(rows.table_from_row(row), rows.intended_from_row(row)) for row in found]

    def unfinished(self) -> list[Unfinished]:
        with self._select(dynamic_tables, select(dynamic_tables).where(_UNFINISHED)) as found:
            pending = [Unfinished(rows.table_from_row(row), rows.lifecycle_from_row(row)) for row in found]
        return sorted(pending, key=lambda each: each.table.name)

    def find(self, name: TableName) -> DynamicTable | None:
        return next(iter(self._active(_named(dynamic_tables, name))), None)

    def all(self) -> list[DynamicTable]:
        return self._active()

    def names(self) -> frozenset[TableName]:
        """Of all active tables."""
        columns = dynamic_tables.c
        query = select(columns.workspace, columns.schema, columns.name).where(_ACTIVE)
        with self._select(dynamic_tables, query) as found:
            return frozenset(rows.name_from_columns(row) for row in found)

    def in_schema(self, workspace: str, schema: str) -> list[DynamicTable]:
        return self._active(dynamic_tables.c.workspace == workspace, dynamic_tables.c.schema == schema)

    def readers_of(self, name: TableName) -> list[TableName]:
        """The active tables that read ``name`` directly."""
        columns = dynamic_tables.c
        query = select(columns.workspace, columns.schema, columns.name, columns.sources).where(_ACTIVE)
        with self._select(dynamic_tables, query) as found:
            return sorted(rows.name_from_columns(row) for row in found if name in rows.sources_from_row(row))

    def record(self, refresh: Refresh, profile: JobProfile | None = None) -> None:
        """Inserts or updates by job_id; without a profile, one recorded earlier stays."""
        if profile is not None and profile.job_id != refresh.job_id:
            raise ValueError(f"profile of job {profile.job_id} given with refresh {refresh.job_id}")
        with self._write() as connection:
            put(connection, refreshes, rows.refresh_to_row(refresh))
            if profile is not None:
                put(connection, job_profiles, rows.profile_to_row(profile))
        self._on_record(refresh)

    def record_all(self, listed: Sequence[Refresh]) -> None:
        """The same for many at once, without profiles; all or none."""
        if listed:
            with self._write() as connection:
                put(connection, refreshes, *map(rows.refresh_to_row, listed))
        for refresh in listed:
            self._on_record(refresh)

    def last_starts(
        self, *, trigger: RefreshTrigger | None = None, since: datetime | None = None
    ) -> dict[str, datetime]:
        """When the last refresh of each active table began, by the table's id; of those of a trigger."""
        newest = select(func.max(refreshes.c.start_time)).where(refreshes.c.table_id == dynamic_tables.c.id)
        if trigger is not None:
            newest = newest.where(refreshes.c.trigger == trigger.value)
        if since is not None:
            newest = newest.where(refreshes.c.start_time >= since)
        query = select(dynamic_tables.c.id, newest.scalar_subquery().label("start_time")).where(_ACTIVE)
        with self._select(dynamic_tables, query) as found:
            return {row["id"]: row["start_time"] for row in found if row["start_time"] is not None}

    def failing(self) -> list[Refresh]:
        """Of tables whose last refresh that has ended failed, that one."""
        newer = refreshes.alias()
        superseded = exists().where(
            newer.c.table_id == refreshes.c.table_id,
            newer.c.start_time > refreshes.c.start_time,
            newer.c.state.in_(ENDED),
        )
        failed = select(refreshes).where(refreshes.c.state == RefreshState.FAILED.value, ~superseded)
        return self._refreshes(failed.order_by(*_NEWEST_FIRST))

    def outcomes(self) -> dict[str, Outcome]:
        """Of each active table that has been refreshed, by its id."""
        newest = (
            select(refreshes.c.end_time)
            .where(
                refreshes.c.table_id == dynamic_tables.c.id, refreshes.c.state == RefreshState.SUCCEED.value
            )
            .order_by(*_NEWEST_FIRST)
            .limit(1)
            .scalar_subquery()
        )
        query = select(dynamic_tables.c.id, newest.label("end_time")).where(_ACTIVE)
        with self._select(dynamic_tables, query) as found:
            ended = {row["id"]: row["end_time"] for row in found}
        failed = {row.table_id: row for row in self.failing() if row.table_id in ended}
        return {
            table_id: Outcome(
                ended[table_id],
                self.failures_in_a_row(table_id) if table_id in failed else 0,
                failed.get(table_id),
            )
            for table_id in ended
            if ended[table_id] is not None or table_id in failed
        }

    def failures_in_a_row(self, table_id: str, besides: str = "") -> int:
        """How many of the newest ended refreshes of a table failed, up to the first success; one left out."""
        query = select(refreshes.c.state).where(
            refreshes.c.table_id == table_id, refreshes.c.job_id != besides, refreshes.c.state.in_(ENDED)
        )
        with self._select(refreshes, query.order_by(*_NEWEST_FIRST).limit(100)) as found:
            states = [row["state"] for row in found]
        return sum(1 for _ in takewhile(lambda state: state == RefreshState.FAILED.value, states))

    def refresh(self, job_id: str) -> Refresh | None:
        return next(iter(self._refreshes(select(refreshes).where(refreshes.c.job_id == job_id))), None)

    def history(
        self, table: TableName | None = None, limit: int | None = None, before: Position | None = None
    ) -> list[Refresh]:
        """Newest first. Of ``table``: what ran under that name, and all of the table that has it now."""
        query = select(refreshes).order_by(*_NEWEST_FIRST).limit(limit)
        query = query.where(older((refreshes.c.start_time, refreshes.c.job_id), before))
        if table is not None:
            holder = select(dynamic_tables.c.id).where(_named(dynamic_tables, table)).scalar_subquery()
            query = query.where(or_(_named(refreshes, table), refreshes.c.table_id == holder))
        return self._refreshes(query)

    def latest(self, table_id: str) -> Refresh | None:
        query = select(refreshes).where(refreshes.c.table_id == table_id)
        return next(iter(self._refreshes(query.order_by(*_NEWEST_FIRST).limit(1))), None)

    def last_successes(self, table_id: str) -> list[Refresh]:
        """The last one of each mode that changes rows."""
        succeeded = select(refreshes).where(
            refreshes.c.table_id == table_id, refreshes.c.state == RefreshState.SUCCEED
        )
        newest = (
            succeeded.where(refreshes.c.mode == mode).order_by(*_NEWEST_FIRST).limit(1)
            for mode in (RefreshMode.INCREMENTAL, RefreshMode.FULL)
        )
        return [refresh for query in newest for refresh in self._refreshes(query)]

    def unended(self) -> list[Refresh]:
        """Neither SUCCEED nor FAILED, newest first."""
        return self._refreshes(
            select(refreshes).where(refreshes.c.state.in_(UNENDED)).order_by(*_NEWEST_FIRST)
        )

    def unended_of(self, table_id: str) -> list[Refresh]:
        return [refresh for refresh in self.unended() if refresh.table_id == table_id]

    def profile(self, job_id: str) -> JobProfile | None:
        with self._select(job_profiles, select(job_profiles).where(job_profiles.c.job_id == job_id)) as found:
            return next((rows.profile_from_row(row) for row in found), None)

    def profiles(self) -> list[JobProfile]:
        query = select(job_profiles).join(refreshes, refreshes.c.job_id == job_profiles.c.job_id)
        with self._select(job_profiles, query.order_by(*_NEWEST_FIRST)) as found:
            return [rows.profile_from_row(row) for row in found]

    def forget_before(self, moment: datetime) -> int:
        """Removes what started earlier, but no unended refresh and no existing table's latest one."""
        old = (refreshes.c.start_time < moment, refreshes.c.state.in_(ENDED))
        with self._write() as connection:
            return connection.execute(delete(refreshes).where(*old, or_(_superseded(), _orphaned()))).rowcount

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        self._expect_open()
        with plainly(), self._one_writer, self._writes.begin() as connection:
            yield connection

    @contextmanager
    def _select(self, table: Table, query: Select[Any]) -> Iterator[Iterator[rows.Row]]:
        """The rows of a query, to be converted inside the block."""
        self._expect_open()
        with plainly(), self._reads.connect() as connection, readable(table.name):
            yield iter(connection.execute(query).mappings())

    def _expect_open(self) -> None:
        if self._closed:
            raise InterfaceError("the metadata store is closed")

    def _put_in_place(self, table: DynamicTable, after: Lifecycle) -> None:
        row = rows.table_to_row(table) | {"lifecycle": after.value}
        del row["suspended"]
        with self._write() as connection, _naming(table.name):
            change = update(dynamic_tables).where(dynamic_tables.c.id == table.id, _ACTIVE)
            _expect_one(connection.execute(change.values(row)).rowcount, table.id, Lifecycle.ACTIVE)

    def _move(self, table_id: str, before: Lifecycle, after: Lifecycle) -> None:
        with self._write() as connection:
            change = update(dynamic_tables).where(_at(table_id, before)).values(lifecycle=after.value)
            _expect_one(connection.execute(change).rowcount, table_id, before)

    def _remove(self, table_id: str, before: Lifecycle) -> None:
        with self._write() as connection:
            gone = connection.execute(delete(dynamic_tables).where(_at(table_id, before)))
            _expect_one(gone.rowcount, table_id, before)

    def _active(self, *conditions: ColumnElement[bool]) -> list[DynamicTable]:
        with self._select(dynamic_tables, select(dynamic_tables).where(_ACTIVE, *conditions)) as found:
            return sorted((rows.table_from_row(row) for row in found), key=lambda table: table.name)

    def _refreshes(self, query: Select[Any]) -> list[Refresh]:
        with self._select(refreshes, query) as found:
            return [rows.refresh_from_row(row) for row in found]


@contextmanager
def _naming(name: TableName) -> Iterator[None]:
    """The one rule a row of dynamic_tables can break is that names are unique."""
    try:
        yield
    except exc.IntegrityError as error:
        raise AlreadyExists(f"{name} already exists") from error.orig


def _named(table: Table, name: TableName) -> ColumnElement[bool]:
    return and_(*(table.c[column] == value for column, value in rows.name_to_columns(name).items()))


def _at(table_id: str, lifecycle: Lifecycle) -> ColumnElement[bool]:
    return and_(dynamic_tables.c.id == table_id, dynamic_tables.c.lifecycle == lifecycle.value)


def _expect_one(count: int, table_id: str, lifecycle: Lifecycle) -> None:
    if count != 1:
        raise NotFound(f"no dynamic table with id {table_id} is {lifecycle}")


def _change(connection: Connection, table_id: str, row: dict[str, Any]) -> None:
    """Of an active table."""
    change = update(dynamic_tables).where(_at(table_id, Lifecycle.ACTIVE))
    _expect_one(connection.execute(change.values(row)).rowcount, table_id, Lifecycle.ACTIVE)


def _superseded() -> ColumnElement[bool]:
    newer = refreshes.alias()
    no_earlier = newer.c.start_time >= refreshes.c.start_time
    later = or_(newer.c.start_time > refreshes.c.start_time, newer.c.job_id > refreshes.c.job_id)
    return exists().where(newer.c.table_id == refreshes.c.table_id, no_earlier, later)


def _orphaned() -> ColumnElement[bool]:
    return ~exists().where(dynamic_tables.c.id == refreshes.c.table_id)
