"""What every connection does, whether Spark is in this process or behind a server.

Each kind of connection has these classes as its own, with a fixture ``lake`` in a schema of the test's own.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import headrace
from headrace.connection import Connection

from .endless import ENDLESS

AT_TEN = dt.datetime(2024, 6, 1, 10)  # noqa: DTZ001  (a time without a zone is the point)


def one(lake: Connection, expression: str, *parameters: Any) -> Any:
    """The single value of an expression."""
    ((value,),) = lake.sql(f"SELECT {expression}", parameters or None).fetchall()
    return value


class ConnectionCursor:
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
        assert cursor.execute("INSERT INTO t VALUES (1), (2), (3)").rowcount == 3

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


class ConnectionParameters:
    def test_many_values_keep_their_places(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE placed (a INT, b STRING, c INT, d STRING, e INT, f STRING)")
        values = [1, "b", 2, "d", 3, "f?"]
        lake.sql("INSERT INTO placed VALUES (?,?,?,?,?,?)", values)
        assert lake.sql(
            "SELECT * FROM placed WHERE a=? AND b=? AND c=? AND d=? AND e=? AND f=?", values
        ).fetchall() == [tuple(values)]
        with pytest.raises(headrace.ProgrammingError) as caught:
            lake.sql("SELECT ?, ?, ?, ?, ?, nosuch FROM placed", values[:5])
        assert caught.value.place is not None
        assert (caught.value.place.line, caught.value.place.column) == (1, 23)

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
            ("abc", "parameters must be a list, a tuple or a dict, not str"),
            (5, "parameters must be a list, a tuple or a dict, not int"),
        ],
    )
    def test_bad_ones(self, lake: Connection, parameters: Any, message: str) -> None:
        with pytest.raises(headrace.InterfaceError) as caught:
            lake.sql("SELECT ?", parameters)
        assert caught.value.message == message

    def test_too_many(self, lake: Connection) -> None:
        with pytest.raises(headrace.ProgrammingError) as caught:
            lake.sql("SELECT '?', ?", [1, 2])
        assert str(caught.value) == "the number of parameters is 2, but the number of placeholders is 1"

    def test_too_few(self, lake: Connection) -> None:
        with pytest.raises(headrace.ProgrammingError, match="a parameter has no value at line 1, column 11"):
            lake.sql("SELECT ?, ?", [1])

    def test_not_for_a_script(self, lake: Connection) -> None:
        with pytest.raises(
            headrace.InterfaceError, match="parameters can be used with a single statement only"
        ):
            lake.sql("SELECT ?; SELECT ?", [1])


class ConnectionResults:
    def test_in_every_form(self, lake: Connection) -> None:
        result = lake.sql("SELECT id AS n, 'x' AS s FROM range(3) ORDER BY id")
        assert (result.columns, result.types) == (["n", "s"], ["bigint", "string"])
        assert result.fetchall() == list(result) == [(0, "x"), (1, "x"), (2, "x")]
        assert len(result) == 3
        assert result.arrow().to_pydict() == {"n": [0, 1, 2], "s": ["x"] * 3}
        pd.testing.assert_frame_equal(result.df(), pd.DataFrame({"n": [0, 1, 2], "s": ["x"] * 3}))

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
        with pytest.raises(headrace.DataError, match="a value cannot be represented in Python"):
            result.fetchall()
        assert one(lake, "CAST(DATE '12024-06-01' AS STRING)") == "+12024-06-01"

    def test_rows_are_those_of_the_moment_of_the_query(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        plain, as_text = lake.sql("SELECT a FROM t"), lake.sql("SELECT CAST(a AS VARIANT) FROM t")
        lake.sql("INSERT INTO t VALUES (2)")
        assert (plain.fetchall(), as_text.fetchall()) == ([(1,)], [("1",)])


class ConnectionScripts:
    def test_the_last_result_counts(self, lake: Connection) -> None:
        script = "CREATE TABLE t (a INT); -- ';'\nINSERT INTO t VALUES (1), (2);\n\nSELECT sum(a) FROM t;\n"
        assert lake.sql(script).fetchall() == [(3,)]

    @pytest.mark.parametrize("nothing", ["", "  \n", ";;", "-- only a comment"])
    def test_without_a_statement(self, lake: Connection, nothing: str) -> None:
        with pytest.raises(headrace.InterfaceError, match="the text contains no statement"):
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


class ConnectionWhileItRuns:
    def test_cancelled_from_another_thread(self, lake: Connection) -> None:
        seen: list[str | None] = []

        def cancel_when_it_runs() -> None:
            for _ in range(600):
                seen.append(lake.progress())
                if seen[-1] is not None and "Spark tasks" in seen[-1]:
                    break
                time.sleep(0.1)
            lake.cancel()

        canceller = threading.Thread(target=cancel_when_it_runs)
        canceller.start()
        with pytest.raises(headrace.OperationalError) as caught:
            lake.sql(ENDLESS).fetchall()
        canceller.join()
        assert type(caught.value).__name__ == "Cancelled"
        assert str(seen[-1]).endswith("Spark tasks done")
        assert one(lake, "1") == 1
        assert lake.progress() is None

    def test_cancelling_nothing(self, lake: Connection) -> None:
        lake.cancel()
        assert one(lake, "2") == 2

    def test_statements_of_two_threads(self, lake: Connection) -> None:
        answers: dict[int, Any] = {}
        threads = [
            threading.Thread(target=lambda n=number: answers.update({n: one(lake, "?", n)}))
            for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == {number: number for number in range(4)}


class ConnectionState:
    def test_table_names(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 1 AS one")
        assert lake.table_names() == ["t", "v"]

    def test_workspace_and_schema_after_use(self, lake: Connection) -> None:
        before = lake.schema
        lake.sql(f"CREATE SCHEMA {before}_other; USE {before}_other")
        assert (lake.workspace, lake.schema) == ("lake", f"{before}_other")
        lake.sql("CREATE TABLE only_here (a INT)")
        assert lake.table_names() == ["only_here"]
        assert one(lake, "current_schema()") == f"{before}_other"

    def test_notices(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); CREATE DYNAMIC TABLE d AS SELECT a FROM t")
        assert lake.sql("REFRESH TABLE d").notices
        assert lake.sql("SELECT 1").notices == ()
        cursor = lake.cursor().execute("REFRESH TABLE d")
        assert cursor.notices == lake.sql("REFRESH TABLE d").notices
        assert cursor.execute("SELECT 1").notices == ()

    def test_settings_and_temporary_views_stay(self, lake: Connection) -> None:
        lake.sql("SET spark.sql.session.timeZone = Asia/Tokyo; CREATE TEMPORARY VIEW mine AS SELECT 7 AS a")
        assert one(lake, "current_timezone()") == "Asia/Tokyo"
        assert lake.sql("SELECT a FROM mine").fetchall() == [(7,)]

    def test_a_dynamic_table(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT sum(a) AS s FROM t; REFRESH DYNAMIC TABLE d")
        assert lake.sql("SELECT s FROM d").fetchall() == [(3,)]
        (row,) = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR d").df().to_dict("records")
        assert (row["state"], row["refresh_trigger"], row["name"]) == ("SUCCEED", "MANUAL", "d")

    def test_jobs(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
        ((job,),) = lake.sql(
            "SELECT job_id FROM information_schema.dynamic_table_refresh_history "
            f"WHERE schema_name = '{lake.schema}'"
        ).fetchall()
        jobs = lake.sql(f"SHOW JOBS WHERE job_id = '{job}'").df().to_dict("records")
        assert [(each["kind"], each["state"]) for each in jobs] == [("REFRESH", "SUCCEED")]
        facts = dict(lake.sql(f"DESC JOB '{job}'").fetchall())
        assert facts["refresh_mode"] == "FULL"
        assert facts["rows_written"] == "1"
        assert "phases" in facts
        with pytest.raises(headrace.ProgrammingError, match="job nosuch does not exist at line 1, column 10"):
            lake.sql("DESC JOB 'nosuch'")
        with pytest.raises(headrace.ProgrammingError, match="job nosuch does not exist at line 1, column 12"):
            lake.sql("CANCEL JOB 'nosuch'")

    def test_costs(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
        lake.sql("INSERT INTO t VALUES (2); REFRESH DYNAMIC TABLE d")
        costs = f"information_schema.dynamic_table_costs WHERE schema_name = '{lake.schema}'"
        (row,) = lake.sql(f"SELECT * FROM {costs}").df().to_dict("records")
        assert (row["name"], row["refreshes"], row["failed_refreshes"]) == ("d", 2, 0)
        assert row["cluster_seconds"] > 0
        assert row["rows_written"] == 2
        assert row["rows_read"] >= 2
        assert 0 < row["current_bytes"] <= row["bytes_with_old_versions"]
        assert row["bytes_written"] > 0
