"""The definitions of a large lake, written to its metadata store: no table of it has files."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import insert

from headrace.catalog.database_engine import connect, sqlite_url, writing
from headrace.catalog.rows import table_to_row
from headrace.catalog.schema import Lifecycle, dynamic_tables
from headrace.commands.databases import open_store
from headrace.lake.directory import make_lake, open_directory
from headrace.model.dynamic_table import Column, Definition, DynamicTable, Source
from headrace.model.names import TableName

from ..catalog.samples import NOON, refresh

LAYERS = 4
WIDTH = 100
SCHEMAS = ("ods", "dwd", "dws", "ads", "report")


def make_large_lake(path: Path) -> None:
    """500 nodes: tables, and four layers of dynamic tables, each of which reads two to four."""
    make_lake(path)
    directory = open_directory(path)
    tables = [_table(layer, number) for layer in range(1, LAYERS + 1) for number in range(WIDTH)]
    store = open_store(directory)
    store.refreshes.record_all([refresh(f"job of {each.id}", each.id, table=each.name) for each in tables])
    store.close()
    engine = writing(connect(sqlite_url(directory.metadata_db)))
    with engine.begin() as metadata:
        rows = [table_to_row(each) | {"lifecycle": Lifecycle.ACTIVE.value} for each in tables]
        metadata.execute(insert(dynamic_tables), rows)
    engine.dispose()


def _name(layer: int, number: int) -> TableName:
    return TableName("lake", SCHEMAS[layer], f"table_{layer}_{number}")


def _table(layer: int, number: int) -> DynamicTable:
    reads = {_name(layer - 1, (number * step + step) % WIDTH) for step in (1, 3, 7)[: 2 + number % 2]}
    reads.add(_name(layer - 1, number))
    sources = tuple(Source(each, ("id", "amount")) for each in sorted(reads))
    text = " UNION ALL ".join(f"SELECT id, amount FROM {source.name.sql}" for source in sources)
    return DynamicTable(
        id=f"t{layer}-{number}",
        name=_name(layer, number),
        definition=Definition(text, text, text, sources),
        columns=(Column("id", "BIGINT"), Column("amount", "DECIMAL(10,2)")),
        creator="ann",
        created_at=NOON,
        modified_at=NOON,
    )
