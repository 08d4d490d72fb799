"""The public API: PEP 249, results in every form, scripts, several connections and lakes."""

from __future__ import annotations

import datetime as dt
import getpass
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace
from headrace.commands.databases import open_catalog
from headrace.connection import Connection
from headrace.lake.directory import existing_lake, make_lake
from headrace.lake.table.metadata_files import missing_files

from .connection_conformance import (
    AT_TEN,
    ConnectionCursor,
    ConnectionParameters,
    ConnectionResults,
    ConnectionScripts,
    ConnectionState,
    ConnectionWhileItRuns,
    one,
)

OpenLake = Callable[..., Connection]


class TestModule:
    def test_globals(self) -> None:
        assert (headrace.apilevel, headrace.threadsafety, headrace.paramstyle) == ("2.0", 2, "qmark")

    def test_exceptions_are_a_tree(self) -> None:
        assert issubclass(headrace.InterfaceError, headrace.Error)
        assert issubclass(headrace.DatabaseError, headrace.Error)
        for name in ("Data", "Operational", "Integrity", "Internal", "Programming", "NotSupported"):
            assert issubclass(getattr(headrace, f"{name}Error"), headrace.DatabaseError)
        assert issubclass(headrace.Warning, Exception)
        assert not issubclass(headrace.Warning, headrace.Error)

    def test_exceptions_are_attributes_of_a_connection(self, lake: Connection) -> None:
        names = [name for name in headrace.__all__ if name.endswith(("Error", "Warning"))]
        assert len(names) == 10
        for name in names:
            assert getattr(lake, name) is getattr(headrace, name)

    def test_what_is_not_there(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            headrace.nonsense  # noqa: B018


class TestConnection:
    def test_the_current_user_is_that_of_the_operating_system(self, lake: Connection) -> None:
        (users,) = lake.sql("SELECT current_user(), user(), session_user()").fetchall()
        assert set(users) == {getpass.getuser()}

    def test_closed(self, lake: Connection) -> None:
        second = headrace.connect(lake.lake_path)
        cursor = second.cursor().execute("SELECT 1")
        second.close()
        second.close()
        for use in (
            lambda: second.sql("SELECT 1"),
            second.cursor,
            second.commit,
            second.cancel,
            lambda: cursor.execute("SELECT 1"),
            cursor.fetchone,
        ):
            with pytest.raises(headrace.InterfaceError, match="the connection is closed"):
                use()
        assert one(lake, "1") == 1

    def test_transactions_are_statements(self, lake: Connection) -> None:
        lake.commit()
        with pytest.raises(headrace.NotSupportedError, match="each statement is committed automatically"):
            lake.rollback()

    def test_names(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 1 AS one")
        assert lake.table_names() == ["t", "v"]
        assert (lake.workspace, lake.lake_path.name) == ("lake", "lake")


class TestCursor(ConnectionCursor):
    pass


class TestParameters(ConnectionParameters):
    pass


class TestScripts(ConnectionScripts):
    pass


class TestWhileItRuns(ConnectionWhileItRuns):
    pass


class TestState(ConnectionState):
    pass


class TestResults(ConnectionResults):
    def test_as_a_dataframe(self, lake: Connection) -> None:
        assert lake.sql("SELECT id AS n FROM range(3)").spark().selectExpr("sum(n)").collect()[0][0] == 3

    def test_statements_of_headrace_are_no_dataframes(self, lake: Connection) -> None:
        with pytest.raises(headrace.NotSupportedError) as caught:
            lake.sql("SHOW TABLES").spark()
        assert caught.value.hint == "use .df() or .arrow()"


class TestTimeZone:
    @pytest.fixture
    def shanghai(self, tmp_path: Path, new_lake: OpenLake) -> Connection:
        marker = make_lake(tmp_path / "lake").path / "lake.toml"
        marker.write_text(marker.read_text().replace('"UTC"', '"Asia/Shanghai"'))
        return new_lake()

    def test_times_are_shown_in_it(self, shanghai: Connection) -> None:
        result = shanghai.sql("SELECT TIMESTAMP '2024-06-01 02:00:00Z' AS t, array(map('k', struct(t))) AS n")
        ((moment, nested),) = result.fetchall()
        assert nested[0]["k"]["t"].utcoffset() == dt.timedelta(hours=8)
        assert moment == dt.datetime(2024, 6, 1, 2, tzinfo=dt.UTC)
        assert moment.utcoffset() == dt.timedelta(hours=8)
        assert "| 2024-06-01 10:00:00 |" in str(result)
        assert str(result.df()["t"].dt.tz) == "Asia/Shanghai"

    def test_parameters_without_a_zone_are_of_it(self, shanghai: Connection) -> None:
        assert one(shanghai, "CAST(? AS STRING)", AT_TEN) == "2024-06-01 10:00:00"
        aware = dt.datetime(2024, 6, 1, 2, tzinfo=dt.UTC)
        assert one(shanghai, "CAST(? AS STRING)", aware) == "2024-06-01 10:00:00"

    def test_history_is_in_it(self, shanghai: Connection) -> None:
        shanghai.sql("CREATE TABLE t (a INT); CREATE DYNAMIC TABLE d AS SELECT a FROM t")
        before = dt.datetime.now(dt.UTC)
        shanghai.sql("REFRESH DYNAMIC TABLE d")
        history = "information_schema.dynamic_table_refresh_history"
        query = f"SELECT start_time, CAST(start_time AS STRING) FROM {history}"
        ((start, text),) = shanghai.sql(query).fetchall()
        assert before - dt.timedelta(seconds=1) <= start <= dt.datetime.now(dt.UTC)
        assert text.startswith(start.astimezone(dt.timezone(dt.timedelta(hours=8))).strftime("%F %T"))


class TestSeveral:
    def test_connections_to_one_lake(self, new_lake: OpenLake) -> None:
        first, second = new_lake(), new_lake()
        first.sql("CREATE SCHEMA other; USE other; CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        assert (first.schema, second.schema) == ("other", "public")
        assert second.sql("SELECT a FROM other.t").fetchall() == [(1,)]
        first.sql("SET spark.sql.session.timeZone = Asia/Tokyo; CREATE TEMPORARY VIEW mine AS SELECT 1 AS a")
        assert one(second, "current_timezone()") == "UTC"
        with pytest.raises(headrace.ProgrammingError):
            second.sql("SELECT * FROM mine")
        first.close()
        assert second.sql("SELECT a FROM other.t").fetchall() == [(1,)]

    def test_lakes(self, new_lake: OpenLake) -> None:
        one_lake, another = new_lake("one"), new_lake("another")
        for number, lake in enumerate((one_lake, another), 1):
            lake.sql(f"CREATE TABLE t (a INT); INSERT INTO t VALUES ({number})")
            lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
        assert one_lake.sql("SELECT a FROM d").fetchall() == [(1,)]
        assert another.sql("SELECT a FROM d").fetchall() == [(2,)]
        assert len(another.sql("SHOW DYNAMIC TABLE REFRESH HISTORY")) == 1

    def test_a_lake_opens_again_after_it_was_closed(self, new_lake: OpenLake) -> None:
        with new_lake() as first:
            first.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        assert new_lake().sql("SELECT a FROM t").fetchall() == [(1,)]

    def test_a_path_with_odd_characters(self, new_lake: OpenLake) -> None:
        lake = new_lake("what? #1 & 100%41 'ü'")
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        lake.sql("REFRESH DYNAMIC TABLE d")
        assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]
        assert (lake.lake_path / "catalog.db").stat().st_size > 0


def test_a_closed_lake_has_its_catalog_in_one_file(new_lake: OpenLake) -> None:
    with new_lake() as lake:
        lake.sql("CREATE TABLE t (id INT)")
        path = lake.lake_path
    log = path / "catalog.db-wal"
    assert not log.exists() or log.stat().st_size == 0
    backend = open_catalog(existing_lake(path), read_only=True)
    found = backend.locations() | backend.locations("VIEW")
    backend.close()
    assert (len(found), missing_files(found)) == (1, [])
