"""A table that looks like a dynamic one, whose key and order name a column that is hidden."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

_COLUMNS = Schema(
    NestedField(1, "a", LongType(), required=False),
    NestedField(2, "__hr_id", LongType(), required=True),
    NestedField(3, "b", StringType(), required=False),
    identifier_field_ids=[2],
)
_PARTITIONS = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "a"))
_BY_HIDDEN = SortField(source_id=2, transform=IdentityTransform())
_ORDER = SortOrder(_BY_HIDDEN, SortField(source_id=1, transform=IdentityTransform()))
_FIELDS = pa.schema(
    [pa.field("a", pa.int64()), pa.field("__hr_id", pa.int64(), nullable=False), pa.field("b", pa.string())]
)
WITHOUT_HIDDEN = [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": None}]


def make_hidden_key(tables: SqlCatalog, name: str) -> None:
    table = tables.create_table(
        name, _COLUMNS, partition_spec=_PARTITIONS, sort_order=_ORDER, properties={"headrace.id": "d2"}
    )
    rows = [{"__hr_id": number, **row} for number, row in enumerate(WITHOUT_HIDDEN)]
    table.append(pa.Table.from_pylist(rows[:2], schema=_FIELDS))
    table.append(pa.Table.from_pylist(rows[2:], schema=_FIELDS))


def catalog_of(lake: Path) -> SqlCatalog:
    """Iceberg's catalog of a lake, past the server."""
    return SqlCatalog(
        "lake",
        uri=f"sqlite:///{lake / 'catalog.db'}",
        warehouse=str(lake / "warehouse"),
        init_catalog_tables="false",
    )
