"""SHOW TABLES, SHOW DYNAMIC TABLES, the refresh history and information_schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from headrace.commands.show import like
from headrace.connection import Connection
from headrace.errors import Error, NotFound, RefreshFailed
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.model.dynamic_table import RequestedMode
from headrace.model.history import Refresh, RefreshMode, RefreshState, RefreshTrigger
from headrace.model.names import TableName
from headrace.refresh.record import REFRESH_ID
from headrace.views.dynamic_tables import advice
from tests import internals

from .described import described

SETUP = """
CREATE TABLE orders (id INT, product STRING);
INSERT INTO orders VALUES (1, '1'), (2, '2');
CREATE TABLE order_lines (id INT);
CREATE VIEW big_orders AS SELECT * FROM orders WHERE id > 1;
CREATE DYNAMIC TABLE copy AS SELECT * FROM orders;
CREATE DYNAMIC TABLE numbers REFRESH INTERVAL 5 MINUTE VCLUSTER default_ap REFRESH_MODE = FULL
  AS SELECT CAST(product AS INT) AS n FROM orders
"""
HISTORY = "information_schema.dynamic_table_refresh_history"


def test_tables(lake: Connection) -> None:
    lake.sql(SETUP)
    here = lake.schema
    shown = lake.sql("SHOW TABLES")
    assert shown.columns == [
        "schema_name",
        "table_name",
        "is_view",
        "is_materialized_view",
        "is_external",
        "is_dynamic",
    ]
    assert shown.fetchall() == [
        (here, "big_orders", True, False, False, False),
        (here, "copy", False, False, False, True),
        (here, "numbers", False, False, False, True),
        (here, "order_lines", False, False, False, False),
        (here, "orders", False, False, False, False),
    ]

    def names(rest: str, parameters: object = None) -> list[str]:
        return [row[1] for row in lake.sql(f"SHOW TABLES {rest}", parameters).fetchall()]  # type: ignore[arg-type]

    assert names("LIKE 'order%'") == ["order_lines", "orders"]
    assert names("LIKE 'ORDER*'") == ["order_lines", "orders"]
    assert names("'copy|numbers'") == ["copy", "numbers"]
    assert names("WHERE is_dynamic") == ["copy", "numbers"]
    assert names("LIKE '%o%' WHERE NOT is_dynamic AND length(table_name) > 6 LIMIT 1") == ["big_orders"]
    assert names("LIMIT 0") == []
    assert names("LIMIT 2") == ["big_orders", "copy"]
    assert names("WHERE table_name = ? OR table_name = ?", ["copy", "orders"]) == ["copy", "orders"]
    assert names("WHERE table_name = :name", {"name": "copy"}) == ["copy"]
    lake.sql("USE public")
    assert names(f"IN {here} LIKE 'copy'") == ["copy"]
    assert names(f"FROM lake.{here} WHERE is_view") == ["big_orders"]
    lake.sql("USE spark_catalog")
    with pytest.raises(NotFound, match="workspace spark_catalog does not exist"):
        lake.sql("SHOW TABLES")
    assert names(f"IN lake.{here} LIKE 'copy'") == ["copy"]


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        (None, "a", True),
        ("a%", "abc", True),
        ("a_c%", "abc", True),
        ("A%", "abc", True),
        ("%.%", "a.b", True),
        ("a.c%", "abc", False),
        ("*b*", "abc", True),
        ("x|a*", "abc", True),
        ("a", "abc", False),
        ("a_c", "abc", False),
        ("", "abc", False),
    ],
)
def test_patterns(pattern: str | None, name: str, matches: bool) -> None:
    assert like(name, pattern) is matches


def test_dynamic_tables(lake: Connection) -> None:
    lake.sql(SETUP)

    def row(name: str) -> dict[str, object]:
        shown = lake.sql(f"SHOW DYNAMIC TABLES IN {lake.schema} LIKE '{name}'")
        (values,) = shown.fetchall()
        return dict(zip(shown.columns, values, strict=True))

    fresh = row("numbers")
    lag = fresh.pop("lag")
    assert timedelta(0) < lag < timedelta(minutes=5)  # type: ignore[operator]
    assert fresh == {
        "schema_name": lake.schema,
        "name": "numbers",
        "refresh_interval": timedelta(minutes=5),
        "virtual_cluster": "DEFAULT_AP",
        "refresh_mode": "FULL",
        "state": "never refreshed",
        "last_refresh_time": None,
        "last_refresh_mode": None,
        "last_refresh_duration": None,
        "rows": 0,
        "advice": None,
        "reason": "no refresh has succeeded yet",
        "consecutive_failures": 0,
        "last_success_time": None,
    }
    assert list(fresh)[-4:] == ["advice", "reason", "consecutive_failures", "last_success_time"]
    lake.sql("REFRESH DYNAMIC TABLE numbers; REFRESH DYNAMIC TABLE numbers")
    seen = row("numbers")
    assert (seen["state"], seen["rows"], seen["lag"], seen["last_refresh_mode"]) == (
        "active",
        2,
        timedelta(0),
        "NO_DATA",
    )
    lake.sql("INSERT INTO orders VALUES (3, 'three')")
    with pytest.raises(RefreshFailed):
        lake.sql("REFRESH DYNAMIC TABLE numbers")
    behind = row("numbers")
    assert behind["lag"] > timedelta(0)  # type: ignore[operator]
    for kept in ("rows", "last_refresh_time", "last_refresh_mode", "last_refresh_duration"):
        assert behind[kept] == seen[kept]
    assert (behind["state"], behind["consecutive_failures"]) == ("failing", 1)
    assert "three" in str(behind["reason"])
    assert behind["last_success_time"] == seen["last_success_time"] == seen["last_refresh_time"]
    assert [
        r[1] for r in lake.sql(f"SHOW DYNAMIC TABLES IN lake.{lake.schema} WHERE rows = 0").fetchall()
    ] == ["copy"]
    assert len(lake.sql("SHOW DYNAMIC TABLES WHERE lag > INTERVAL 1 HOUR")) == 0
    lake.sql("DROP DYNAMIC TABLE numbers; CREATE DYNAMIC TABLE numbers AS SELECT 1 AS n")
    assert row("numbers")["last_refresh_time"] is None


CHAIN = """
CREATE TABLE t (id INT, name STRING);
INSERT INTO t VALUES (1, 'one');
CREATE VIEW seen AS SELECT id, name FROM t;
CREATE DYNAMIC TABLE first AS SELECT id, name FROM seen;
CREATE VIEW again AS SELECT id FROM first;
CREATE DYNAMIC TABLE second AS SELECT id FROM again;
REFRESH DYNAMIC TABLE first;
REFRESH DYNAMIC TABLE second
"""


def test_states_and_lags_of_a_chain_through_views(lake: Connection) -> None:
    lake.sql(CHAIN)

    def state(name: str) -> tuple[str, str | None]:
        shown = lake.sql(f"SHOW DYNAMIC TABLES IN {lake.schema} LIKE '{name}'").df().iloc[0]
        return shown["state"], shown["reason"]

    def behind() -> list[str]:
        shown = lake.sql(f"SHOW DYNAMIC TABLES IN {lake.schema} WHERE lag > INTERVAL 0 SECOND")
        return [row[1] for row in shown.fetchall()]

    assert behind() == []
    lake.sql("INSERT INTO t VALUES (2, 'two')")
    assert behind() == ["first", "second"]
    lake.sql("REFRESH DYNAMIC TABLE second")
    assert behind() == ["first", "second"]
    lake.sql("REFRESH DYNAMIC TABLE first")
    assert behind() == ["second"]
    lake.sql("REFRESH DYNAMIC TABLE second")
    assert behind() == []
    replaced = "CREATE OR REPLACE DYNAMIC TABLE first AS SELECT id, name FROM seen WHERE id > 0"
    lake.sql(replaced)
    assert state("first")[0] == described(lake, "first")["state"] == "waiting for data"
    lake.sql("DROP TABLE t")
    gone = f"lake.{lake.schema}.t does not exist"
    assert state("first") == ("waiting for a source", gone)
    assert described(lake, "first")["state_reason"] == gone
    assert state("second") == (
        "active",
        f"its source lake.{lake.schema}.first is waiting for a source",
    )
    lake.sql("UNDROP TABLE t; REFRESH DYNAMIC TABLE first FULL")
    assert state("first") == ("active", None)


def test_files_and_the_jvm_tell_the_same_history(lake: Connection) -> None:
    lake.sql(CHAIN)
    lake.sql("INSERT INTO t VALUES (2, 'two'); ALTER TABLE t ADD COLUMN more INT; OPTIMIZE t")
    oldest = lake.sql("DESC HISTORY first").df()["version"].iloc[-1]
    lake.sql(f"REFRESH DYNAMIC TABLE first; RESTORE TABLE first TO VERSION AS OF {oldest}")
    for name in ("t", "first", "second"):
        table = internals.session(lake).catalog.existing_table(TableName("lake", lake.schema, name))
        by_jvm, by_file = table.history(REFRESH_ID), MetadataFiles().history(table.location, REFRESH_ID)
        assert by_file is not None
        own = {
            each: {key: value for key, value in summary.items() if key.startswith("headrace.")}
            for each, summary in by_jvm.bookkeeping.items()
        }
        assert replace(by_jvm, bookkeeping=own) == by_file


NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def refresh(seconds: int, mode: RefreshMode = RefreshMode.FULL) -> Refresh:
    return Refresh(
        job_id="j",
        table_id="t",
        table=TableName("lake", "public", "t"),
        cluster="default",
        start_time=NOON,
        end_time=NOON + timedelta(seconds=seconds),
        state=RefreshState.SUCCEED,
        trigger=RefreshTrigger.MANUAL,
        sources=(),
        mode=mode,
    )


@pytest.mark.parametrize(
    ("interval", "past", "said"),
    [
        (None, [refresh(1000)], None),
        (60, [], None),
        (60, [refresh(30)], None),
        (
            60,
            [refresh(40)],
            "the last refresh took 40 s, and the interval is 60 s: increase the interval to 60-80 s",
        ),
        (
            60,
            [refresh(1, RefreshMode.NO_DATA), refresh(90)],
            "the last refresh took 90 s, and the interval is 60 s",
        ),
        (60, [refresh(10), refresh(90)], None),
    ],
)
def test_advice(interval: int | None, past: list[Refresh], said: str | None) -> None:
    given = advice(RequestedMode.AUTO, interval, past)
    assert given is None if said is None else given is not None and given.startswith(said)


def test_advice_where_full_has_become_the_rule() -> None:
    past = [refresh(1), refresh(1, RefreshMode.NO_DATA), refresh(1), refresh(1)]
    given = advice(RequestedMode.AUTO, None, past)
    assert given is not None
    assert given.startswith("the last 3 refreshes were FULL: ")
    assert advice(RequestedMode.FULL, None, past) is None
    assert advice(RequestedMode.AUTO, None, past[:3]) is None
    assert advice(RequestedMode.AUTO, None, [refresh(1, RefreshMode.INCREMENTAL), *past]) is None


def test_an_unreadable_table_does_not_hide_the_others(new_lake: Callable[..., Connection]) -> None:
    with new_lake() as lake:
        lake.sql("CREATE DYNAMIC TABLE lost AS SELECT 1 AS n; CREATE DYNAMIC TABLE kept AS SELECT 1 AS n")
        path = lake.lake_path
    (metadata,) = path.glob("warehouse/public/lost-*/metadata/*.metadata.json")
    metadata.unlink()
    with new_lake() as lake:
        shown = lake.sql("SHOW DYNAMIC TABLES").df().set_index("name")
    assert shown["state"].to_dict() == {"lost": "unreadable", "kept": "never refreshed"}
    assert shown["advice"]["lost"].startswith("a file is missing: ")


@pytest.fixture
def refreshed(lake: Connection) -> Connection:
    """Three refreshes: one of copy, two of numbers, the last one failed."""
    lake.sql(SETUP)
    lake.sql(
        "REFRESH DYNAMIC TABLE copy; REFRESH DYNAMIC TABLE numbers; INSERT INTO orders VALUES (3, 'three')"
    )
    with pytest.raises(RefreshFailed):
        lake.sql("REFRESH DYNAMIC TABLE numbers")
    return lake


def test_refresh_history(refreshed: Connection) -> None:
    lake = refreshed
    everything = f"SHOW DYNAMIC TABLE REFRESH HISTORY WHERE schema_name = '{lake.schema}'"

    def rows(statement: str, parameters: object = None) -> list[tuple[str, str]]:
        frame = lake.sql(statement, parameters).df()  # type: ignore[arg-type]
        return list(zip(frame["name"], frame["state"], strict=True))

    newest_first = [("numbers", "FAILED"), ("numbers", "SUCCEED"), ("copy", "SUCCEED")]
    assert rows(everything) == newest_first
    assert rows(f"{everything} LIMIT 1") == newest_first[:1]
    assert rows("SHOW DYNAMIC TABLE REFRESH HISTORY FOR numbers") == newest_first[:2]
    assert rows(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR lake.{lake.schema}.copy LIMIT 5") == newest_first[2:]
    assert rows("SHOW DYNAMIC TABLE REFRESH HISTORY FOR numbers WHERE duration > INTERVAL 1 HOUR") == []
    took = "duration BETWEEN INTERVAL 0 SECOND AND INTERVAL '10' MINUTE"
    assert rows(f"{everything} AND {took} AND name = 'copy'") == newest_first[2:]
    assert (
        rows(f"{everything} AND start_time > now() - INTERVAL 1 HOUR AND state = ?", ["FAILED"])
        == newest_first[:1]
    )
    assert rows(f"{everything} AND refresh_mode = :mode LIMIT 2", {"mode": "FULL"}) == newest_first[:2]

    frame = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR numbers LIMIT 1").df()
    (failed,) = frame.to_dict("records")
    assert "'three' cannot be converted to int" in failed["error_message"]
    assert (failed["refresh_mode"], failed["stats"], failed["virtual_cluster"]) == (
        "FULL",
        None,
        "DEFAULT_AP",
    )

    lake.sql("DROP DYNAMIC TABLE numbers")
    assert rows("SHOW DYNAMIC TABLE REFRESH HISTORY FOR numbers") == newest_first[:2]


def test_history_as_a_table(refreshed: Connection) -> None:
    lake = refreshed
    mine = f"schema_name = '{lake.schema}'"

    def first_column(query: str, parameters: object = None) -> list[object]:
        return [row[0] for row in lake.sql(query, parameters).fetchall()]  # type: ignore[arg-type]

    assert first_column(f"SELECT count(*) FROM {HISTORY} WHERE {mine}") == [3]
    assert first_column(f"SELECT count(*) FROM lake.{HISTORY} WHERE {mine} AND state = 'FAILED'") == [1]
    assert first_column(f"SELECT h.name FROM {HISTORY} h WHERE h.{mine} GROUP BY ALL ORDER BY 1") == [
        "copy",
        "numbers",
    ]
    assert first_column(
        f"SELECT dynamic_table_refresh_history.state FROM {HISTORY.upper()} WHERE {mine} AND name = ?",
        ["copy"],
    ) == ["SUCCEED"]
    joined = f"SELECT a.job_id FROM {HISTORY} a JOIN {HISTORY} AS b USING (job_id) WHERE a.{mine}"
    assert len(first_column(joined)) == 3
    cte = f"WITH h AS (SELECT * FROM {HISTORY} WHERE {mine}) SELECT max(duration) < INTERVAL 1 HOUR FROM h"
    assert first_column(cte) == [True]
    within = f"SELECT id FROM orders WHERE id = (SELECT count(*) FROM {HISTORY} WHERE {mine})"
    assert first_column(within) == [3]
    lake.sql(f"CREATE TABLE audit AS SELECT name, state FROM {HISTORY} WHERE {mine}")
    lake.sql(f"INSERT INTO audit SELECT name, state FROM {HISTORY} h WHERE h.{mine}")
    assert first_column("SELECT count(*) FROM audit") == [6]
    shown = lake.sql(f"SELECT * FROM {HISTORY} WHERE {mine} ORDER BY start_time DESC, job_id DESC")
    listed = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY WHERE {mine}")
    assert shown.columns == listed.columns
    assert shown.fetchall() == listed.fetchall()


def test_job_profiles_as_a_table(refreshed: Connection) -> None:
    profiles = "information_schema.dynamic_table_job_profiles"
    reads = refreshed.sql(
        f"SELECT h.name, r.table, r.rows, r.files FROM {HISTORY} h JOIN {profiles} p ON p.job_id = h.job_id "
        f"LATERAL VIEW explode(p.reads) AS r WHERE h.schema_name = '{refreshed.schema}'"
    ).fetchall()
    assert reads
    assert all(rows > 0 and files > 0 for _, _, rows, files in reads)
    shown = refreshed.sql(
        f"SELECT size(phases) > 2, size(statements) > 0, query_tag "
        f"FROM {profiles} JOIN {HISTORY} USING (job_id)"
        f" WHERE schema_name = '{refreshed.schema}' AND state = 'SUCCEED' AND refresh_mode <> 'NO_DATA'"
    ).fetchall()
    assert shown
    assert set(shown) == {(True, True, None)}


def test_places_in_queries_of_the_history(lake: Connection) -> None:
    query = f"SELECT h.state,\n  count(*) FROM lake.{HISTORY} AS h, {HISTORY}\nWHERE h.nope = 1"
    with pytest.raises(Error) as caught:
        lake.sql(query)
    assert caught.value.message == "column h.nope does not exist"
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (3, 7)

    same_line = f"SELECT 1 FROM lake.{HISTORY} AS h, {HISTORY} WHERE h.nope = 1"
    with pytest.raises(Error) as caught:
        lake.sql(same_line)
    assert caught.value.place is not None
    assert caught.value.place.column == same_line.index("h.nope") + 1


def test_information_schema_lists_what_there_is(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql("REFRESH DYNAMIC TABLE copy; COMMENT ON TABLE orders IS 'all of them'")
    lake.sql("CREATE TABLE STREAM news ON TABLE orders COMMENT 'what is new'")
    here = f"table_schema = '{lake.schema}'"
    shown = lake.sql(
        "SELECT table_catalog, table_name, table_type, comment, row_count, bytes > 0, "
        f"last_altered IS NOT NULL FROM information_schema.tables WHERE {here} ORDER BY table_name"
    )
    assert shown.fetchall() == [
        ("lake", "big_orders", "VIEW", None, None, None, False),
        ("lake", "copy", "DYNAMIC TABLE", None, 2, True, True),
        ("lake", "news", "TABLE STREAM", "what is new", None, None, False),
        ("lake", "numbers", "DYNAMIC TABLE", None, 0, False, False),
        ("lake", "order_lines", "BASE TABLE", None, 0, False, False),
        ("lake", "orders", "BASE TABLE", "all of them", 2, True, True),
    ]


def test_information_schema_lists_columns(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (id BIGINT NOT NULL COMMENT 'the key', parts STRUCT<a: INT, b: DECIMAL(10,2)>)")
    lake.sql("CREATE VIEW v (k COMMENT 'of the view') COMMENT 'keys' AS SELECT id FROM t")
    lake.sql("CREATE TABLE STREAM s ON TABLE t; CREATE DYNAMIC TABLE d AS SELECT id FROM t")
    listed = lake.sql(
        "SELECT table_name, column_name, ordinal_position, data_type, is_nullable, comment "
        f"FROM lake.information_schema.columns WHERE table_schema = '{lake.schema}' "
        "ORDER BY table_name, ordinal_position"
    ).fetchall()
    assert [row for row in listed if row[0] != "s"] == [
        ("d", "id", 1, "bigint", "YES", None),
        ("t", "id", 1, "bigint", "NO", "the key"),
        ("t", "parts", 2, "struct<a:int,b:decimal(10,2)>", "YES", None),
        ("v", "k", 1, "bigint", "NO", "of the view"),
    ]
    assert [row[1] for row in listed if row[0] == "s"] == [
        "__change_type",
        "__commit_version",
        "__commit_timestamp",
        "id",
        "parts",
    ]
    of_view = f"table_name = 'v' AND table_schema = '{lake.schema}'"
    found = lake.sql(f"SELECT comment FROM information_schema.tables WHERE {of_view}")
    assert found.fetchall() == [("keys",)]


def test_information_schema_of_another_workspace(lake: Connection) -> None:
    with pytest.raises(NotFound):
        lake.sql("SELECT * FROM nowhere.information_schema.tables")
