"""A table that takes one commit, onto the version that it was loaded at, or none.

Iceberg lets two writers append one after the other, each from an older state than it thinks. Here a commit
first looks whether the table still has the snapshot that the rows were computed from; Iceberg's own
compare-and-set sees to it that nothing comes in between. What is computed for one partition may come after
commits to other partitions, and is refused if it touches another one itself.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from headrace.errors import InternalError
from headrace.lake.measure import Execution
from headrace.lake.session import LakeSession
from headrace.lake.small_result import SmallResult
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import Table
from headrace.model.partition import Partition

MISSING_ROW = "headrace: a row to be deleted is not in the table"
ROW_IS_THERE = "headrace: a row to be inserted is already in the table"
_SAME_KEY = "headrace: two rows with the same key"
_MISPLACED = {
    "missing": MISSING_ROW,
    "there": ROW_IS_THERE,
    "twice": _SAME_KEY,
}


class GuardedTable:
    """Inside ``with``, it can be written to under the name ``sql``, by the session it was made in."""

    def __init__(self, table: Table, session: LakeSession, partition: Partition | None = None) -> None:
        self._id = f"headrace-target-{uuid.uuid4().hex}"
        self.sql = f"{session.guarded_catalog}.`{self._id}`"
        self._columns = table.columns
        with spark_errors():
            scope = java_class(session.spark, "headrace.commit.PartitionScope")
            only = partition and scope(partition.key, json.dumps(dict(partition.values)))
            guarded = java_class(session.spark, "headrace.commit.GuardedTable")
            self._java: Any = guarded(table.java, table.version.snapshot_id, self._id, only)
            self._small_change = java_class(session.spark, "headrace.commit.SmallChange")

    def __enter__(self) -> Self:
        self._java.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._java.close()

    def has_moved(self) -> bool:
        """Whether another program has committed to the table."""
        with spark_errors():
            return bool(self._java.moved())

    def has_moved_elsewhere(self) -> bool:
        """Whether all that others have committed leaves the rows of the partition as they were."""
        with spark_errors():
            return bool(self._java.movedElsewhere())

    @property
    def outside(self) -> str | None:
        """A value of another partition that a row would have had, for which nothing was committed."""
        found = self._java.outside()
        return None if found is None else str(found)

    @property
    def committed(self) -> int | None:
        """The snapshot that was made; None if nothing was written."""
        found = self._java.committed()
        return None if found is None else int(found)

    def commit_nothing(self, summary: Mapping[str, str]) -> None:
        """A snapshot without a change, for its summary."""
        with spark_errors():
            self._java.commitNothing(json.dumps(dict(summary)))

    def places(self, columns: Sequence[str]) -> list[int]:
        return [self._columns.index(column) for column in columns]

    def commit_rows(
        self, rows: SmallResult, keys: Sequence[str] | None, summary: Mapping[str, str], old_rows: Any = None
    ) -> Execution:
        """Without a Spark job; after the table's columns rows have an action and a place: see SmallChange.

        With ``old_rows``, Spark's own rows of keys and places, rows are given the places of those.
        """
        with spark_errors():
            change = self._small_change(self._java)
            internal = rows.internal_rows()
            places = None if keys is None else self.places(keys)
            if places is not None and change.repeats(internal, json.dumps(places)):
                raise InternalError(_SAME_KEY)
            if old_rows is not None:
                if (wrong := change.place(internal, old_rows, json.dumps(places))) is not None:
                    raise InternalError(_MISPLACED[str(wrong)])
                internal = change.placed()
            change.commit(internal, json.dumps(dict(summary)))
            return Execution((), (), (), (), 0, int(change.bytes()))
