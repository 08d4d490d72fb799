"""Short ways to say what the refresh tests say often."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import RefreshFailed
from headrace.lake.session import LakeSession
from headrace.model.history import JobProfile
from headrace.result import Result
from tests import internals
from tests.oracle import last_refresh


def refresh(lake: Connection, table: str, *, full: bool = False) -> dict[str, Any]:
    """The history row that the statement returns."""
    result = lake.sql(f"REFRESH DYNAMIC TABLE {table}{' FULL' if full else ''}")
    return as_dict(result)


def as_dict(result: Result) -> dict[str, Any]:
    (row,) = result.fetchall()
    return dict(zip(result.columns, row, strict=True))


def bag(lake: Connection, query: str) -> Counter[str]:
    """Rows with how often each occurs; as text, in which NaN equals NaN and maps can be counted."""
    return Counter(map(repr, lake.sql(query).fetchall()))


def stats(row: dict[str, Any]) -> tuple[int, int]:
    """Rows inserted and deleted."""
    counts = json.loads(row["stats"])
    return int(counts["rows_inserted"]), int(counts["rows_deleted"])


def profile(lake: Connection, row: dict[str, Any]) -> JobProfile:
    found = internals.store(lake).profiles.find(row["job_id"])
    assert found is not None
    return found


def spark_jobs(lake: Connection) -> int:
    """How many Spark has started since it runs."""
    return internals.jobs_started(internals.spark(lake))


@contextlib.contextmanager
def before_computing(
    lake: Connection, monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]
) -> Iterator[None]:
    """``act`` runs once, after the refresh has looked at its sources and before it reads them."""
    opened = internals.open_lake(lake)
    borrow, pending = opened.borrow_session, [act]

    @contextlib.contextmanager
    def borrow_later() -> Iterator[LakeSession]:
        while pending:
            pending.pop()()
        with borrow() as session:
            yield session

    with monkeypatch.context() as patch:
        patch.setattr(opened, "borrow_session", borrow_later)
        yield
    assert not pending


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
    assert "its rows are unchanged" in told
    for word in words:
        assert word in told
    assert bag(lake, f"SELECT * FROM {table}") == before
    row = last_refresh(lake, table)
    assert row["state"] == "FAILED"
    assert row["error_message"]
    assert str(row["error_message"]) in told
    assert row["end_time"] is not None
