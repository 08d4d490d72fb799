"""What can be wrong with rows that are streamed: the request is refused whole, and the next one is not."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from tests.ingest.mistakes.streams import COLUMNS, STREAM_MISTAKES


def test_rows_that_are_refused(lake: Connection) -> None:
    lake.sql(f"CREATE TABLE t ({COLUMNS}); CREATE VIEW seen AS SELECT id FROM t")
    lake.sql("CREATE DYNAMIC TABLE derived REFRESH INTERVAL 1 HOUR AS SELECT id FROM t")
    for mistake in STREAM_MISTAKES:
        with pytest.raises(Error, match=mistake.message):
            lake.stream(mistake.table, **mistake.options).write([dict(row) for row in mistake.rows])
    assert lake.sql("SELECT count(*) FROM t").fetchall() == [(0,)]
    with lake.stream("t") as writer:
        with pytest.raises(Error, match=r"^row 2: column id is NOT NULL"):
            writer.write([{"id": 1}, {"name": "x"}])
        writer.write([{"id": 1}, {"id": 2, "name": "x"}])
    assert lake.sql("SELECT id FROM t ORDER BY id").fetchall() == [(1,), (2,)]
