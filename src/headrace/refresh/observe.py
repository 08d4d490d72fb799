"""What a refresh finds before it does anything: the table, its last record, its sources now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date

from headrace.catalog.definitions import Definitions
from headrace.catalog.partitions import PartitionRecords
from headrace.errors import LakeDamaged
from headrace.lake.table.tables import Snapshot, Table, TableCatalog
from headrace.model.dynamic_table import DynamicTable, Source
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.version import TableVersion
from headrace.refresh.choose import Decision, SourceState, choose
from headrace.refresh.column_meaning import fields_before, reassigned
from headrace.refresh.partition import Within
from headrace.refresh.partition_records import record_of
from headrace.refresh.record import REFRESH_ID, RefreshRecord, contains_refresh, from_summary
from headrace.refresh.record_mismatch import has_mismatch


@dataclass(frozen=True)
class Observation:
    target: Table
    record: RefreshRecord | None
    """None before the first refresh."""
    sources: Mapping[TableName, Table]
    """Those that exist."""
    states: Mapping[TableName, SourceState]
    reshaped: bool = False
    """Whether the columns were replaced after what the record says."""
    number: int = 0
    """Of the table's last refresh that made a version, whatever part of it that was."""
    within: Within | None = None
    """The partition that is looked at, and that the record is about; None: the whole table."""

    @property
    def as_recorded(self) -> bool:
        """False once a refresh has found that the table does not hold what the record says."""
        return not has_mismatch(self.target, self.record)

    @property
    def altered(self) -> bool:
        """Whether a source may have other columns than at the last refresh."""
        before = self.record.versions if self.record else {}
        return any(
            name not in before
            or (before[name].uuid, before[name].schema_id) != (source.version.uuid, source.version.schema_id)
            for name, source in self.sources.items()
        )


def observe(
    table: DynamicTable,
    catalog: TableCatalog,
    definitions: Definitions,
    partitions: PartitionRecords,
    *,
    full: bool,
    partition: Partition | None = None,
    given: Mapping[TableName, str] | None = None,
) -> Observation:
    """``given`` are sources that are to be taken as a metadata file has them, not as they are now."""
    target = load_target(table, catalog)
    newest = record = None if full and not _is_readable(target) else last_record(target)
    if partition is not None:
        target = catalog.loaded_anew(table.name)
        record = None if full else record_of(partition, table.id, target, partitions)
    found = {source.name: catalog.table(source.name) for source in table.definition.sources}
    for name, location in (given or {}).items():
        found[name] = _as_given(found[name], location, record, catalog)
    states = {s.name: _state(s, found[s.name], record, definitions) for s in table.definition.sources}
    present = {name: loaded for name, loaded in found.items() if loaded is not None}
    refreshed = target.bookkeeping(REFRESH_ID) if partition is None else None
    reshaped = refreshed is not None and is_reshaped(table, target, refreshed)
    within = None if partition is None else Within.of(partition, table)
    return Observation(target, record, present, states, reshaped, newest.number if newest else 0, within)


def observe_groups(
    target: Table,
    of: Observation,
    table: DynamicTable,
    reads: Collection[TableName],
    definitions: Definitions,
) -> Observation:
    """Stored groups of a dynamic table, to be brought to the versions of the sources that it was found with.

    ``reads`` are the sources that the groups come from.
    """
    record = last_record(target) if _is_readable(target) else None
    states = {}
    for source in table.definition.sources:
        state = _state(source, of.sources.get(source.name), record, definitions)
        states[source.name] = state if source.name in reads else replace(state, changed=False)
    return Observation(target, record, of.sources, states, number=record.number if record else 0)


def decide(
    table: DynamicTable, observed: Observation, today: date, arguments: Mapping[str, str], *, full: bool
) -> Decision:
    """Which mode the next refresh has by what was observed; ``full`` if FULL is asked for."""
    return choose(
        table.definition,
        table.mode,
        observed.record,
        observed.states,
        today,
        full_demanded=full,
        as_recorded=observed.as_recorded,
        reshaped=observed.reshaped,
        arguments=arguments,
        partition=observed.within.partition if observed.within else None,
    )


def load_target(table: DynamicTable, catalog: TableCatalog) -> Table:
    target = catalog.table(table.name)
    if target is None:
        raise LakeDamaged(
            f"the data of dynamic table {table.name} is missing: another program dropped its Iceberg table",
            hint=f"DROP DYNAMIC TABLE {table.name} and create it again",
        )
    return target


def last_record(table: Table) -> RefreshRecord | None:
    """What the table says of its last refresh; None before the first."""
    snapshot = table.bookkeeping(REFRESH_ID)
    return None if snapshot is None else from_summary(snapshot.summary)


def is_refreshed(table: Table) -> bool:
    """Whether its rows are those of a refresh."""
    snapshot = table.bookkeeping(REFRESH_ID)
    return contains_refresh(None if snapshot is None else snapshot.summary)


def is_reshaped(table: DynamicTable, target: Table, refreshed: Snapshot) -> bool:
    """Whether a column came or went since; one that went and came again is another one."""
    names = {column.name for column in table.columns}
    is_newest = refreshed.id == target.version.snapshot_id
    then = target.snapshot_fields if is_newest else target.fields_at(refreshed.id)
    recorded, present = {field.id for field in then}, {field.id for field in target.fields}
    return not {field.id for field in target.fields if field.name in names} <= recorded <= present


def _as_given(
    now: Table | None, location: str, record: RefreshRecord | None, catalog: TableCatalog
) -> Table | None:
    """As it is now, where the last refresh has observed more than what is given."""
    given = catalog.table_at(now, location) if now is not None else None
    if now is None or given is None:
        return now
    before = record.versions.get(now.name) if record else None
    observed = None if before is None or before.uuid != now.version.uuid else before.snapshot_id
    return given if observed is None or given.has_snapshot(observed) else now


def _is_readable(table: Table) -> bool:
    try:
        last_record(table)
    except LakeDamaged:
        return False
    return True


def _state(
    source: Source, loaded: Table | None, record: RefreshRecord | None, definitions: Definitions
) -> SourceState:
    if loaded is None:
        return SourceState(None, changed=False, note="does not exist")
    name, version = source.name, loaded.version
    before = record.versions.get(name) if record else None
    if before is None:
        return SourceState(version, changed=True)
    if version.uuid != before.uuid and definitions.find(name) is not None and not is_refreshed(loaded):
        return SourceState(None, changed=False, note="was recreated and has not been refreshed yet")
    if version == before:
        return SourceState(version, changed=False)
    has_moved = version.uuid != before.uuid or loaded.changed_since(before.snapshot_id)
    is_altered = version.schema_id != before.schema_id
    means_the_same = not has_moved and not _reassigns(source, loaded, before)
    return SourceState(version, changed=has_moved or is_altered, only_altered=means_the_same)


def _reassigns(source: Source, loaded: Table, before: TableVersion) -> bool:
    """Whether a column that the query knows is another one than at the version before, or is gone.

    One that the version before did not have was added since, and no row has a value of it.
    """
    fields = fields_before(loaded, before)
    if fields is None:
        return True
    had = {field.name.lower() for field in fields}
    return bool(reassigned([c for c in source.columns if c.lower() in had], fields, loaded.fields))
