"""Brute force for key look-ups: both versions are read in full by Spark and filtered."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from tests import internals

from headrace.connection import Connection
from headrace.lake.lookup.key_lookup import FoundRows, KeyLookups, NotFoundThisWay
from headrace.lake.spark.java_classes import java_class
from headrace.lake.table.pin import pinned
from headrace.lake.table.tables import Table

LINEAGE = ("_row_id", "_file", "_pos")


def hashable(value: Any) -> Any:
    """Of equal values equal ones, NaN included."""
    match value:
        case dict():
            return frozenset((hashable(key), hashable(item)) for key, item in value.items())
        case list() | tuple():
            return tuple(map(hashable, value))
        case bytearray():
            return bytes(value)
        case float():
            return "NaN" if math.isnan(value) else (value, math.copysign(1, value))
    return value


def comparable_rows(frame: DataFrame) -> list[Any]:
    """Python knows no moment before its year 1, and Spark gives it no bytes that are not UTF-8."""
    forms = {"timestamp": "unix_micros({})", "string": "CAST({} AS BINARY)"}
    columns = [
        forms.get(field.dataType.simpleString(), "{}").format(f"`c{place}`")
        for place, field in enumerate(frame.schema.fields)
    ]
    plain = frame.toDF(*(f"c{place}" for place in range(len(columns))))
    return [hashable(row) for row in plain.selectExpr(*columns).collect()]


class Lookup:
    """A look-up and the same by Spark."""

    def __init__(self, lake: Connection, table: str = "t") -> None:
        self.session = internals.session(lake)
        self.name = self.session.resolve((table,))
        self.lookups: KeyLookups | None = None
        """That all searches share; None: each has its own."""

    @property
    def indexes(self) -> Path:
        return self.session.key_indexes.directory

    @property
    def table(self) -> Table:
        return self.session.catalog.existing_table(self.name)

    def version(self) -> int | None:
        return self.table.version.snapshot_id

    def find(
        self,
        keys: Sequence[str],
        wanted: DataFrame,
        *,
        columns: Sequence[str] | None = None,
        old: int | None = None,
        new: int | None = None,
        limit: int = 100_000,
    ) -> FoundRows | NotFoundThisWay:
        """``wanted`` has the values of ``keys`` in order."""
        table = self.table
        columns = self._columns() if columns is None else columns
        rows = self.collected(wanted).rows()
        lookups = self.lookups or KeyLookups(self.session)
        return lookups.find_rows(table, columns, keys, rows, old=old, new=new, limit=limit)

    def collected(self, frame: DataFrame) -> Any:
        frame.createOrReplaceTempView("wanted_rows")
        make = java_class(self.session.spark, "headrace.queries.SmallRows")
        spark: Any = self.session.spark
        rows = make(spark._jsparkSession, "SELECT * FROM wanted_rows")
        rows.collect(0, "{}", "{}", 10**6, 1)
        return rows

    def check(
        self,
        keys: Sequence[str],
        wanted: DataFrame,
        *,
        columns: Sequence[str] | None = None,
        old: int | None = None,
        new: int | None = None,
    ) -> FoundRows:
        columns = self._columns() if columns is None else columns
        wanted = DataFrame(self.collected(wanted).again(), self.session.spark)
        found = self.find(keys, wanted, columns=columns, old=old, new=new)
        assert isinstance(found, FoundRows), found
        seen = Counter(comparable_rows(found.frame))
        expected = self._expected(keys, wanted, columns, old, new)
        assert seen == expected, (seen - expected, expected - seen)
        assert found.figures.rows_found == sum(seen.values())
        return found

    def _columns(self) -> list[str]:
        return [*self.table.columns, *self._lineage()]

    def _lineage(self) -> tuple[str, ...]:
        return LINEAGE if self.table.has_row_ids else LINEAGE[1:]

    def _expected(
        self,
        keys: Sequence[str],
        wanted: DataFrame,
        columns: Sequence[str],
        old: int | None,
        new: int | None,
    ) -> Counter[Any]:
        wanted.toDF(*(f"k{i}" for i in range(len(keys)))).distinct().createOrReplaceTempView("wanted")
        versions = {flag: self._version(keys, columns, version) for flag, version in (("o", old), ("n", new))}
        rows: dict[Any, set[str]] = {}
        for flag, found in versions.items():
            for row in found:
                rows.setdefault(row, set()).add(flag)
        return Counter((*row[:-2], "o" in flags, "n" in flags) for row, flags in rows.items())

    def _version(self, keys: Sequence[str], columns: Sequence[str], version: int | None) -> list[Any]:
        if version is None:
            return []
        table = self.table
        at = pinned(
            self.name, version, table.fields_at(version), table.fields, table.columns, list(self._lineage())
        )
        listed = ", ".join(f"t.`{column.replace('`', '``')}`" for column in (*columns, "_file", "_pos"))
        same = " AND ".join(f"t.`{key.replace('`', '``')}` <=> k{i}" for i, key in enumerate(keys))
        query = f"SELECT {listed} FROM {at} t JOIN wanted ON {same}"
        return comparable_rows(self.session.spark.sql(query))
