"""The rows of a table that have one of some keys, found by the driver through Parquet's page indexes.

    rows = { r in old + new | r's key columns are equal to a key, NULL to NULL }

Of each file only pages whose bounds admit a key are decoded, first of the key columns and then, for the rows
found, of the others. Where those would be many, because the file is not in the order of the keys, an index of
the file is made: from the hash of a key to the positions that may have it. Data files never change, so the
index of one holds as long as the file is there. The same is kept in memory for small files.

A row of both versions is given once, with ``IS_OLD`` and ``IS_NEW``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame

from headrace.lake import driver_memory
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import Table
from headrace.model.key_index import IndexNeeds


class IndexUse(StrEnum):
    """Whether indexes of keys are made and used."""

    AUTO = "auto"
    """Where pages leave more than a few rows to search."""
    NONE = "none"
    ALWAYS = "always"


FEW_ROWS = 50_000
"""In the pages of a file that may hold a key: more are searched by an index."""
SMALL_FILE = 4_000
"""Rows of a file whose keys stay in memory once they were read."""
IS_OLD = "__hr_old"
IS_NEW = "__hr_new"
"""Whether a row is in the version: columns after those that were requested."""


@dataclass(frozen=True)
class LookupFigures:
    rows_found: int
    rows_read: int
    """Less than were found if other keys were looked for in the same table before."""
    values_examined: int
    """Key values that were decoded and compared."""
    bytes: int
    """Read from files: footers and indexes unless they were cached, and pages."""
    files: int
    """That were opened, after pruning by column statistics."""
    pages: int
    indexes: int
    """Files in which rows were found by an index of their keys."""


@dataclass(frozen=True)
class FoundRows:
    figures: LookupFigures
    _session: LakeSession
    _java: Any

    @cached_property
    def frame(self) -> DataFrame:
        """The columns in the order requested, ``IS_OLD`` and ``IS_NEW``; the rows are in the driver."""
        return DataFrame(self.java_frame, self._session.spark)

    @property
    def java_frame(self) -> Any:
        with spark_errors():
            return self._java.frame()

    def internal_rows(self) -> Any:
        """Spark's own rows; they stay in the JVM."""
        return self._java.rows()


@dataclass(frozen=True)
class NotFoundThisWay:
    """The rows must be read by a scan, for the reason given."""

    reason: str


class KeyLookups:
    """Those of one refresh: rows of a table that were found by some keys are not read again by others."""

    def __init__(self, session: LakeSession) -> None:
        self._session = session
        self._known: dict[tuple[Any, ...], Any] = {}

    def find_rows(
        self,
        table: Table,
        columns: Sequence[str],
        keys: Sequence[str],
        key_rows: Any,
        *,
        old: int | None,
        new: int | None,
        limit: int,
        indexes: IndexUse = IndexUse.AUTO,
    ) -> FoundRows | NotFoundThisWay:
        """``key_rows`` are Spark's own rows (Java), with the values of ``keys`` in order and of their types.

        ``columns`` and ``keys`` are columns that ``table`` has as loaded, by exactly their names; ``columns``
        may include ``_row_id``, ``_file``, ``_pos``. ``old`` and ``new`` are snapshot ids; None: an empty
        version. Without ``keys``, all rows are found.
        """
        with spark_errors():
            lookup = self._lookup(table, tuple(columns), tuple(keys), old, new, indexes)
            limits = (limit, driver_memory.SHARE)
            found = lookup.find(key_rows, *limits) if keys else lookup.findAll(*limits)
            if found is not None:
                return FoundRows(_figures(found), self._session, found)
            reason = lookup.obstacle()
        if reason is None:
            reason = f"more rows of {table.name} have one of the keys than are kept in memory"
        return NotFoundThisWay(reason)

    def _lookup(
        self,
        table: Table,
        columns: tuple[str, ...],
        keys: tuple[str, ...],
        old: int | None,
        new: int | None,
        indexes: IndexUse,
    ) -> Any:
        asked = (table.name, table.version, columns, keys, old, new, indexes)
        if asked not in self._known:
            lookup = _lookup(self._session, table, columns, keys, old, new)
            _use_indexes(lookup, self._session, table, indexes)
            lookup.keepSmallFiles(SMALL_FILE)
            self._known[asked] = lookup
        return self._known[asked]


def index_needs(session: LakeSession, table: Table, keys: Sequence[str], use: IndexUse) -> IndexNeeds | None:
    """Of a look-up in the current version of the table; reads no row. None: indexes are not used."""
    if not session.key_indexes.most_bytes or use is IndexUse.NONE or not keys or table.snapshot is None:
        return None
    if table.snapshot.count("total-records") <= rows_without_index(use):
        return IndexNeeds()
    with spark_errors():
        lookup = _lookup(session, table, (), keys, None, table.snapshot.id)
        _use_indexes(lookup, session, table, use)
        lookup.keepSmallFiles(SMALL_FILE)
        found = lookup.indexNeeds()
    return None if found is None else IndexNeeds(**json.loads(found))


def rows_without_index(use: IndexUse) -> int:
    """Rows of a data file that has no index."""
    return max(_few_rows(use), SMALL_FILE)


def _use_indexes(lookup: Any, session: LakeSession, table: Table, use: IndexUse) -> None:
    stored = session.key_indexes
    if stored.most_bytes and use is not IndexUse.NONE:
        name = json.dumps(table.name.parts)
        lookup.useIndexes(name, str(stored.directory), stored.most_bytes, _few_rows(use))


def _few_rows(use: IndexUse) -> int:
    return 0 if use is IndexUse.ALWAYS else FEW_ROWS


def lookup_obstacle(
    session: LakeSession, table: Table, columns: Sequence[str], keys: Sequence[str]
) -> str | None:
    """Why rows can never be found in this way, by the types of the columns; reads nothing."""
    with spark_errors():
        reason = _lookup(session, table, columns, keys, None, None).obstacle()
    return None if reason is None else str(reason)


def _lookup(
    session: LakeSession,
    table: Table,
    columns: Sequence[str],
    keys: Sequence[str],
    old: int | None,
    new: int | None,
) -> Any:
    make = java_class(session.spark, "headrace.lookup.KeyLookup")
    listed = (json.dumps(list(columns)), json.dumps(list(keys)))
    spark: Any = session.spark
    return make(spark._jsparkSession, table.java, old, new, *listed)


def _figures(found: Any) -> LookupFigures:
    figures = found.figures()
    return LookupFigures(
        found.count(),
        found.read(),
        figures.keyValues(),
        figures.bytes(),
        figures.files(),
        figures.pages(),
        figures.indexes(),
    )
