"""Short ways to say what the tests of table streams say often."""

from __future__ import annotations

from typing import Any

from headrace.connection import Connection
from tests import internals


def changes(lake: Connection, stream: str) -> list[tuple[Any, ...]]:
    """Without version and time of the commits, in order."""
    result = lake.sql(f"SELECT * EXCEPT (__commit_version, __commit_timestamp) FROM {stream}")
    return sorted(result.fetchall(), key=repr)


def consume(lake: Connection, stream: str, into: str) -> list[tuple[Any, ...]]:
    """Into a table that is made anew; its rows."""
    lake.sql(
        f"CREATE OR REPLACE TABLE {into} AS "
        f"SELECT * EXCEPT (__commit_version, __commit_timestamp) FROM {stream}"
    )
    return sorted(lake.sql(f"SELECT * FROM {into}").fetchall(), key=repr)


def offset(lake: Connection, stream: str) -> int | None:
    found = internals.store(lake).streams.find(internals.table_name(lake, stream))
    assert found is not None
    assert found.claimed_by is None
    return found.offset.snapshot_id
