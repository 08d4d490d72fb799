"""Rows in the driver's memory, under a name that SQL can read."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headrace.lake.spark.java_classes import java_class


@contextmanager
def driver_view(spark: Any, frame: Any) -> Iterator[str]:
    """Inside, a query that reads the rows; ``frame`` is a frame of Java's."""
    view = f"__hr_{uuid.uuid4().hex}"
    views: Any = java_class(spark, "headrace.queries.DriverViews")
    views.register(frame, view)
    try:
        yield f"SELECT * FROM {view}"
    finally:
        views.drop(spark._jsparkSession, view)
