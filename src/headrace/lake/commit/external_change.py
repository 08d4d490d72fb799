"""Changes of base tables that other engines ask for, made by Iceberg's own implementation of its protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError

from headrace.errors import (
    AlreadyExists,
    CommitUnknown,
    Error,
    InterfaceError,
    NotFound,
    Refused,
    VersionConflict,
)
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import TABLE_ID
from headrace.model.external_change import ExternalChange
from headrace.model.names import TableName

_KINDS: dict[str, type[Error]] = {
    "CommitFailedException": VersionConflict,
    "CommitStateUnknownException": CommitUnknown,
    "UncheckedSQLException": CommitUnknown,
    "AlreadyExistsException": AlreadyExists,
    "NoSuchTableException": NotFound,
    "NoSuchNamespaceException": NotFound,
    "ForbiddenException": Refused,
    "ValidationException": InterfaceError,
    "IllegalArgumentException": InterfaceError,
    "IllegalStateException": InterfaceError,
    "NullPointerException": InterfaceError,
    "UnsupportedOperationException": InterfaceError,
}


def make_external_change(
    change: ExternalChange, table: TableName, request: str, places: Sequence[str], session: LakeSession
) -> str:
    """The answer in the words of the protocol.

    ``request`` is in them, too; ``places`` are directories that it names, which must be no other table's.
    """
    with spark_errors(), _iceberg_errors():
        iceberg = session.catalog.iceberg(table.workspace)
        made = java_class(session.spark, "headrace.catalog.ExternalChange")(iceberg, TABLE_ID)
        return str(getattr(made, change)(table.schema, table.table, request, json.dumps([*places])))


@contextmanager
def _iceberg_errors() -> Iterator[None]:
    """What the protocol has a word for; others are Spark's."""
    try:
        yield
    except Py4JJavaError as error:
        java: Any = error.java_exception
        kind = _KINDS.get(str(java.getClass().getSimpleName())) or _unreadable(java)
        if kind is None:
            raise
        raise kind(str(java.getMessage())) from error


def _unreadable(java: Any) -> type[Error] | None:
    return InterfaceError if "jackson" in str(java.getClass().getName()) else None
