"""Columns of bytes that Avro has written, as VARIANT, in views of one session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame

from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.temporary_view import temporary_view


@dataclass(frozen=True)
class SchemasById:
    """Of messages that begin with byte 0 and the id of their schema in four bytes."""

    schemas: Mapping[int, str]
    missing: Mapping[int, str]
    """Ids without a schema, with the reason."""


@contextmanager
def avro_view(view: str, column: str, schema: str | SchemasById, session: LakeSession) -> Iterator[str]:
    """The name of a view of the rows of ``view``, with ``column`` decoded."""
    with spark_errors():
        java = java_class(session.spark, "headrace.messages.AvroColumn")
        rows = session.spark.table(view)._jdf
        match schema:
            case str():
                decoded = java.decode(rows, column, schema)
            case SchemasById():
                decoded = java.decodeById(
                    rows, column, json.dumps(schema.schemas), json.dumps(schema.missing)
                )
    with temporary_view(DataFrame(decoded, session.spark), session) as name:
        yield name
