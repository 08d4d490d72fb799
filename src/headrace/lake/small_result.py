"""The rows of a query, kept by the JVM: computed once, read often."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headrace.lake.measure import Execution, measured
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors

_LIMITED = {
    "spark.sql.limit.initialNumPartitions": str(10**6),
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.LimitPushDown",
}
"""One job looks for all rows, not one after the other for some of them; and a limit inside the plan is
compiled anew each time, as Spark numbers them."""
_FEW_ROWS = 50_000
_OF_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
}
"""Of a query that reads at most so many rows: compiling it, and tasks that share it, take longer."""


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

    @property
    def has_null(self) -> bool:
        """Whether a row has one in its first column."""
        return bool(self._java.hasNull())

    def internal_rows(self, *, and_null: bool = False) -> Any:
        """Spark's own rows; they stay in the JVM. With ``and_null``, and one whose only value is NULL."""
        return self._java.rowsAndNull() if and_null else self._java.rows()


@contextmanager
def small_result(
    session: LakeSession, query: str, most: int, earlier: Collection[int] = ()
) -> Iterator[SmallResult | Execution]:
    """Inside, the rows can be read; of more than ``most`` rows none are kept.

    ``earlier`` are Spark jobs that the same refresh has started before.
    """
    with session.jobs.group() as group, spark_errors(), session.settings(_LIMITED):
        limited = f"SELECT * FROM (\n{query}\n) LIMIT {most + 1}"
        small_rows = java_class(session.spark, "headrace.queries.SmallRows")
        java: Any = small_rows(session.spark._jsparkSession, limited)
        count = int(java.collect(_FEW_ROWS, json.dumps(_OF_FEW_ROWS)))
        execution = measured(query, lambda: java.metrics(group), earlier)
    if count > most:
        yield execution
        return
    found = SmallResult(count, execution, f"__hr_{uuid.uuid4().hex}", session, java)
    try:
        yield found
    finally:
        java.unregister()
