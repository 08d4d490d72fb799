"""What an alteration of a dynamic table changes in the lake: one commit, which is there or is not.

The alteration is announced in the metadata database before and confirmed after. Where that was cut short, the
Iceberg table says which of the two states it is in.
"""

from __future__ import annotations

from headrace.catalog.definition_lifecycle import Altering, DefinitionLifecycle
from headrace.lake.commit.alter_metadata import rename_column
from headrace.lake.commit.sync_schema import iceberg_properties
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import TABLE_ID, Table, TableCatalog
from headrace.model.dynamic_table import DynamicTable
from headrace.refresh.record import REFRESH_ID, carried


def concerns_lake(alteration: Altering) -> bool:
    before, after = alteration.table, alteration.intended
    return before.name != after.name or _renamed(alteration) != [] or _changed_properties(alteration) != {}


def apply(alteration: Altering, session: LakeSession) -> None:
    before, after = alteration.table, alteration.intended
    catalog = session.catalog
    if before.name != after.name:
        catalog.rename(before.name, after.name)
        return
    table = catalog.existing_table(before.name)
    for column, name in _renamed(alteration):
        rename_column(table, column, name, _record(table), session)
        table = catalog.existing_table(before.name)
    if changed := _changed_properties(alteration):
        wanted = {key: value for key, value in changed.items() if value is not None}
        table.change_properties(wanted, gone=changed.keys() - wanted.keys())


def settle_alteration(alteration: Altering, catalog: TableCatalog, lifecycle: DefinitionLifecycle) -> None:
    """Finishes one that was cut short if it has changed the lake, and undoes it otherwise."""
    if _has_landed(alteration, catalog):
        lifecycle.finish_alter(alteration.intended)
    else:
        lifecycle.abandon_alter(alteration.table.id)


def _has_landed(alteration: Altering, catalog: TableCatalog) -> bool:
    table = catalog.table(alteration.intended.name)
    return (
        table is not None
        and table.properties.get(TABLE_ID) == alteration.table.id
        and all(name in table.columns for _, name in _renamed(alteration))
        and all(table.properties.get(key) == v for key, v in _changed_properties(alteration).items())
    )


def _record(table: Table) -> dict[str, str] | None:
    """Of a table that has rows; a new version repeats it."""
    if table.snapshot is None:
        return None
    recorded = table.bookkeeping(REFRESH_ID)
    return {} if recorded is None else carried(recorded.summary, recorded.id)


def _renamed(alteration: Altering) -> list[tuple[str, str]]:
    pairs = zip(alteration.table.columns, alteration.intended.columns, strict=True)
    return [(before.name, after.name) for before, after in pairs if before.name != after.name]


def _changed_properties(alteration: Altering) -> dict[str, str | None]:
    """None for those that go."""
    before, after = _shown(alteration.table), _shown(alteration.intended)
    return {key: after.get(key) for key in before | after if before.get(key) != after.get(key)}


def _shown(table: DynamicTable) -> dict[str, str]:
    comment = {} if table.comment is None else {"comment": table.comment}
    return iceberg_properties(table.properties) | comment
