"""Short ways to say what the refresh tests say often."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import RefreshFailed
from headrace.lake.results import Result
from tests.oracle import last_refresh


def refresh(lake: Connection, table: str, *, full: bool = False) -> dict[str, Any]:
    """The history row that the statement returns."""
    result = lake.sql(f"REFRESH DYNAMIC TABLE {table}{' FULL' if full else ''}")
    return as_dict(result)


def as_dict(result: Result) -> dict[str, Any]:
    (row,) = result.fetchall()
    return dict(zip(result.columns, row, strict=True))


def bag(lake: Connection, query: str) -> Counter[Any]:
    """Rows with how often each occurs; of values that can be hashed."""
    return Counter(lake.sql(query).fetchall())


def assert_same_bag(lake: Connection, table: str, query: str) -> None:
    """The law for small tables, compared here: cheaper than two EXCEPT ALL on Spark."""
    assert bag(lake, f"SELECT * FROM {table}") == bag(lake, query)


@contextlib.contextmanager
def failing(lake: Connection, table: str, *words: str) -> Iterator[None]:
    """The refresh inside fails and says ``words``; the rows stay, and the history knows."""
    before = bag(lake, f"SELECT * FROM {table}")
    with pytest.raises(RefreshFailed) as caught:
        yield
    told = str(caught.value)
    assert "its rows are as before" in told
    for word in words:
        assert word in told
    assert bag(lake, f"SELECT * FROM {table}") == before
    row = last_refresh(lake, table)
    assert row["state"] == "FAILED"
    assert row["error_message"]
    assert str(row["error_message"]) in told
    assert row["end_time"] is not None
