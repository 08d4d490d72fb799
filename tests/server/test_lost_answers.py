"""The database commits, and the connection ends before it can say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from headrace.lake.directory import make_lake
from tests.door import Door, door_to
from tests.postgres import running_postgres
from tests.server.served import serving

COMMIT = b"UPDATE iceberg_tables"


@pytest.mark.share(0.2, suite="single tests")
def test_what_has_landed_is_neither_lost_nor_done_twice(tmp_path: Path) -> None:
    with running_postgres() as postgres, door_to(postgres) as (door, url):
        lake = make_lake(tmp_path / "lake", url, f"{tmp_path}/warehouse").path
        with serving(lake) as served, served.connect() as connection:
            check(connection, door)


def check(lake: Connection, door: Door) -> None:
    lake.sql("CREATE TABLE t (id INT); INSERT INTO t VALUES (1), (2)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT id FROM t; REFRESH DYNAMIC TABLE d")
    for number in range(3, 6):
        lake.sql(f"INSERT INTO t VALUES ({number})")
        door.keep_the_answer_to(COMMIT)
        lake.sql("REFRESH DYNAMIC TABLE d")
        assert door.has_kept_it
        assert lake.sql("VERIFY DYNAMIC TABLE d").df()["result"][0] == "exact"
        door.keep_the_answer_to(COMMIT)
        insert(lake, number + 100)
        assert door.has_kept_it
        assert lake.sql(f"SELECT count(*) FROM t WHERE id = {number + 100}").fetchall() == [(1,)]
        lake.sql("REFRESH DYNAMIC TABLE d")
        assert lake.sql("VERIFY DYNAMIC TABLE d").df()["result"][0] == "exact"


def insert(lake: Connection, number: int) -> None:
    try:
        lake.sql(f"INSERT INTO t VALUES ({number})")
    except Error:
        if not lake.sql(f"SELECT id FROM t WHERE id = {number}").fetchall():
            lake.sql(f"INSERT INTO t VALUES ({number})")
