"""Files that are no part of the lake, as views of one session."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame

from headrace.errors import OperationalError, ProgrammingError
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.spark.spark_types import type_text
from headrace.lake.temporary_view import temporary_view
from headrace.model.dynamic_table import Column
from headrace.model.quoting import quote_identifier

_BY_NAME = {"__globPaths__": "false", "recursiveFileLookup": "false"}
"""A name is never a pattern."""
_UNREADABLE = re.compile("^(?:a file of the table is damaged: |encountered error while reading file )")
_PATH = "url_decode(regexp_replace(replace(_metadata.file_path, '+', '%2B'), '^file:/+', '/'))"


def columns_of_files(
    paths: Sequence[str], file_format: str, options: Mapping[str, str], session: LakeSession
) -> list[Column]:
    """As Spark finds them in the files."""
    try:
        with session.jobs.group(), spark_errors():
            frame = _frame(paths, file_format, options, None, session)
            return [Column(field.name, type_text(field.dataType)) for field in frame.schema.fields]
    except (OperationalError, ProgrammingError) as error:
        error.message = _UNREADABLE.sub(f"this is not {file_format.upper()}: ", error.message)
        error.hint = "check the format after USING"
        raise


@contextmanager
def file_view(
    paths: Sequence[str],
    file_format: str,
    options: Mapping[str, str],
    columns: Sequence[Column] | None,
    session: LakeSession,
    *,
    path_column: str | None = None,
) -> Iterator[str]:
    """The name of a temporary view of their rows; without columns those that Spark finds.

    ``path_column`` is a further column that has the path of each row's file.
    """
    with session.jobs.group(), spark_errors():
        frame = _frame(paths, file_format, options, columns, session)
        if path_column is not None:
            frame = frame.selectExpr("*", f"{_PATH} AS {path_column}")
    with temporary_view(frame, session) as view:
        yield view


@contextmanager
def query_view(query: str, session: LakeSession) -> Iterator[str]:
    """The name of a temporary view."""
    with spark_errors():
        frame = session.spark.sql(query)
    with temporary_view(frame, session) as view:
        yield view


def _frame(
    paths: Sequence[str],
    file_format: str,
    options: Mapping[str, str],
    columns: Sequence[Column] | None,
    session: LakeSession,
) -> DataFrame:
    schema = columns and ", ".join(f"{quote_identifier(each.name)} {each.type}" for each in columns)
    frames: Any = java_class(session.spark, "headrace.files.FileFrames")
    given = json.dumps({**options, **_BY_NAME})
    java = frames.read(session.spark._jsparkSession, file_format, given, schema, json.dumps(list(paths)))
    return DataFrame(java, session.spark)
