"""What a table stream has not consumed yet."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headrace.features.streams.model import StreamMode, TableStream
from headrace.lake.table.object_metadata import TableMetadata
from headrace.lake.table.tables import Snapshot
from headrace.model.version import TableVersion
from headrace.views.pending_changes import StreamView
from tests.catalog.samples import NOON, name


def version(number: int, operation: str = "append", parent: int | None = None, **summary: int) -> Snapshot:
    figures = {key.replace("_", "-"): str(value) for key, value in summary.items()}
    above = number - 1 if parent is None and number > 1 else parent
    return Snapshot(number, operation, figures, above, NOON + timedelta(minutes=number), number)


VERSIONS = (
    version(4, "delete", deleted_records=2),
    version(3, "replace", added_records=9, deleted_records=9),
    version(2, added_records=5),
    version(1, added_records=10),
)


def view(offset: int | None, versions: tuple[Snapshot, ...] = VERSIONS) -> StreamView:
    stream = TableStream(
        "s",
        name("s"),
        name("t"),
        TableVersion("u", offset, 0),
        StreamMode.STANDARD,
        False,
        False,
        "ann",
        NOON,
    )
    return StreamView.of(stream, TableMetadata((), {}, (), 3, "", NOON, versions))


@pytest.mark.parametrize(
    ("offset", "pending", "added", "deleted"),
    [(4, 0, 0, 0), (3, 1, 0, 2), (2, 1, 0, 2), (1, 2, 5, 2), (None, 3, 15, 2)],
)
def test_pending(offset: int | None, pending: int, added: int, deleted: int) -> None:
    found = view(offset)
    assert found.state == "active"
    assert (found.pending_versions, found.pending_rows_added, found.pending_rows_deleted) == (
        pending,
        added,
        deleted,
    )


def test_the_oldest_pending_change() -> None:
    assert view(1).oldest_pending_time == NOON + timedelta(minutes=2)
    assert view(4).oldest_pending_time is None


def test_an_offset_that_is_not_kept_any_more() -> None:
    found = view(1, VERSIONS[:2])
    assert (found.state, found.pending_versions) == ("stale", None)


def test_an_empty_table() -> None:
    assert view(None, ()).pending_versions == 0


def test_a_table_that_does_not_exist() -> None:
    stream = TableStream(
        "s", name("s"), name("t"), TableVersion("u", 1, 0), StreamMode.STANDARD, False, False, "ann", NOON
    )
    assert StreamView.of(stream, None).state == "stale"
