"""The rows of a query, kept by the JVM: computed once, read often."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headrace.errors import InternalError
from headrace.lake import driver_memory
from headrace.lake.measure import Execution, measured
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors

TWICE = "headrace: two changes to one row"
FEW_ROWS = 400_000
_OF_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
}
"""Of a query that reads at most so many rows: compiling it, and tasks that share it, take longer."""
_LOCAL = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.maxSinglePartitionBytes": str(2**62),
    "spark.sql.adaptive.enabled": "false",
}
"""Of a query that reads rows of the driver alone: one task, which a broadcast would have to wait for."""
_DUPLICATES = 10
"""Rows that are collected for each distinct one of the limit, where only these are kept."""


@dataclass(frozen=True)
class SmallResult:
    count: int
    execution: Execution
    view: str
    """A name by which SQL can read the rows, once ``readable`` was called."""
    _session: LakeSession
    _java: Any

    @cached_property
    def readable(self) -> str:
        """A query that reads the rows."""
        with spark_errors():
            self._java.register(self.view)
        return f"SELECT * FROM {self.view}"

    @property
    def types(self) -> list[str]:
        """Of the columns; for those that are not nested."""
        return str(self._java.types()).split(";")

    def values(self, places: Sequence[int]) -> Any:
        """Of each row the columns at these places; Spark's own rows, which stay in the JVM."""
        return self._java.values(json.dumps(places))

    @property
    def has_null(self) -> bool:
        """Whether a row has one in its first column."""
        return bool(self._java.hasNull())

    def internal_rows(self, *, and_null: bool = False) -> Any:
        """Spark's own rows; they stay in the JVM. With ``and_null``, and one whose only value is NULL."""
        return self._java.rowsAndNull() if and_null else self._java.rows()


@contextmanager
def small_result(
    session: LakeSession,
    query: str,
    most: int,
    earlier: Collection[int] = (),
    net_by: Sequence[int] | None = None,
    *,
    distinct: bool = False,
) -> Iterator[SmallResult | Execution]:
    """Inside, the rows can be read; of more than ``most`` rows, or too wide ones, none are kept.

    With ``distinct``, of equal rows one is kept and counted.

    ``earlier`` are Spark jobs that the same refresh has started before. With ``net_by``, rows have weights in
    their last column: of what is left when they are added up, the result has one row for each key, which are
    the columns at these places; it says what is to be done, and has room for the place of the old row.
    """
    with session.jobs.group() as group, spark_errors():
        small_rows = java_class(session.spark, "headrace.queries.SmallRows")
        java: Any = small_rows(session.spark._jsparkSession, query)
        settings = json.dumps(_OF_FEW_ROWS), json.dumps(_LOCAL)
        collected = most * _DUPLICATES if distinct else most
        count = int(java.collect(FEW_ROWS, *settings, collected, driver_memory.SHARE))
        if distinct and count <= collected:
            count = int(java.keepDistinct())
        execution = measured(query, lambda: java.metrics(group), earlier)
    if count > most:
        yield execution
        return
    if net_by is not None and (count := int(java.addUp(json.dumps(net_by)))) < 0:
        raise InternalError(TWICE)
    found = SmallResult(count, execution, f"__hr_{uuid.uuid4().hex}", session, java)
    try:
        yield found
    finally:
        java.unregister()
