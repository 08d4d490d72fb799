"""The rows by which a table differs between two of its versions, at the cost of the files that changed.

Between two snapshots, leaving out rewrites, which change no row:

    rows that came = files added, under their deletes now
    rows that went = files removed, under their deletes then
                   + files that stayed, under all positions but those that are deleted now and were not then

Only manifests that are not in both snapshots are read for the first two. The last needs a deletion vector
that exists nowhere: it is written to a temporary file next to the table's data, which is read under it.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from headrace.algebra.render import WEIGHT
from headrace.lake.changes_columns import lost_column
from headrace.lake.changes_jvm import PlannerClasses, planner_classes
from headrace.lake.engine import CHANGES_CATALOG
from headrace.lake.pin import Field, sql_type
from headrace.lake.session import LakeSession
from headrace.lake.spark_errors import spark_errors
from headrace.lake.tables import Table
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion

_Leg = tuple[Any, Any, bool]
"""Snapshots that a part of the way leads from and to, and whether the second descends from the first.

None stands for the empty table.
"""

ROW_ID = "_row_id"


@dataclass(frozen=True)
class ChangeEstimate:
    """Known from metadata alone."""

    rows_added: int
    rows_removed: int
    """Both at most so many: a row that came and went, or was rewritten in place, counts in each."""
    bytes: int
    """Of the data files that hold the rows."""
    files: int
    insert_only: bool


@dataclass(frozen=True)
class NoChangeScan:
    """The rows must be read in full, for the reason given."""

    reason: str


class Changes:
    """Inside ``with``, ``sql`` can be read; any number of times, by the session it was made in."""

    def __init__(self, table: Table, classes: PlannerClasses, plan: Any, has_row_id: bool) -> None:
        self._table = table
        self._plan = plan
        self._id = f"headrace-changes-{uuid.uuid4().hex}"
        self._staged = classes.new("StagedChanges", table.java, self._id)
        self._signs: str | None = None
        self.has_row_id = has_row_id
        self.estimate = ChangeEstimate(**json.loads(classes.new("ChangeSizes", plan).toString()))

    def __enter__(self) -> Self:
        try:
            with spark_errors():
                self._signs = str(self._staged.stage(self._plan))
        except BaseException:
            self._staged.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._signs = None
        with spark_errors():
            self._staged.close()

    @property
    def sql(self) -> str:
        """The table's columns, ``_row_id`` if it has lineage, and ``__hr_weight``: 1 came, -1 went.

        Weights are not summed: a row may come and go.
        """
        if self._signs is None:
            raise ValueError("changes are read inside their with block")
        if not self._signs:
            return self._no_rows()
        columns = [quote_identifier(column) for column in self._table.columns]
        columns += [ROW_ID] if self.has_row_id else []
        return " UNION ALL ".join(
            f"SELECT {', '.join(columns)}, CAST({sign}1 AS BIGINT) AS {WEIGHT} "
            f"FROM {CHANGES_CATALOG}.`{self._id}{sign}`"
            for sign in self._signs
        )

    def _no_rows(self) -> str:
        fields = [*self._table.fields, *([Field(0, ROW_ID, "long")] if self.has_row_id else [])]
        columns = [f"CAST(NULL AS {sql_type(f.type)}) AS {quote_identifier(f.name)}" for f in fields]
        return f"SELECT {', '.join(columns)}, CAST(NULL AS BIGINT) AS {WEIGHT} WHERE false"


def find_changes(session: LakeSession, table: Table, since: TableVersion) -> Changes | NoChangeScan:
    """What leads from version ``since`` to the version that ``table`` was loaded at; reads no data."""
    with spark_errors():
        reason = _comparable(table, since)
        if reason is not None:
            return NoChangeScan(reason)
        classes = planner_classes(session.spark._jvm, table.java)
        legs = _legs(table, since, classes)
        if isinstance(legs, NoChangeScan):
            return legs
        plan = classes.new("ChangePlan", table.java)
        for leg in legs:
            plan.compare(*leg)
        return Changes(table, classes, plan, _has_lineage(table))


def _comparable(table: Table, since: TableVersion) -> str | None:
    """Why the versions cannot be compared."""
    if since.uuid != table.version.uuid:
        return f"{table.name} is another table than the one read before"
    if since.schema_id == table.version.schema_id:
        return None
    before = table.fields_of(since.schema_id)
    if before is None:
        return f"the columns that {table.name} had at version {since} are no longer known"
    return lost_column(table.name, before, table.fields)


def _legs(table: Table, since: TableVersion, classes: PlannerClasses) -> list[_Leg] | NoChangeScan:
    current = _snapshot(table, table.version.snapshot_id)
    if since.snapshot_id is None:
        return [] if current is None else [(None, current, True)]
    start = _snapshot(table, since.snapshot_id)
    if start is None:
        return NoChangeScan(f"version {since} of {table.name} has expired")
    if current is None:
        return NoChangeScan(f"{table.name} was replaced after version {since}")
    if _has_lineage(table) and start.firstRowId() is None:
        return NoChangeScan(f"rows of {table.name} had no identity yet at version {since}")
    path = classes.new("SnapshotPath", table.java)
    if path.find(start, current):
        return [(leg[0], leg[1], leg[2]) for leg in path.legs()]
    if path.lost() is not None:
        return NoChangeScan(f"history of {table.name} before version {path.lost().snapshotId()} has expired")
    return NoChangeScan(f"{table.name} was replaced after version {since}")


def _snapshot(table: Table, snapshot_id: int | None) -> Any:
    return None if snapshot_id is None else table.java.snapshot(snapshot_id)


def _has_lineage(table: Table) -> bool:
    """Since its upgrade to format 3 a table gives its rows an identity with the first commit."""
    current = _snapshot(table, table.version.snapshot_id)
    return table.has_row_ids if current is None else current.firstRowId() is not None
