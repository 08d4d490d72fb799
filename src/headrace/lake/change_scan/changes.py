"""The rows by which a table differs between two of its versions, at the cost of the files that changed.

Between two snapshots, leaving out rewrites, which change no row:

    rows that came = files added, under their deletes now
    rows that went = files removed, under their deletes then
                   + files that stayed, under all positions but those that are deleted now and were not then

Only manifests that are not in both snapshots are read for the first two. A small change is read by the
driver, of files that stayed only the pages that hold such positions. A larger one is read by Spark, and the
last needs a deletion vector that exists nowhere: it is written to a temporary file next to the table's data,
which is read under it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from headrace.algebra.operators.scan import WEIGHT
from headrace.lake import driver_memory
from headrace.lake.change_scan.changes_columns import lost_column
from headrace.lake.measure import CHANGE
from headrace.lake.session import LakeSession
from headrace.lake.spark.driver_view import driver_view
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.sandbox import CHANGES_CATALOG
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.pin import sql_type
from headrace.lake.table.tables import Table
from headrace.model.history import TableRead
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion

ROW_ID = "_row_id"
CHANGED_BY = "_last_updated_sequence_number"
SMALL = 100_000
"""Rows of a change that are kept in the driver's memory: more are read, and written, by Spark."""
_SMALLEST_SPLIT = 4 * 2**20
"""Bytes of a file that a task of its own is worth."""


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

    @property
    def rows(self) -> int:
        return self.rows_added + self.rows_removed


@dataclass(frozen=True)
class NoChangeScan:
    """The rows must be read in full, for the reason given."""

    reason: str


class Changes:
    """Inside ``with``, queries of it can be read; any number of times, by the session it was made in."""

    def __init__(
        self,
        session: LakeSession,
        table: Table,
        scan: Any,
        name: str,
        estimate: ChangeEstimate,
        *,
        has_row_id: bool,
    ) -> None:
        self._session = session
        self._table = table
        self._scan = scan
        self._name = name
        self._opened: ExitStack | None = None
        self._rows: dict[tuple[str, ...], str | None] = {}
        """By columns: a query of those that the driver has read."""
        self._signs: str | None = None
        self.has_row_id = has_row_id
        self.estimate = estimate
        self.reads: tuple[TableRead, ...] = ()
        """What the driver has read; what Spark reads is found in its plans."""

    def __enter__(self) -> Self:
        self._opened = ExitStack()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._expect_open(), spark_errors():
            self._opened, self._rows, self._signs = None, {}, None
            self._scan.close()

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the table, and ``_row_id`` if it has lineage."""
        return (*self._table.columns, *([ROW_ID] if self.has_row_id else []))

    def sql(self, columns: tuple[str, ...]) -> str:
        """Of its columns those, and ``__hr_weight``: 1 came, -1 went.

        Weights are not summed: a row may come and go.
        """
        opened = self._expect_open()
        if columns not in self._rows:
            self._rows[columns] = self._read(opened, columns) if self._is_small else None
        return self._rows[columns] or self._staged(columns)

    @property
    def dated_sql(self) -> str:
        """The same, with the number of the commit that each row was last changed by, if it has lineage.

        Any session can read it, through views too.
        """
        self._expect_open()
        return self._staged((*self.columns, *([CHANGED_BY] if self.has_row_id else [])))

    def _expect_open(self) -> ExitStack:
        """What is closed at the end of the block."""
        if self._opened is None:
            raise ValueError("changes are read inside their with block")
        return self._opened

    @property
    def _is_small(self) -> bool:
        return self.estimate.rows <= SMALL

    def _read(self, opened: ExitStack, columns: tuple[str, ...]) -> str | None:
        """A query of the rows, if the driver can read them."""
        with spark_errors():
            if not self._scan.read(json.dumps(columns), driver_memory.SHARE):
                return None
            spark: Any = self._session.spark
            frame = self._scan.frame(spark._jsparkSession, WEIGHT)
            rows = opened.enter_context(driver_view(self._session.spark, frame))
            figures = self._scan.figures()
            read = TableRead(
                str(self._table.java.name()), self._scan.rowsRead(), figures.bytes(), figures.files(), CHANGE
            )
        self.reads += (read,) if read.files else ()
        return rows

    def _staged(self, columns: Sequence[str]) -> str:
        """Read by Spark."""
        if self._signs is None:
            with spark_errors():
                self._signs = str(self._scan.stage())
        if not self._signs:
            return _no_rows(self._table, columns)
        listed = [quote_identifier(column) for column in columns]
        return " UNION ALL ".join(
            f"SELECT {', '.join([*listed, f'CAST({sign}1 AS BIGINT) AS {WEIGHT}'])} "
            f"FROM {CHANGES_CATALOG}.`{self._name}{sign}` WITH (`split-size` = '{self._split_size}')"
            for sign in self._signs
        )

    @property
    def _split_size(self) -> int:
        parallelism = self._session.spark.sparkContext.defaultParallelism
        return max(_SMALLEST_SPLIT, self.estimate.bytes // parallelism)


def no_changes(table: Table) -> str:
    """The columns of a change, and no rows."""
    return _no_rows(table, (*table.columns, *([ROW_ID] if table.has_row_ids else [])))


def _no_rows(table: Table, columns: Sequence[str]) -> str:
    types = {field.name: sql_type(field.type) for field in table.fields}
    types |= dict.fromkeys((ROW_ID, CHANGED_BY), "bigint")
    nulls = [f"CAST(NULL AS {types[name]}) AS {quote_identifier(name)}" for name in columns]
    return f"SELECT {', '.join([*nulls, f'CAST(NULL AS BIGINT) AS {WEIGHT}'])} WHERE false"


def find_changes(
    session: LakeSession, table: Table, since: TableVersion, until: int | None = None
) -> Changes | NoChangeScan:
    """What leads from version ``since`` to ``until``, or else to the version that ``table`` was loaded at.

    Reads no data; the rows have the columns of ``table`` as loaded.
    """
    reason = _comparable(table, since)
    if reason is not None:
        return NoChangeScan(reason)
    name = f"headrace-changes-{uuid.uuid4().hex}"
    with spark_errors():
        scan = java_class(session.spark, "headrace.changes.ChangeScan")(table.java, name)
        found = json.loads(scan.find(since.snapshot_id, until or table.version.snapshot_id))
    if found["obstacle"] is not None:
        words = _OBSTACLES[found["obstacle"]]
        return NoChangeScan(words.format(table=table.name, since=since, lost=found["lost"]))
    estimate = ChangeEstimate(**found["sizes"])
    return Changes(session, table, scan, name, estimate, has_row_id=found["has_row_id"])


_OBSTACLES = {
    "expired": "version {since} of {table} has expired",
    "replaced": "{table} was replaced after version {since}",
    "no identity": "rows of {table} had no row IDs yet at version {since}",
    "lost": "history of {table} before version {lost} has expired",
}


def _comparable(table: Table, since: TableVersion) -> str | None:
    """Why the versions cannot be compared."""
    if since.uuid != table.version.uuid:
        return f"{table.name} is not the table that was read before"
    if since.schema_id == table.version.schema_id:
        return None
    before = table.fields_of(since.schema_id)
    if before is None:
        return f"the columns that {table.name} had at version {since} are no longer known"
    return lost_column(table.name, before, table.fields)
