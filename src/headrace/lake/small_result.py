"""The rows of a query, kept by the JVM under a name that SQL can read: computed once, read often."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from headrace.lake.measure import Execution, measured
from headrace.lake.session import LakeSession
from headrace.lake.spark_errors import spark_errors


@dataclass(frozen=True)
class SmallResult:
    view: str
    rows: int
    execution: Execution
    _frame: DataFrame

    def values(self, expressions: Sequence[str]) -> list[tuple[Any, ...]]:
        """Without a Spark job: the rows are in the driver."""
        with spark_errors():
            return [tuple(row) for row in self._frame.selectExpr(*expressions).collect()]


@contextmanager
def small_result(session: LakeSession, query: str, most: int) -> Iterator[SmallResult | Execution]:
    """Inside, the rows can be read; of more than ``most`` rows none are kept."""
    with session.job_group() as group, spark_errors():
        frame = session.spark.sql(f"SELECT * FROM (\n{query}\n) LIMIT {most + 1}")
        rows: Any = frame._jdf.collectAsList()
        execution = measured(session, query, frame._jdf.queryExecution().executedPlan(), group)
        count = int(rows.size())
        if count > most:
            yield execution
            return
        spark: Any = session.spark
        local = DataFrame(spark._jsparkSession.createDataFrame(rows, frame._jdf.schema()), spark)
        view = f"__hr_{uuid.uuid4().hex}"
        local.createOrReplaceTempView(view)
    try:
        yield SmallResult(view, count, execution, local)
    finally:
        session.spark.catalog.dropTempView(view)
