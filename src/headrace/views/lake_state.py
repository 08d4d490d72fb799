"""The facts that decide the state of dynamic tables: from databases and metadata files, else from the JVM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from headrace.catalog.definitions import Definitions
from headrace.catalog.refresh_outcomes import RefreshOutcomes
from headrace.errors import OperationalError
from headrace.lake.file_systems import is_local
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.lake.table.tables import Table
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.table_history import TableHistory
from headrace.refresh.condition import LakeState
from headrace.refresh.record import REFRESH_ID

Load = Callable[[TableName], Table | None]
"""Loads a table by the JVM; None if there is none."""


def lake_state(
    definitions: Definitions,
    outcomes: RefreshOutcomes,
    locations: Mapping[TableName, str],
    files: MetadataFiles,
    load: Load | None = None,
) -> LakeState:
    """``load`` is for tables whose files are not read here or that belong to another catalog."""

    def exists(name: TableName) -> bool:
        if name.workspace == DEFAULT_WORKSPACE or load is None:
            return name in locations or name.workspace != DEFAULT_WORKSPACE
        return load(name) is not None

    @cache
    def history_of(name: TableName) -> TableHistory | None:
        location = locations.get(name)
        found = None if location is None else files.history(location, REFRESH_ID)
        if found is not None or (location is None and name.workspace == DEFAULT_WORKSPACE):
            return found
        if load is not None:
            table = load(name)
            return None if table is None else table.history(REFRESH_ID)
        if location is not None and is_local(location):
            raise OperationalError(f"the metadata file of {name} is missing or damaged: {location}")
        return None

    tables = {table.name: table for table in definitions.all()}
    return LakeState(tables, outcomes.all(), exists, history_of)
