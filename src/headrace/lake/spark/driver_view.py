"""Rows in the driver's memory, under a name that SQL can read."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession


@contextmanager
def driver_view(spark: SparkSession, frame: Any) -> Iterator[str]:
    """Inside, a query that reads the rows; ``frame`` is a frame of Java's."""
    view = f"__hr_{uuid.uuid4().hex}"
    DataFrame(frame, spark).createOrReplaceTempView(view)
    try:
        yield f"SELECT * FROM {view}"
    finally:
        spark.catalog.dropTempView(view)
