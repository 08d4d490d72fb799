"""A lake with a shop of one size and a dynamic table for each shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.growth.changes import Round
from bench.growth.data import create_tables
from bench.growth.shapes import Shape
from bench.measures import bytes_so_far, jobs_so_far, seconds
from headrace.connection import Connection


@dataclass(frozen=True)
class Refreshed:
    """One refresh of one dynamic table."""

    seconds: float
    mode: str
    reason: str
    rows_read: int
    bytes_read: int | None
    """By Spark's process, from any file; None if the system keeps no count."""
    spark_jobs: int
    rows_allowed: int


class Shop:
    def __init__(self, lake: Connection, rows: int, shapes: Sequence[Shape]) -> None:
        self.lake, self.rows, self.shapes = lake, rows, shapes
        self._counted: dict[str, int] = {}
        self._change: Round | None = None

    def create(self, progress: Callable[[str], None] = lambda line: None) -> None:
        progress(f"creating the tables of {self.rows:,} orders")
        create_tables(self.lake, self.rows)
        for shape in self.shapes:
            progress(f"  {shape.name}")
            self.lake.sql(
                f"CREATE DYNAMIC TABLE {shape.table} REFRESH_MODE = INCREMENTAL "
                f"PROPERTIES ('state' = '{shape.state}') AS {shape.query}"
            )
            self.lake.run(f"REFRESH DYNAMIC TABLE {shape.table}")

    def apply(self, change: Round) -> None:
        change.apply(self.lake)
        self._change = change
        self._counted = {}

    def refresh(self, shape: Shape) -> Refreshed:
        jobs, size = jobs_so_far(self.lake), bytes_so_far(self.lake)
        rows: list[dict[str, Any]] = []
        took = seconds(lambda: rows.append(self._row(f"REFRESH DYNAMIC TABLE {shape.table}")))
        (row,) = rows
        size_now = bytes_so_far(self.lake)
        return Refreshed(
            took,
            row["refresh_mode"],
            row["refresh_mode_reason"],
            row["rows_read"],
            None if size is None or size_now is None else size_now - size,
            jobs_so_far(self.lake) - jobs,
            self.rows_allowed(shape),
        )

    def rows_allowed(self, shape: Shape) -> int:
        """To be read by a refresh after the last change."""
        if self._change is None:
            raise RuntimeError("nothing has changed yet")
        affected = sum(self._count(query) for query in shape.affected_rows(self._change))
        return shape.allowed(self._change.changed_rows(shape.facts), affected)

    def recompute(self, shape: Shape) -> float:
        """Seconds that plain Spark takes to write the result of the query to a table."""
        spark = self.lake.sql("SELECT 1").spark().sparkSession
        table = "lake.public.recomputed"
        query = re.sub(r"\b(FROM|JOIN) (\w+)", r"\1 lake.public.\2", shape.query)
        took = seconds(lambda: spark.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg AS {query}"))
        spark.sql(f"DROP TABLE {table} PURGE")
        return took

    def verify(self, shape: Shape) -> str:
        return str(self._row(f"VERIFY DYNAMIC TABLE {shape.table}")["result"])

    def _count(self, query: str) -> int:
        if query not in self._counted:
            ((self._counted[query],),) = self.lake.sql(query).fetchall()
        return self._counted[query]

    def _row(self, statement: str) -> dict[str, Any]:
        result = self.lake.run(statement)
        (row,) = result.fetchall()
        return dict(zip(result.columns, row, strict=True))
