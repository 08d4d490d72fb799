"""Every kind of Iceberg catalog as a lake uses it: one suite, also for one that cannot rename tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headrace
from headrace import errors
from headrace.catalog.backends import BACKENDS
from headrace.catalog.backends.sqlite import SqliteCatalog
from headrace.connection import Connection
from headrace.features.recovery.store import DroppedObjects
from headrace.lake.directory import make_lake
from headrace.lake.table.tables import TableCatalog
from headrace.model.catalog_backend import Capabilities
from headrace.model.names import DROPPED_SCHEMA, TableName
from tests import internals
from tests.door import door_to
from tests.features.recovery.dropping import Killed, history, killed_before, table_uuid
from tests.oracle import assert_exact
from tests.postgres import running_postgres
from tests.refresh.helpers import refresh

OpenLake = Callable[[], Connection]


class WithoutRename(SqliteCatalog):
    capabilities = Capabilities(rename_tables=False)


class WithoutViews(SqliteCatalog):
    capabilities = Capabilities(views=False)


@pytest.fixture(scope="module")
def new_database() -> Iterator[Callable[[], str]]:
    """The URL of an empty one."""
    with running_postgres() as postgres, door_to(postgres) as (_, url):
        server = url.rpartition("/")[0]
        yield lambda: f"{server}/{postgres.empty_database()}"


@pytest.fixture(params=["sqlite", "postgresql", "without rename"])
def open_again(
    own_spark: None, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OpenLake]:
    """Opens a lake with a catalog of that kind, after closing it where it is open."""
    if request.param == "without rename":
        monkeypatch.setitem(BACKENDS, "sqlite", WithoutRename)
    path = tmp_path / "lake"
    make_lake(path)
    if request.param == "postgresql":
        url = request.getfixturevalue("new_database")()
        marker = path / "lake.toml"
        marker.write_text(f'catalog = "{url}"\n{marker.read_text()}')
    yield from reopening(path)


def reopening(path: Path) -> Iterator[OpenLake]:
    opened: list[Connection] = []

    def open_again() -> Connection:
        for connection in opened:
            connection.close()
        opened.append(headrace.connect(path))
        return opened[-1]

    yield open_again
    for connection in opened:
        connection.close()


def entries(lake: Connection) -> dict[TableName, str]:
    backend = internals.open_lake(lake).backend
    return backend.locations() | backend.locations("VIEW")


def dropped_entries(lake: Connection) -> list[TableName]:
    return [name for name in entries(lake) if name.schema == DROPPED_SCHEMA]


def second_entry(self: TableCatalog, name: TableName, new_name: TableName) -> None:
    """The first half of a rename in a catalog that cannot; then the process is killed."""
    reader: Any = self._reader(name.workspace)
    reader.ensureSchema(new_name.schema)
    location = self.existing_table(name).location
    self._session.sql(f"CALL lake.system.register_table('{new_name.schema}.{new_name.table}', '{location}')")
    raise Killed


class TestEveryKind:
    def test_heads_are_those_that_iceberg_has(self, open_again: OpenLake) -> None:
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t")
        backend = internals.open_lake(lake).backend
        t, v = (internals.table_name(lake, name) for name in ("t", "v"))
        seen = set()
        for value in range(3):
            lake.sql(f"INSERT INTO t VALUES ({value})")
            assert backend.location(t, "TABLE") == internals.session(lake).catalog.loaded_anew(t).location
            assert backend.locations() == {t: backend.location(t, "TABLE")}
            seen.add(backend.location(t, "TABLE"))
        assert len(seen) == 3
        assert list(backend.locations("VIEW")) == [v]
        assert backend.location(v, "TABLE") is backend.location(t, "VIEW") is None
        lake.sql("CREATE SCHEMA empty")
        assert {("lake", "empty"), (t.workspace, t.schema)} <= backend.schemas()

    def test_a_table_comes_back_as_it_was(self, open_again: OpenLake) -> None:
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
        before, location = table_uuid(lake, "t"), entries(lake)[internals.table_name(lake, "t")]
        lake.sql("DROP TABLE t")
        (dropped,) = dropped_entries(lake)
        assert entries(lake) == {dropped: location}
        lake.sql("CREATE TABLE t (b STRING); DROP TABLE t PURGE; UNDROP TABLE t")
        assert entries(lake) == {internals.table_name(lake, "t"): location}
        assert table_uuid(lake, "t") == before
        lake.sql("INSERT INTO t VALUES (3)")
        lake = open_again()
        assert lake.sql("SELECT a FROM t ORDER BY a").fetchall() == [(1,), (2,), (3,)]

    def test_a_dynamic_table_comes_back_and_is_refreshed(self, open_again: OpenLake) -> None:
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a, count(*) AS n FROM t GROUP BY a")
        refresh(lake, "d")
        lake.sql("DROP DYNAMIC TABLE d; UNDROP DYNAMIC TABLE d; INSERT INTO t VALUES (2)")
        assert refresh(lake, "d")["state"] == "SUCCEED"
        assert_exact(lake, "d", "SELECT a, count(*) AS n FROM t GROUP BY a")

    def test_a_name_that_is_taken(self, open_again: OpenLake) -> None:
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); DROP TABLE t; CREATE TABLE t (b INT)")
        with pytest.raises(errors.AlreadyExists):
            lake.sql("UNDROP TABLE t")
        assert len(history(lake)) == 1
        assert lake.sql("SELECT * FROM t").columns == ["b"]

    def test_a_dropped_table_is_vacuumed_with_its_files(self, open_again: OpenLake) -> None:
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        directory = Path(internals.iceberg_table(lake, "t").directory.removeprefix("file:"))
        lake.sql("DROP TABLE t PURGE")
        assert entries(lake) == {}
        assert not directory.exists()

    def test_a_table_with_two_entries_has_one_again(
        self, open_again: OpenLake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A process that is killed between the two halves of a move, on the way there and back."""
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        name, before = internals.table_name(lake, "t"), table_uuid(lake, "t")
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(TableCatalog, "rename", second_entry)
            killed_before(patch, TableCatalog, "remove_second_entry")
            lake.sql("DROP TABLE t")
        assert len(entries(lake)) == 2
        lake = open_again()
        (dropped,) = entries(lake)
        assert dropped.schema == DROPPED_SCHEMA
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(TableCatalog, "rename", second_entry)
            killed_before(patch, TableCatalog, "remove_second_entry")
            lake.sql("UNDROP TABLE t")
        assert len(entries(lake)) == 2
        lake = open_again()
        assert list(entries(lake)) == [name]
        assert history(lake) == []
        assert table_uuid(lake, "t") == before
        assert internals.store(lake).dropped.unfinished() == []
        assert lake.sql("SELECT a FROM t").fetchall() == [(1,)]

    def test_a_drop_that_fails_half_way_is_undone(
        self, open_again: OpenLake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(TableCatalog, "rename", second_entry)
            lake.sql("DROP TABLE t")
        assert list(entries(lake)) == [internals.table_name(lake, "t")]
        assert history(lake) == []
        lake.sql("DROP TABLE t; UNDROP TABLE t")
        assert lake.sql("SELECT a FROM t").fetchall() == [(1,)]

    def test_a_move_that_was_not_confirmed(
        self, open_again: OpenLake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake = open_again()
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        with monkeypatch.context() as patch, pytest.raises(Killed):
            killed_before(patch, DroppedObjects, "finish_drop")
            lake.sql("DROP TABLE t")
        lake = open_again()
        assert len(history(lake)) == 1
        lake.sql("UNDROP TABLE t")
        assert lake.sql("SELECT a FROM t").fetchall() == [(1,)]


def test_alter_rename_is_refused_where_the_catalog_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BACKENDS, "sqlite", WithoutRename)
    with headrace.connect(tmp_path / "lake") as lake:
        lake.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t")
        for statement in ("ALTER TABLE t RENAME TO u", "ALTER DYNAMIC TABLE d RENAME TO u"):
            with pytest.raises(errors.NotSupportedError, match="cannot be renamed") as caught:
                lake.sql(statement)
            assert caught.value.hint == "create a table with the new name, and drop this one"
        lake.sql("ALTER VIEW v RENAME TO w")
        assert lake.sql("SELECT * FROM w").columns == ["a"]
        assert sorted(lake.table_names()) == ["d", "t", "w"]


def test_views_are_refused_where_the_catalog_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BACKENDS, "sqlite", WithoutViews)
    with headrace.connect(tmp_path / "lake") as lake:
        for statement in ("CREATE VIEW v AS SELECT 1 AS a", "CREATE OR REPLACE VIEW v AS SELECT 1 AS a"):
            with pytest.raises(errors.NotSupportedError, match="does not support views"):
                lake.sql(statement)
        lake.sql("CREATE TEMPORARY VIEW v AS SELECT 1 AS a")
        assert lake.sql("SELECT * FROM v").fetchall() == [(1,)]
