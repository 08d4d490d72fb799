"""The next version of a table, written to a branch and published only if the table has not moved meanwhile.

Iceberg lets two writers append one after the other, each from an older state than it thinks. A branch made at
the version that a refresh started from can only become the table if that is still its version: what was
prepared is published whole, once, or not at all.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from headrace.errors import Error
from headrace.lake.spark_errors import spark_errors
from headrace.lake.tables import Snapshot, Table, TableCatalog
from headrace.model.quoting import quote_identifier

_PREFIX = "headrace_"


class Moved(Exception):
    """Another program has committed to the table since the draft was begun."""


class Draft:
    def __init__(self, table: Table, catalog: TableCatalog, refresh_id: str) -> None:
        self._base = table
        self._catalog = catalog
        self._branch = f"{_PREFIX}{refresh_id}"
        self._published = False

    @property
    def sql(self) -> str:
        """What to write to."""
        return f"{self._base.name.sql}.{quote_identifier(f'branch_{self._branch}')}"

    def __enter__(self) -> Self:
        with spark_errors():
            manage = self._base.java.manageSnapshots()
            for left_over in drafts_of(self._base):
                manage = manage.removeBranch(left_over)
            snapshot_id = self._base.version.snapshot_id
            if snapshot_id is None:
                manage.createBranch(self._branch).commit()
            else:
                manage.createBranch(self._branch, snapshot_id).commit()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._published:
            with contextlib.suppress(Error), spark_errors():
                self._now().java.manageSnapshots().removeBranch(self._branch).commit()

    def publish(self, summary: Mapping[str, str]) -> Snapshot:
        """The version made; ``summary`` is for the case that nothing was written and no version made."""
        table = self._now()
        if table.version.snapshot_id != self._base.version.snapshot_id or self.is_gone():
            raise Moved
        if self._head(table) == self._begun(table):
            table.commit_nothing(summary, self._branch)
            table = self._now()
        head = self._head(table)
        try:
            table.java.manageSnapshots().fastForwardBranch("main", self._branch).removeBranch(
                self._branch
            ).commit()
        except (Py4JError, PySparkException) as error:
            if self.is_gone() or "fast-forward" in str(error):
                raise Moved from None
            with spark_errors():
                raise
        self._published = True
        return table.snapshot_of(head)

    def is_gone(self) -> bool:
        """Swept away by another draft; a write that comes later would begin it anew, at another version."""
        return self._branch not in drafts_of(self._now())

    def _now(self) -> Table:
        return self._catalog.existing_table(self._base.name)

    def _head(self, table: Table) -> int:
        return int(table.java.snapshot(self._branch).snapshotId())

    def _begun(self, table: Table) -> int | None:
        """Where the branch began: of an empty table, with a version of its own."""
        if self._base.version.snapshot_id is not None:
            return self._base.version.snapshot_id
        head: Any = table.java.snapshot(self._branch)
        return None if head.parentId() is not None else int(head.snapshotId())


def drafts_of(table: Table) -> list[str]:
    """Branches that refreshes have left, begun and not published."""
    with spark_errors():
        return [name for name in map(str, table.java.refs().keySet()) if name.startswith(_PREFIX)]
