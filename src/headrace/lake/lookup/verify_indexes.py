"""Whether position indexes are right: the keys of the data files are read in full and compared with them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import Table
from headrace.model.names import TableName


@dataclass(frozen=True)
class WrongIndex:
    table: TableName
    columns: tuple[str, ...]
    location: str
    """Of the data file."""


@dataclass(frozen=True)
class VerifiedIndexes:
    compared: int
    wrong: tuple[WrongIndex, ...]
    """They have been deleted."""
    unreadable: tuple[str, ...]
    """Files that were cut, damaged or of an earlier version, and do not say what they were of; deleted."""


def verify_indexes(session: LakeSession, versions: Iterable[tuple[Table, int | None]]) -> VerifiedIndexes:
    """Of the data files of tables at versions; one of which keys cannot be compared is not counted."""
    compared, wrong = 0, []
    with spark_errors():
        make = java_class(session.spark, "headrace.lookup.IndexVerification")
        verification = make(str(session.key_indexes.directory))
        for table, snapshot in versions:
            found = json.loads(verification.verify(table.java, snapshot))
            compared += found["compared"]
            wrong += [
                WrongIndex(table.name, tuple(each["columns"]), each["location"]) for each in found["wrong"]
            ]
        unreadable = tuple(json.loads(verification.unreadable()))
    return VerifiedIndexes(compared, tuple(wrong), unreadable)
