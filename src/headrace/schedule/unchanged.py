"""Which refreshes would find nothing to do, told from metadata files alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from headrace.errors import Error, LakeDamaged
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import RefreshMode
from headrace.model.names import TableName
from headrace.refresh.arguments import arguments_for
from headrace.refresh.choose import Decision, SourceState, choose
from headrace.refresh.record import REFRESH_ID, RefreshRecord, contains_refresh, from_summary
from headrace.refresh.record_mismatch import NOT_AS_RECORDED

Locations = Mapping[TableName, str]
"""Where each table's newest metadata file is."""


def nothing_to_do(
    table: DynamicTable, locations: Locations, files: MetadataFiles, today: date
) -> tuple[Decision, RefreshRecord] | None:
    """NO_DATA and the record that stands, where that is certain; None where a refresh has to look itself."""
    record = _standing_record(table, locations, files)
    if record is None or record.partition is not None:
        return None
    try:
        arguments = arguments_for(table, {})
    except Error:
        return None
    states = {}
    for source in table.definition.sources:
        head = files.head(locations[source.name], REFRESH_ID) if source.name in locations else None
        if head is None or head.version != record.versions.get(source.name):
            return None
        states[source.name] = SourceState(head.version, changed=False)
    decision = choose(
        table.definition, table.mode, record, states, today, full_demanded=False, arguments=arguments
    )
    return (decision, record) if decision.mode is RefreshMode.NO_DATA else None


def _standing_record(table: DynamicTable, locations: Locations, files: MetadataFiles) -> RefreshRecord | None:
    location = locations.get(table.name)
    head = files.head(location, REFRESH_ID) if location is not None else None
    if head is None or not contains_refresh(head.bookkeeping) or NOT_AS_RECORDED in head.properties:
        return None
    if head.schema_of_snapshot != head.version.schema_id:
        return None
    try:
        return from_summary(head.bookkeeping)
    except LakeDamaged:
        return None
