"""The public API: PEP 249, results in every form, scripts, several connections and lakes."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import headrace
from headrace.catalog.heads import missing_metadata
from headrace.connection import Connection
from headrace.lake.directory import make_lake

OpenLake = Callable[..., Connection]
AT_TEN = dt.datetime(2024, 6, 1, 10)  # noqa: DTZ001  (a time without a zone is the point)


def one(lake: Connection, expression: str, *parameters: Any) -> Any:
    """The single value of an expression."""
    ((value,),) = lake.sql(f"SELECT {expression}", parameters or None).fetchall()
    return value


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


class TestCursor:
    NUMBERS = "SELECT id, CAST(id AS STRING) AS text FROM range(5) ORDER BY id"

    def test_description(self, lake: Connection) -> None:
        cursor = lake.cursor()
        assert cursor.description is None
        assert cursor.execute(self.NUMBERS) is cursor
        assert cursor.description == [
            ("id", "bigint", None, None, None, None, True),
            ("text", "string", None, None, None, None, True),
        ]
        cursor.execute("CREATE TABLE t (a INT)")
        assert cursor.description is None

    def test_rowcount(self, lake: Connection) -> None:
        cursor = lake.cursor()
        assert cursor.rowcount == -1
        assert cursor.execute(self.NUMBERS).rowcount == 5
        assert cursor.execute("SELECT 1 WHERE false").rowcount == 0
        assert cursor.execute("CREATE TABLE t (a INT)").rowcount == -1

    def test_fetching_in_turn(self, lake: Connection) -> None:
        cursor = lake.cursor().execute(self.NUMBERS)
        assert cursor.fetchone() == (0, "0")
        assert cursor.fetchmany() == [(1, "1")]
        assert cursor.fetchmany(0) == cursor.fetchmany(-3) == []
        cursor.arraysize = 2
        assert cursor.fetchmany() == [(2, "2"), (3, "3")]
        assert cursor.fetchall() == [(4, "4")]
        assert cursor.fetchone() is None
        assert cursor.fetchall() == cursor.fetchmany(9) == []

    def test_iteration(self, lake: Connection) -> None:
        cursor = lake.cursor().execute(self.NUMBERS)
        cursor.fetchone()
        assert [number for number, _ in cursor] == [1, 2, 3, 4]

    def test_fetching_without_rows(self, lake: Connection) -> None:
        cursor = lake.cursor()
        with pytest.raises(headrace.InterfaceError, match="there are no rows to fetch"):
            cursor.fetchone()
        cursor.execute("CREATE TABLE t (a INT)")
        with pytest.raises(headrace.InterfaceError, match="there are no rows to fetch"):
            cursor.fetchall()

    def test_a_failed_statement_leaves_no_old_rows(self, lake: Connection) -> None:
        cursor = lake.cursor().execute(self.NUMBERS)
        with pytest.raises(headrace.DataError):
            cursor.execute("SELECT 1/0")
        assert (cursor.description, cursor.rowcount) == (None, -1)

    def test_executemany(self, lake: Connection) -> None:
        cursor = lake.cursor().execute("CREATE TABLE t (a INT, b STRING)")
        cursor.executemany("INSERT INTO t VALUES (?, ?)", [(1, "x"), [2, None]])
        assert (cursor.description, cursor.rowcount) == (None, -1)
        assert sorted(cursor.execute("SELECT a, b FROM t").fetchall()) == [(1, "x"), (2, None)]

    def test_closed(self, lake: Connection) -> None:
        with lake.cursor() as cursor:
            cursor.execute(self.NUMBERS)
        cursor.close()
        for use in (
            lambda: cursor.execute("SELECT 1"),
            lambda: cursor.executemany("SELECT ?", []),
            cursor.fetchone,
            cursor.fetchall,
        ):
            with pytest.raises(headrace.InterfaceError, match="the cursor is closed"):
                use()

    def test_what_pep_249_lets_do_nothing(self, lake: Connection) -> None:
        cursor = lake.cursor()
        cursor.setinputsizes([1])
        cursor.setoutputsize(10, 1)


class TestConnection:
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
        with pytest.raises(headrace.NotSupportedError, match="each statement commits by itself"):
            lake.rollback()

    def test_names(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 1 AS one")
        assert lake.table_names() == ["t", "v"]
        assert (lake.workspace, lake.lake_path.name) == ("lake", "lake")


class TestParameters:
    @pytest.mark.parametrize(
        "value",
        [
            1,
            -(2**63),
            True,
            1.5,
            "it's ? :x",
            b"\x00\xff",
            None,
            Decimal("1.50"),
            dt.date(2024, 6, 1),
            dt.datetime(2024, 6, 1, 10, 0, 0, 123456, tzinfo=dt.UTC),
            dt.timedelta(days=1, microseconds=5),
            [1, 2],
            [["a"], ["b", "c"]],
        ],
    )
    def test_come_back_as_they_were(self, lake: Connection, value: Any) -> None:
        assert one(lake, "?", value) == value

    def test_kindred_values(self, lake: Connection) -> None:
        identifier = uuid.uuid4()
        assert one(lake, "?", identifier) == str(identifier)
        assert one(lake, "?", (1, 2)) == [1, 2]
        assert one(lake, "?", 2**70) == Decimal(2**70)
        assert one(lake, "?", bytearray(b"a")) == b"a"
        assert one(lake, "?", np.int64(5)) == 5
        assert one(lake, "?", np.float32(0.5)) == 0.5

    def test_by_name(self, lake: Connection) -> None:
        assert lake.sql("SELECT :a, :b, :a", {"a": 1, "b": "x"}).fetchall() == [(1, "x", 1)]

    def test_in_strings_and_comments_they_are_text(self, lake: Connection) -> None:
        assert lake.sql("SELECT '?', ':x' -- ?\n", []).fetchall() == [("?", ":x")]

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ([object()], "a value of type object cannot be a parameter"),
            ([{"a": 1}], "a value of type dict cannot be a parameter"),
            ([[]], "an empty list cannot be a parameter"),
            ([[1, None]], "a list with None in it cannot be a parameter"),
            ([10**38], "a number of more than 38 digits cannot be a parameter"),
            ("abc", "parameters come as a list, a tuple or a dict, not as str"),
            (5, "parameters come as a list, a tuple or a dict, not as int"),
        ],
    )
    def test_bad_ones(self, lake: Connection, parameters: Any, message: str) -> None:
        with pytest.raises(headrace.InterfaceError) as caught:
            lake.sql("SELECT ?", parameters)
        assert caught.value.message == message

    def test_too_many(self, lake: Connection) -> None:
        with pytest.raises(headrace.ProgrammingError) as caught:
            lake.sql("SELECT '?', ?", [1, 2])
        assert str(caught.value) == "2 parameters were given, and the statement has 1 places for them"

    def test_too_few(self, lake: Connection) -> None:
        with pytest.raises(headrace.ProgrammingError, match="a parameter has no value at line 1, column 11"):
            lake.sql("SELECT ?, ?", [1])

    def test_not_for_a_script(self, lake: Connection) -> None:
        with pytest.raises(headrace.InterfaceError, match="parameters go with a single statement"):
            lake.sql("SELECT ?; SELECT ?", [1])


class TestResult:
    def test_in_every_form(self, lake: Connection) -> None:
        result = lake.sql("SELECT id AS n, 'x' AS s FROM range(3) ORDER BY id")
        assert (result.columns, result.types) == (["n", "s"], ["bigint", "string"])
        assert result.fetchall() == list(result) == [(0, "x"), (1, "x"), (2, "x")]
        assert len(result) == 3
        assert result.arrow().to_pydict() == {"n": [0, 1, 2], "s": ["x"] * 3}
        pd.testing.assert_frame_equal(result.df(), pd.DataFrame({"n": [0, 1, 2], "s": ["x"] * 3}))
        assert result.spark().selectExpr("sum(n)").collect()[0][0] == 3

    def test_as_a_table(self, lake: Connection) -> None:
        result = lake.sql("SELECT 1 AS a, NULL AS b")
        assert (
            str(result)
            == repr(result)
            == ("+---+------+\n| a | b    |\n+---+------+\n| 1 | null |\n+---+------+")
        )
        assert str(lake.sql("CREATE TABLE t (a INT)")) == "ok"

    def test_without_rows(self, lake: Connection) -> None:
        result = lake.sql("SELECT 1 AS a, 'x' AS b WHERE false")
        assert (result.columns, result.fetchall(), len(result)) == (["a", "b"], [], 0)
        assert list(result.df().columns) == ["a", "b"]
        assert result.arrow().schema.names == ["a", "b"]

    def test_of_a_command(self, lake: Connection) -> None:
        result = lake.sql("CREATE TABLE t (a INT)")
        assert (result.columns, result.types, result.fetchall(), len(result)) == ([], [], [], 0)
        assert result.arrow() == pa.table({})

    def test_columns_of_the_same_name(self, lake: Connection) -> None:
        result = lake.sql("SELECT 1 AS a, 2 AS a, map('k', 3) AS a, parse_json('4') AS a")
        assert result.columns == ["a"] * 4
        assert result.fetchall() == [(1, 2, {"k": 3}, "4")]
        assert list(result.df().columns) == ["a"] * 4

    @pytest.mark.parametrize(
        ("expression", "value"),
        [
            ("CAST(1.5 AS DECIMAL(38,18))", Decimal("1.500000000000000000")),
            ("map('a', array(1, NULL))", {"a": [1, None]}),
            ("map(array(1), 2)", [([1], 2)]),
            ("map(named_struct('x', 1), 2)", [({"x": 1}, 2)]),
            ("array(map('a', 1), NULL)", [{"a": 1}, None]),
            ("named_struct('x', 1, 'y', named_struct('z', 'a'))", {"x": 1, "y": {"z": "a"}}),
            ("struct(1 AS a, 2 AS a)", "{1, 2}"),
            ("array()", "[]"),
            ("X'0AFF'", b"\n\xff"),
            ("DATE '2024-06-01'", dt.date(2024, 6, 1)),
            ("TIMESTAMP_NTZ '2024-06-01 10:00:00'", AT_TEN),
            ("TIMESTAMP '2024-06-01 10:00:00.000001'", dt.datetime(2024, 6, 1, 10, 0, 0, 1, dt.UTC)),
            ("INTERVAL '1 02:03:04.5' DAY TO SECOND", dt.timedelta(1, 7384, 500000)),
            ("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"),
            ("named_struct('i', INTERVAL 1 MONTH)", "{INTERVAL '1' MONTH}"),
            ("parse_json('{\"a\": [1, null]}')", '{"a":[1,null]}'),
            ("array(parse_json('1'))", "[1]"),
            ("double('-inf')", float("-inf")),
            ("CAST(NULL AS MAP<STRING, INT>)", None),
        ],
    )
    def test_values(self, lake: Connection, expression: str, value: Any) -> None:
        assert one(lake, expression) == value

    def test_a_date_that_python_does_not_have(self, lake: Connection) -> None:
        result = lake.sql("SELECT DATE '12024-06-01' AS d")
        with pytest.raises(headrace.DataError, match="a value has no counterpart in Python"):
            result.fetchall()
        assert one(lake, "CAST(DATE '12024-06-01' AS STRING)") == "+12024-06-01"

    def test_statements_of_headrace_are_no_dataframes(self, lake: Connection) -> None:
        with pytest.raises(headrace.NotSupportedError) as caught:
            lake.sql("SHOW TABLES").spark()
        assert caught.value.hint == "use .df() or .arrow()"

    def test_rows_are_those_of_the_moment_of_the_query(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        plain, as_text = lake.sql("SELECT a FROM t"), lake.sql("SELECT CAST(a AS VARIANT) FROM t")
        lake.sql("INSERT INTO t VALUES (2)")
        assert (plain.fetchall(), as_text.fetchall()) == ([(1,)], [("1",)])


class TestScripts:
    def test_the_last_result_counts(self, lake: Connection) -> None:
        script = "CREATE TABLE t (a INT); -- ';'\nINSERT INTO t VALUES (1), (2);\n\nSELECT sum(a) FROM t;\n"
        assert lake.sql(script).fetchall() == [(3,)]

    @pytest.mark.parametrize("nothing", ["", "  \n", ";;", "-- only a comment"])
    def test_without_a_statement(self, lake: Connection, nothing: str) -> None:
        with pytest.raises(headrace.InterfaceError, match="there is no statement in the text"):
            lake.sql(nothing)

    @pytest.mark.parametrize(
        ("script", "place"),
        [
            (
                "SELECT 1;\n  SELECT nosuch;\nSELECT 2",
                "line 2, column 10\n    SELECT nosuch;\n           ^^^^^^",
            ),
            ("SELECT 1;\nSELECT 1/0;\nSELECT 2", "line 2, column 8\n  SELECT 1/0;\n         ^^^"),
            ("SELECT 1;\nSELECT 1/0", "line 2, column 8\n  SELECT 1/0\n         ^^^"),
            ("SELECT 1;\nCREATE DYNAMIC TABLE d AS\nSELECT nosuch", "line 3, column 8"),
            ("SELECT 1;\n\nREFRESH DYNAMIC TABLE nosuch", "line 3, column 23"),
        ],
    )
    def test_errors_point_into_the_script(self, lake: Connection, script: str, place: str) -> None:
        with pytest.raises(headrace.Error) as caught:
            lake.sql(script).fetchall()
        assert f" at {place}" in str(caught.value)

    def test_what_ran_before_the_error_stays(self, lake: Connection) -> None:
        with pytest.raises(headrace.DataError):
            lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1); SELECT 1/0; INSERT INTO t VALUES (2)")
        assert lake.sql("SELECT a FROM t").fetchall() == [(1,)]


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
    assert missing_metadata(path / "catalog.db") == (1, [])
