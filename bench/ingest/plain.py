"""The same rows by plain Spark: read, and appended to an Iceberg table."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from tests.oracle import plain_session

from headrace.connection import Connection


def spark(lake: Connection) -> SparkSession:
    session = plain_session(lake, {".cache-enabled": "false"})
    session.sql(f"USE lake.{lake.schema}")
    return session


def expect_same(found: object, wanted: object) -> None:
    if found != wanted:
        raise ValueError(f"{found} instead of {wanted}")


def append(rows: DataFrame, table: str) -> None:
    rows.writeTo(table).using("iceberg").tableProperty("format-version", "3").createOrReplace()
