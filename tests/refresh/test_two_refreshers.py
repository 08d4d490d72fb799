"""Two refreshes of one table from the same version: one is published, and no change counts twice.

Inside one process a lock keeps them apart; these are two that know nothing of each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import RefreshFailed
from headrace.lake.draft import Draft, Moved, drafts_of
from headrace.lake.tables import Table
from headrace.refresh import run
from headrace.refresh.run import Request, refresh_table
from tests.oracle import assert_exact
from tests.refresh.helpers import before_computing, refresh

QUERIES = {
    "rows": "SELECT id, v FROM t",
    "sums": "SELECT k, count(*) AS n, sum(v) AS total FROM t GROUP BY k",
    "largest": "SELECT k, max(v) AS most FROM t GROUP BY k",
}


@pytest.fixture(params=QUERIES)
def table(lake: Connection, request: pytest.FixtureRequest) -> str:
    """A filled dynamic table with changes that it has not seen."""
    name = str(request.param)
    lake.sql("CREATE TABLE t (id INT, k INT, v INT); INSERT INTO t VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30)")
    lake.sql(f"CREATE DYNAMIC TABLE {name} AS {QUERIES[name]}; REFRESH DYNAMIC TABLE {name}")
    lake.sql("INSERT INTO t VALUES (4, 1, 40), (5, 3, 50)")
    return name


def loaded(lake: Connection, table: str) -> Table:
    bench = lake._bench
    return bench.lake.catalog_session.catalog.existing_table(bench.session.resolve((table,)))


def refresh_elsewhere(lake: Connection, table: str) -> str:
    """As another process would, which does not see the locks of this one."""
    bench = lake._bench
    found = bench.lake.store.find(bench.session.resolve((table,)))
    assert found is not None
    return str(refresh_table(found, bench.refresh_tools, Request()).mode)


def assert_one_landed(lake: Connection, table: str) -> None:
    result = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {table}")
    states = [row[result.columns.index("state")] for row in result.fetchall()]
    assert sorted(states) == ["FAILED", "SUCCEED", "SUCCEED"]
    assert_exact(lake, table, QUERIES[table])
    assert drafts_of(loaded(lake, table)) == []
    assert refresh(lake, table)["refresh_mode"] == "NO_DATA"
    lake.sql("UPDATE t SET v = v + 1 WHERE k = 1")
    assert refresh(lake, table)["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, table, QUERIES[table])


def test_another_lands_before_the_draft_is_begun(
    lake: Connection, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        before_computing(lake, monkeypatch, lambda: refresh_elsewhere(lake, table)),
        pytest.raises(RefreshFailed, match="another program wrote to the table meanwhile"),
    ):
        refresh(lake, table)
    assert_one_landed(lake, table)


def before_calling(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, act: Callable[[], Any]) -> None:
    """``act`` runs once, when ``name`` is called next."""
    original, pending = getattr(owner, name), [act]

    def acting(*args: Any, **keywords: Any) -> Any:
        while pending:
            pending.pop()()
        return original(*args, **keywords)

    monkeypatch.setattr(owner, name, acting)


@pytest.mark.parametrize(
    ("owner", "moment"),
    [(run, "execute_measured"), (Draft, "publish")],
    ids=["before writing", "before publishing"],
)
def test_another_lands_after_the_draft_is_begun(
    lake: Connection, table: str, monkeypatch: pytest.MonkeyPatch, owner: Any, moment: str
) -> None:
    before_calling(monkeypatch, owner, moment, lambda: refresh_elsewhere(lake, table))
    with pytest.raises(RefreshFailed, match="another program wrote to the table meanwhile"):
        refresh(lake, table)
    assert_one_landed(lake, table)


def test_two_drafts_of_one_version(lake: Connection, table: str) -> None:
    """The second sweeps the first away, whose late write must not land on top of it."""
    base, catalog = loaded(lake, table), lake._bench.session.catalog
    with Draft(base, catalog, "first") as first, Draft(base, catalog, "second") as second:
        second.publish({})
        published = loaded(lake, table).version
        with pytest.raises(Moved):
            first.publish({})
        base.commit_nothing({}, "headrace_first")
        with pytest.raises(Moved):
            first.publish({})
    assert loaded(lake, table).version == published != base.version
    assert drafts_of(loaded(lake, table)) == []
