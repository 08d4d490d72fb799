"""The same rows appended by PyArrow and PyIceberg, without a server."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog


class BareTable:
    def __init__(self, directory: Path, schema: pa.Schema) -> None:
        directory.mkdir()
        catalog = SqlCatalog("bare", uri=f"sqlite:///{directory}/catalog.db", warehouse=f"file://{directory}")
        catalog.create_namespace("ods")
        self._table = catalog.create_table("ods.events", schema)

    def append(self, rows: pa.Table) -> None:
        self._table.append(rows)
