"""Statements whose commits can be recognised."""

from __future__ import annotations

from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.classic.column import _to_java_column
from pyspark.sql.functions import lit

from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.spark.spark_rows import SparkRows
from headrace.model.parameters import Parameters
from headrace.sql.tokens.positions import Rewritten


def run_marked(
    session: LakeSession, sent: Rewritten, parameters: Parameters | None, mark: tuple[str, str]
) -> SparkRows:
    """Runs a statement that writes to a table; its commit has ``mark`` in its summary.

    So have none that other threads make with the same session, whose settings they share.
    """
    sent, arguments = session.bound(sent, parameters)
    with session.jobs.group() as group, spark_errors(sent):
        marked = java_class(session.spark, "headrace.commit.MarkedStatement")
        statement = marked(session.spark._jsparkSession, sent.text, _java(arguments, session))
        frame = DataFrame(statement.run(*mark), session.spark)
        return SparkRows(frame, sent, partial(session.jobs.group, group), session.results)


def _java(arguments: Any, session: LakeSession) -> Any:
    """As PySpark hands them over."""
    jvm: Any = session.spark._jvm
    if isinstance(arguments, dict):
        named = jvm.java.util.HashMap()
        for name, value in arguments.items():
            named.put(name, _to_java_column(lit(value)))
        return named
    return jvm.PythonUtils.toArray([_to_java_column(lit(value)) for value in arguments or []])
