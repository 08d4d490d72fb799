"""Rows of Spark under a name that SQL can read, for as long as they are needed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame

from headrace.lake.session import LakeSession
from headrace.lake.spark.spark_errors import spark_errors


@contextmanager
def temporary_view(frame: DataFrame, session: LakeSession) -> Iterator[str]:
    """The name of a view in the session; a query planned inside can be fetched later."""
    name = f"__hr_{secrets.token_hex(6)}"
    with spark_errors():
        frame.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        session.spark.catalog.dropTempView(name)
