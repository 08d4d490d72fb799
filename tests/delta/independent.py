"""An oracle on DuckDB that shares nothing with Headrace: the query's text, translated by sqlglot alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import duckdb
import sqlglot

from headrace.model.names import TableName

Row = tuple[Any, ...]


def is_translated(query: str) -> bool:
    """To Spark, IN of a subquery is never NULL; no other engine reads it so."""
    return " IN (SELECT" not in query


def rows_at(
    duck: duckdb.DuckDBPyConnection, tables: Mapping[TableName, object], query: str, version: str
) -> Counter[Row]:
    """Of the query over tables named as in its text, which are views of the tables of a version."""
    duck.execute("ATTACH IF NOT EXISTS ':memory:' AS lake; CREATE SCHEMA IF NOT EXISTS lake.p")
    for name in tables:
        text = f"{name.workspace}.{name.schema}.{name.table}"
        duck.execute(f"CREATE OR REPLACE VIEW {text} AS SELECT * FROM memory.main.{name.table}_{version}")
    (translated,) = sqlglot.transpile(query, read="spark", write="duckdb")
    return Counter(tuple(row) for row in duck.execute(translated).fetchall())
