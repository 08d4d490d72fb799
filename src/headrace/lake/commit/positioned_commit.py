"""Rows of a source and the position in it that they lead to, in one commit.

The position is in the summary of the snapshot that has the rows, under a key of the source, and in a property
of the table, where it stays when that snapshot has expired. A commit is refused unless the position in the
table is still the one that the rows start from; what others commit in between does not matter.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from headrace.errors import Error, PositionMoved
from headrace.lake.commit.marked_statement import run_marked
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import Table
from headrace.sql.tokens.positions import as_rewritten


def position_of(table: Table, key: str, session: LakeSession) -> str | None:
    """How far a source was read into the table, at the state that was loaded; None: not at all."""
    positioned = java_class(session.spark, "headrace.commit.PositionedTable")
    with spark_errors():
        found = positioned.positionOf(table.java, key)
    return None if found is None else str(found)


def commit_with_position(
    table: Table,
    key: str,
    start: str | None,
    end: str,
    statement: Callable[[str], str | None],
    session: LakeSession,
) -> int:
    """Runs the statement that writes the rows, given the table's name in it; the snapshot that it made.

    Without a statement the position alone is committed.
    PositionMoved, and nothing written, if the table is no longer at ``start``.
    """
    name = f"headrace-target-{uuid.uuid4().hex}"
    target = f"{session.guarded_catalog}.`{name}`"
    with spark_errors():
        positioned = java_class(session.spark, "headrace.commit.PositionedTable")
        java: Any = positioned(table.java, name, key, start, end)
    java.open()
    try:
        text = statement(target)
        if text is not None:
            run_marked(session, as_rewritten(text), None, (key, end))
        if java.committed() is None:
            with spark_errors():
                java.commitNothing()
    except Exception as error:
        if java.moved():
            raise PositionMoved(f"another program has read the same source into {table.name}") from error
        if java.committed() is None:
            if isinstance(error, Error):
                error.message = error.message.replace(target, str(table.name))
            raise
    finally:
        java.close()
    return int(java.committed())


class SideFiles:
    """Files beside a table that its summaries name."""

    def __init__(self, table: Table, session: LakeSession) -> None:
        self._java: Any = java_class(session.spark, "headrace.commit.SideFiles")(table.java)

    def write(self, name: str, content: bytes) -> str:
        """The location of the new file."""
        with spark_errors():
            return str(self._java.write(name, content))

    def read(self, location: str) -> bytes:
        with spark_errors():
            return bytes(self._java.read(location))

    def delete_others(self, kept: Collection[str], before: datetime) -> None:
        """Those that are not ``kept`` and are older than a moment: no commit under way has written them."""
        with spark_errors():
            self._java.deleteOthers(json.dumps(sorted(kept)), int(before.timestamp() * 1000))
