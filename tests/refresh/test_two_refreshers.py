"""Two refreshes of one table from the same version: one is published, and no change counts twice.

Inside one process a lock keeps them apart; these are two that know nothing of each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import Error, RefreshFailed
from headrace.lake.commit.guarded_commit import GuardedTable
from headrace.lake.table.tables import Table
from headrace.refresh.execute_stages import StageExecution
from headrace.refresh.run import Request, refresh_table
from tests import internals
from tests.oracle import assert_exact
from tests.refresh.helpers import before_computing, refresh

QUERIES = {
    "rows": "SELECT id, v FROM t",
    "sums": "SELECT k, count(*) AS n, sum(v) AS total FROM t GROUP BY k",
    "largest": "SELECT k, max(v) AS most FROM t GROUP BY k",
    "frequent": "SELECT k, sum(v) AS total FROM t GROUP BY k HAVING count(*) > 1",
}
PROPERTIES = {"frequent": "PROPERTIES ('state' = 'always')"}
"""Whose groups are stored, too."""


@pytest.fixture(params=QUERIES)
def table(lake: Connection, request: pytest.FixtureRequest) -> str:
    """A filled dynamic table with changes that it has not seen."""
    name = str(request.param)
    lake.sql("CREATE TABLE t (id INT, k INT, v INT); INSERT INTO t VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30)")
    clause = PROPERTIES.get(name, "")
    lake.sql(f"CREATE DYNAMIC TABLE {name} {clause} AS {QUERIES[name]}; REFRESH DYNAMIC TABLE {name}")
    lake.sql("INSERT INTO t VALUES (4, 1, 40), (5, 3, 50)")
    return name


def loaded(lake: Connection, table: str) -> Table:
    context = internals.statement_context(lake)
    return context.lake.catalog_session.catalog.existing_table(context.session.resolve((table,)))


def refresh_elsewhere(lake: Connection, table: str) -> str:
    """As another process would, which does not see the locks of this one."""
    context = internals.statement_context(lake)
    found = context.lake.store.definitions.find(context.session.resolve((table,)))
    assert found is not None
    return str(refresh_table(found, context.refresh_context, Request()).mode)


def assert_one_landed(lake: Connection, table: str) -> None:
    result = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {table}")
    states = [row[result.columns.index("state")] for row in result.fetchall()]
    assert sorted(states) == ["FAILED", "SUCCEED", "SUCCEED"]
    assert_exact(lake, table, QUERIES[table])
    assert refresh(lake, table)["refresh_mode"] == "NO_DATA"
    lake.sql("UPDATE t SET v = v + 1 WHERE k = 1")
    assert refresh(lake, table)["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, table, QUERIES[table])


@pytest.mark.incremental
def test_another_lands_before_the_delta_is_computed(
    lake: Connection, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        before_computing(lake, monkeypatch, lambda: refresh_elsewhere(lake, table)),
        pytest.raises(RefreshFailed, match="another program wrote to the table at the same time"),
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


@pytest.mark.incremental
def test_another_lands_before_the_delta_is_written(
    lake: Connection, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_calling(monkeypatch, StageExecution, "commit", lambda: refresh_elsewhere(lake, table))
    with pytest.raises(RefreshFailed, match="another program wrote to the table at the same time"):
        refresh(lake, table)
    assert_one_landed(lake, table)


WRITES = [
    "INSERT INTO {target} SELECT 1, 2",
    "INSERT OVERWRITE {target} SELECT 1, 2",
    "DELETE FROM {target} WHERE id = 1",
    "MERGE INTO {target} USING (SELECT 1 AS i) ON id = i WHEN MATCHED THEN UPDATE SET v = 0",
]


@pytest.fixture
def plain(lake: Connection) -> Table:
    lake.sql("CREATE TABLE plain (id INT, v INT); INSERT INTO plain VALUES (1, 10), (2, 20)")
    return loaded(lake, "plain")


@pytest.mark.parametrize("write", WRITES)
def test_only_the_first_of_two_writes_from_one_version_lands(
    lake: Connection, plain: Table, write: str
) -> None:
    session = internals.session(lake)
    with GuardedTable(plain, session) as first, GuardedTable(plain, session) as second:
        session.run(write.format(target=first.sql))
        landed = loaded(lake, "plain").version
        assert first.committed == landed.snapshot_id != plain.version.snapshot_id
        with pytest.raises(Error):
            session.run(write.format(target=second.sql))
        assert second.has_moved()
        assert not first.has_moved()
        with pytest.raises(Error):
            session.run(write.format(target=first.sql))
    assert loaded(lake, "plain").version == landed


def test_a_version_without_rows_is_guarded_too(lake: Connection, plain: Table) -> None:
    session = internals.session(lake)
    with GuardedTable(plain, session) as first, GuardedTable(plain, session) as second:
        first.commit_nothing({"said": 'it\'s "so"'})
        with pytest.raises(Error):
            second.commit_nothing({})
        assert second.has_moved()
    snapshot = loaded(lake, "plain").snapshot
    assert snapshot is not None
    assert (snapshot.id, snapshot.summary["said"]) == (first.committed, 'it\'s "so"')


def test_properties_set_meanwhile_do_not_stop_a_write(lake: Connection, plain: Table) -> None:
    session = internals.session(lake)
    with GuardedTable(plain, session) as target:
        lake.sql("ALTER TABLE plain SET TBLPROPERTIES ('a' = 'b')")
        session.run(f"INSERT INTO {target.sql} VALUES (3, 30)")
    assert loaded(lake, "plain").properties["a"] == "b"
    assert sorted(lake.sql("SELECT id FROM plain").fetchall()) == [(1,), (2,), (3,)]


def test_an_empty_table_is_guarded(lake: Connection) -> None:
    lake.sql("CREATE TABLE bare (id INT)")
    session, bare = internals.session(lake), loaded(lake, "bare")
    with GuardedTable(bare, session) as target:
        lake.sql("INSERT INTO bare VALUES (1)")
        with pytest.raises(Error):
            session.run(f"INSERT INTO {target.sql} VALUES (2)")
        assert target.has_moved()
    assert lake.sql("SELECT id FROM bare").fetchall() == [(1,)]


@pytest.mark.parametrize("transform", ["bucket(4, id)", "days(ts)", "truncate(2, name)", "id"])
def test_partitioned_tables_are_written_through_the_guard(lake: Connection, transform: str) -> None:
    lake.sql(f"CREATE TABLE parts (id INT, name STRING, ts TIMESTAMP) PARTITIONED BY ({transform})")
    session = internals.session(lake)
    with GuardedTable(loaded(lake, "parts"), session) as target:
        session.run(f"INSERT INTO {target.sql} SELECT id, 'abc', timestamp_seconds(id) FROM range(9)")
    assert len(lake.sql("SELECT * FROM parts").fetchall()) == 9
