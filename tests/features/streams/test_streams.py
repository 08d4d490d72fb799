"""Table streams: what they show, what moves them, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headrace import errors
from headrace.connection import Connection
from headrace.lake.commit import marked_statement
from tests import internals
from tests.features.recovery.dropping import history
from tests.features.streams.streaming import changes, consume, offset
from tests.refresh.helpers import refresh

OpenLake = Callable[..., Connection]
V2 = "TBLPROPERTIES ('format-version' = '2')"
COPY_ON_WRITE = (
    "TBLPROPERTIES ('write.delete.mode' = 'copy-on-write', 'write.update.mode' = 'copy-on-write', "
    "'write.merge.mode' = 'copy-on-write')"
)


def start(lake: Connection, properties: str = "", mode: str = "STANDARD") -> None:
    lake.sql(f"CREATE TABLE t (id INT, v STRING) {properties}")
    lake.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql(f"CREATE TABLE STREAM s ON TABLE t WITH PROPERTIES ('TABLE_STREAM_MODE' = '{mode}')")


class TestStandard:
    @pytest.mark.parametrize("properties", ["", COPY_ON_WRITE])
    def test_the_net_change(self, lake: Connection, properties: str) -> None:
        start(lake, properties)
        assert changes(lake, "s") == []
        lake.sql("INSERT INTO t VALUES (4, 'd'), (5, 'e'); DELETE FROM t WHERE id IN (1, 5)")
        lake.sql("UPDATE t SET v = 'B' WHERE id = 2; UPDATE t SET v = 'D' WHERE id = 4")
        lake.sql("UPDATE t SET v = 'x' WHERE id = 3; UPDATE t SET v = 'c' WHERE id = 3")
        assert changes(lake, "s") == [
            ("DELETE", 1, "a"),
            ("INSERT", 4, "D"),
            ("UPDATE_AFTER", 2, "B"),
            ("UPDATE_BEFORE", 2, "b"),
        ]

    def test_without_row_ids_an_update_is_a_row_that_went_and_one_that_came(self, lake: Connection) -> None:
        start(lake, V2)
        lake.sql("INSERT INTO t VALUES (1, 'a'), (1, 'a'); UPDATE t SET v = 'B' WHERE id = 2")
        lake.sql("INSERT INTO t VALUES (9, 'z'); DELETE FROM t WHERE id = 9")
        assert changes(lake, "s") == [
            ("DELETE", 2, "b"),
            ("INSERT", 1, "a"),
            ("INSERT", 1, "a"),
            ("INSERT", 2, "B"),
        ]

    def test_its_columns(self, lake: Connection) -> None:
        start(lake)
        lake.sql("INSERT INTO t VALUES (4, 'd')")
        lake.sql("UPDATE t SET v = 'B' WHERE id = 2")
        lake.sql("DELETE FROM t WHERE id = 1")
        result = lake.sql("SELECT * FROM s")
        assert dict(zip(result.columns, result.types, strict=True)) == {
            "__change_type": "string",
            "__commit_version": "bigint",
            "__commit_timestamp": "timestamp",
            "id": "int",
            "v": "string",
        }
        made = {version: moment for version, moment, *_ in lake.sql("DESC HISTORY t").fetchall()}
        versions = list(made)[::-1]
        by_row = {(row[0], row[3]): (row[1], row[2]) for row in result.fetchall()}
        assert by_row[("INSERT", 4)][0] == versions[1]
        assert by_row[("UPDATE_AFTER", 2)][0] == by_row[("UPDATE_BEFORE", 2)][0] == versions[2]
        assert by_row[("DELETE", 1)][0] == versions[3]
        assert all(moment == made[version] for version, moment in by_row.values())

    def test_compaction_is_no_change(self, lake: Connection) -> None:
        start(lake)
        lake.sql("INSERT INTO t VALUES (4, 'd')")
        lake.sql("DELETE FROM t WHERE id = 3")
        schema = lake.schema
        lake.sql(f"CALL lake.system.rewrite_data_files('{schema}.t', options => map('rewrite-all', 'true'))")
        assert changes(lake, "s") == [("DELETE", 3, "c"), ("INSERT", 4, "d")]
        assert consume(lake, "s", "got") == [("DELETE", 3, "c"), ("INSERT", 4, "d")]
        lake.sql(f"CALL lake.system.rewrite_data_files('{schema}.t', options => map('rewrite-all', 'true'))")
        assert changes(lake, "s") == []

    def test_values_that_cannot_be_compared(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (id INT, m MAP<STRING, INT>, j VARIANT); CREATE TABLE STREAM s ON TABLE t")
        lake.sql("INSERT INTO t SELECT 1, map('a', 1, 'b', 2), parse_json('{\"x\": 1}')")
        lake.sql("INSERT INTO t SELECT 2, NULL, NULL; UPDATE t SET id = 3 WHERE id = 2")
        rows = lake.sql("SELECT __change_type, id, m['b'], to_json(j) FROM s ORDER BY id").fetchall()
        assert rows == [("INSERT", 1, 2, '{"x":1}'), ("INSERT", 3, None, None)]

    def test_overwriting_makes_new_rows(self, lake: Connection) -> None:
        start(lake)
        lake.sql("INSERT OVERWRITE t SELECT * FROM t WHERE id = 1")
        assert changes(lake, "s") == [
            *(("DELETE", id_, v) for id_, v in ((1, "a"), (2, "b"), (3, "c"))),
            ("INSERT", 1, "a"),
        ]

    def test_a_restored_table(self, lake: Connection) -> None:
        start(lake)
        before = offset(lake, "s")
        lake.sql("INSERT INTO t VALUES (4, 'd')")
        consume(lake, "s", "got")
        lake.sql(f"RESTORE TABLE t TO VERSION AS OF {before}")
        assert changes(lake, "s") == [("DELETE", 4, "d")]


class TestAppendOnly:
    @pytest.mark.parametrize("properties", ["", COPY_ON_WRITE, V2])
    def test_what_was_inserted(self, lake: Connection, properties: str) -> None:
        """Whatever became of it later."""
        start(lake, properties, "APPEND_ONLY")
        lake.sql(
            "INSERT INTO t VALUES (4, 'd'); INSERT INTO t VALUES (5, 'e'); UPDATE t SET v = 'B' WHERE id = 2"
        )
        lake.sql("DELETE FROM t WHERE id = 4; UPDATE t SET v = 'E' WHERE id = 5; DELETE FROM t WHERE id = 1")
        lake.sql(
            "MERGE INTO t USING (SELECT explode(array(3, 6)) AS id) n ON t.id = n.id "
            "WHEN MATCHED THEN UPDATE SET v = 'C' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (n.id, 'f')"
        )
        expected = [("INSERT", 4, "d"), ("INSERT", 5, "e"), ("INSERT", 6, "f")]
        if properties == V2:
            expected = sorted([*expected, ("INSERT", 2, "B"), ("INSERT", 3, "C"), ("INSERT", 5, "E")])
        assert changes(lake, "s") == expected
        assert consume(lake, "s", "got") == expected
        assert changes(lake, "s") == []

    def test_commits_are_told_apart(self, lake: Connection) -> None:
        start(lake, mode="APPEND_ONLY")
        lake.sql("INSERT INTO t VALUES (4, 'd'); INSERT INTO t VALUES (5, 'e')")
        versions = [row[0] for row in lake.sql("DESC HISTORY t").fetchall()]
        rows = lake.sql("SELECT id, __commit_version FROM s").fetchall()
        assert dict(rows) == {5: versions[0], 4: versions[1]}


class TestBeginning:
    @pytest.mark.parametrize("mode", ["STANDARD", "APPEND_ONLY"])
    def test_initial_rows_first_and_changes_then(self, lake: Connection, mode: str) -> None:
        lake.sql("CREATE TABLE t (id INT); INSERT INTO t VALUES (1), (2)")
        lake.sql(
            "CREATE TABLE STREAM s ON TABLE t "
            f"WITH PROPERTIES ('TABLE_STREAM_MODE' = '{mode}', 'SHOW_INITIAL_ROWS' = 'TRUE')"
        )
        lake.sql("INSERT INTO t VALUES (3); DELETE FROM t WHERE id = 1; ALTER TABLE t ADD COLUMN v STRING")
        initial = [("INSERT", 1, None), ("INSERT", 2, None)]
        assert changes(lake, "s") == initial
        assert consume(lake, "s", "got") == initial
        gone = [("DELETE", 1, None)] if mode == "STANDARD" else []
        assert consume(lake, "s", "got") == [*gone, ("INSERT", 3, None)]
        assert changes(lake, "s") == []

    def test_initial_rows_of_an_empty_table(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (id INT)")
        lake.sql("CREATE TABLE STREAM s ON TABLE t WITH PROPERTIES ('SHOW_INITIAL_ROWS' = 'TRUE')")
        lake.sql("INSERT INTO t VALUES (1)")
        assert consume(lake, "s", "got") == []
        assert consume(lake, "s", "got") == [("INSERT", 1)]

    def test_as_of_a_moment(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (id INT); INSERT INTO t VALUES (1)")
        moment = lake.sql("DESC HISTORY t").fetchall()[0][1]
        lake.sql("INSERT INTO t VALUES (2)")
        lake.sql(f"CREATE TABLE STREAM s ON TABLE t TIMESTAMP AS OF '{moment.isoformat()}'")
        assert changes(lake, "s") == [("INSERT", 2)]
        with pytest.raises(errors.NotFound, match="has no version as of"):
            lake.sql("CREATE TABLE STREAM s2 ON TABLE t TIMESTAMP AS OF '2020-01-01'")

    def test_an_empty_table(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (id INT); CREATE TABLE STREAM s ON TABLE t")
        assert changes(lake, "s") == []
        lake.sql("INSERT INTO t VALUES (1)")
        assert changes(lake, "s") == [("INSERT", 1)]

    @pytest.mark.incremental
    def test_on_a_dynamic_table(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (k INT, v INT); INSERT INTO t VALUES (1, 1), (2, 2)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT k, sum(v) AS total FROM t GROUP BY k")
        refresh(lake, "d")
        lake.sql("CREATE TABLE STREAM s ON DYNAMIC TABLE d; CREATE TABLE STREAM s2 ON TABLE d")
        lake.sql("INSERT INTO t VALUES (1, 10), (3, 3)")
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        expected = [("INSERT", 3, 3), ("UPDATE_AFTER", 1, 11), ("UPDATE_BEFORE", 1, 1)]
        assert changes(lake, "s") == expected
        assert consume(lake, "s2", "got") == expected

    def test_replacing_starts_anew(self, lake: Connection) -> None:
        start(lake)
        lake.sql("INSERT INTO t VALUES (4, 'd')")
        notices = lake.sql("CREATE TABLE STREAM IF NOT EXISTS s ON TABLE t").notices
        assert notices == (f"lake.{lake.schema}.s already exists, nothing was done",)
        assert changes(lake, "s") == [("INSERT", 4, "d")]
        lake.sql("CREATE OR REPLACE TABLE STREAM s ON TABLE t")
        assert changes(lake, "s") == []
        with pytest.raises(errors.AlreadyExists):
            lake.sql("CREATE TABLE STREAM s ON TABLE t")

    def test_columns_follow_the_table(self, lake: Connection) -> None:
        start(lake)
        lake.sql("ALTER TABLE t ADD COLUMN n INT; INSERT INTO t VALUES (4, 'd', 4)")
        assert changes(lake, "s") == [("INSERT", 4, "d", 4)]
        lake.sql("ALTER TABLE t DROP COLUMN v; ALTER TABLE t RENAME COLUMN n TO m")
        result = lake.sql("SELECT * EXCEPT (__commit_version, __commit_timestamp) FROM s")
        assert (result.columns, result.fetchall()) == (["__change_type", "id", "m"], [("INSERT", 4, 4)])

    def test_values_stay_in_their_columns(self, lake: Connection) -> None:
        """Whatever those are called: ALTER by itself changes no row."""
        start(lake)
        lake.sql("ALTER TABLE t RENAME COLUMN v TO v_old; ALTER TABLE t ADD COLUMN v STRING")
        assert changes(lake, "s") == []
        lake.sql("UPDATE t SET v = 'new' WHERE id = 1")
        assert changes(lake, "s") == [("UPDATE_AFTER", 1, "a", "new"), ("UPDATE_BEFORE", 1, "a", None)]
        lake.sql("ALTER TABLE t RENAME COLUMN v TO w; ALTER TABLE t RENAME COLUMN v_old TO v")
        lake.sql("ALTER TABLE t RENAME COLUMN w TO v_old")
        result = lake.sql("SELECT v, v_old FROM s ORDER BY v_old")
        assert result.fetchall() == [("a", None), ("a", "new")]


NEW = "SELECT id, v FROM s WHERE __change_type = 'INSERT'"
CONSUMERS = {
    "insert": f"INSERT INTO target {NEW}",
    "insert columns": "INSERT INTO target (v, id) SELECT v, id FROM s",
    "insert by name": f"INSERT INTO target BY NAME {NEW}",
    "table query": "INSERT INTO copied TABLE s",
    "with": f"WITH n AS ({NEW}) INSERT INTO target SELECT * FROM n",
    "inner with": f"INSERT INTO target WITH n AS ({NEW}) SELECT * FROM n",
    "overwrite": f"INSERT OVERWRITE target {NEW}",
    "from first": "FROM s INSERT INTO target SELECT id, v",
    "create": f"CREATE TABLE made AS {NEW}",
    "create if missing": f"CREATE TABLE IF NOT EXISTS made AS {NEW}",
    "replace": f"CREATE OR REPLACE TABLE made AS {NEW}",
    "replace existing": f"CREATE OR REPLACE TABLE target AS {NEW}",
    "merge": "MERGE INTO target USING s ON target.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
    "merge subquery": f"MERGE INTO target m USING ({NEW}) n ON m.id = n.id WHEN NOT MATCHED THEN INSERT *",
    "update": "UPDATE target SET v = 'seen' WHERE id IN (SELECT id FROM s)",
    "update value": "UPDATE target SET v = (SELECT max(v) FROM s)",
    "delete": "DELETE FROM target WHERE EXISTS (SELECT 1 FROM s WHERE s.id = target.id)",
    "view": "INSERT INTO target SELECT id, v FROM over_s",
    "view of a view": "INSERT INTO target SELECT id, v FROM over_over_s",
    "temporary view": "INSERT INTO target SELECT id, v FROM temp_s",
    "temporary view of a view": "INSERT INTO target SELECT id, v FROM temp_over_s",
    "full name": "INSERT INTO target SELECT id, v FROM lake.{schema}.s AS x",
    "identifier": "INSERT INTO target SELECT id, v FROM IDENTIFIER('{schema}.s')",
    "into its own table": f"INSERT INTO t {NEW}",
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.share(0.2) if at % 4 else ()) for at, kind in enumerate(CONSUMERS)],
)
def test_what_moves_the_offset(lake: Connection, kind: str) -> None:
    statement = CONSUMERS[kind]
    start(lake)
    lake.sql("CREATE TABLE target (id INT, v STRING); INSERT INTO target VALUES (4, 'x'), (100, 'y')")
    lake.sql("CREATE TABLE copied AS SELECT * FROM s; CREATE VIEW over_s AS SELECT id, v FROM s")
    lake.sql("CREATE VIEW over_over_s AS SELECT * FROM over_s WHERE id > 0")
    lake.sql("CREATE TEMPORARY VIEW temp_s AS SELECT * FROM s")
    lake.sql("CREATE TEMPORARY VIEW temp_over_s AS SELECT * FROM over_over_s")
    lake.sql("INSERT INTO t VALUES (4, 'd'), (5, 'e')")
    before, reached = offset(lake, "s"), lake.sql("DESC HISTORY t").fetchall()[0][0]
    lake.sql(f"EXPLAIN {statement.format(schema=lake.schema)}").fetchall()
    assert len(changes(lake, "s")) == 2
    assert offset(lake, "s") == before
    lake.sql(statement.format(schema=lake.schema))
    assert offset(lake, "s") == reached
    assert len(changes(lake, "s")) == (2 if statement.startswith("INSERT INTO t ") else 0)


def test_parameters(lake: Connection) -> None:
    start(lake)
    lake.sql("CREATE TABLE target (id INT, v STRING); INSERT INTO t VALUES (4, 'd'), (5, 'e'), (6, 'f')")
    assert len(lake.sql("SELECT * FROM s WHERE id > ?", [4])) == 2
    lake.sql(
        "INSERT INTO target SELECT id, v FROM s WHERE id > :least AND v < :most", {"least": 4, "most": "f"}
    )
    assert lake.sql("SELECT * FROM target").fetchall() == [(5, "e")]
    lake.sql("INSERT INTO t VALUES (7, 'g')")
    lake.sql("INSERT INTO target SELECT id, ? FROM s WHERE id < ?", ["given", 10])
    assert lake.sql("SELECT * FROM target ORDER BY id").fetchall() == [(5, "e"), (7, "given")]


def test_what_does_not_move_the_offset(lake: Connection) -> None:
    start(lake)
    lake.sql("INSERT INTO t VALUES (4, 'd')")
    lake.sql("CREATE TABLE made (id INT, v STRING)")
    before = offset(lake, "s")
    lake.sql("CREATE TABLE IF NOT EXISTS made AS SELECT id, v FROM s")
    lake.sql("CREATE VIEW seen AS SELECT * FROM s; CREATE TEMPORARY VIEW seen_too AS SELECT * FROM s")
    assert len(lake.sql("SELECT * FROM seen JOIN seen_too USING (id)")) == 1
    assert lake.sql("BEGIN SELECT count(*) FROM s; END").fetchall() == [(1,)]
    with pytest.raises(errors.DataError):
        lake.sql("INSERT INTO made SELECT id, CAST(v AS INT) FROM s")
    with pytest.raises(errors.NotFound):
        lake.sql("INSERT INTO made SELECT id, nothing FROM s")
    with pytest.raises(errors.AlreadyExists):
        lake.sql("CREATE TABLE made AS SELECT id, v FROM s")
    assert offset(lake, "s") == before
    assert changes(lake, "s") == [("INSERT", 4, "d")]
    assert len(lake.sql("SELECT * FROM made")) == 0


def test_an_error_after_the_commit(lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are there, so the stream moves."""
    start(lake)
    lake.sql("INSERT INTO t VALUES (4, 'd'); CREATE TABLE target (id INT)")
    run = marked_statement.run_marked

    def run_and_fail(*args: Any) -> None:
        run(*args)
        raise errors.OperationalError("the network is down")

    monkeypatch.setattr("headrace.features.streams.consume.run_marked", run_and_fail)
    with pytest.raises(errors.OperationalError, match="the network is down"):
        lake.sql("INSERT INTO target SELECT id FROM s")
    assert lake.sql("SELECT * FROM target").fetchall() == [(4,)]
    assert changes(lake, "s") == []


def test_several_streams_move_together(lake: Connection) -> None:
    start(lake)
    lake.sql("CREATE TABLE t2 (id INT, w STRING); CREATE TABLE STREAM s2 ON TABLE t2")
    lake.sql("CREATE TABLE STREAM other ON TABLE t; CREATE TABLE target (id INT, v STRING, w STRING)")
    lake.sql("INSERT INTO t VALUES (4, 'd'), (5, 'e'); INSERT INTO t2 VALUES (4, 'D')")
    lake.sql("INSERT INTO target SELECT s.id, v, w FROM s JOIN s2 ON s.id = s2.id")
    assert lake.sql("SELECT * FROM target").fetchall() == [(4, "d", "D")]
    assert (changes(lake, "s"), changes(lake, "s2")) == ([], [])
    assert len(changes(lake, "other")) == 2


def test_a_result_that_is_fetched_late(lake: Connection) -> None:
    start(lake)
    lake.sql("INSERT INTO t VALUES (4, 'd'); DELETE FROM t WHERE id = 1")
    late, frame = lake.sql("SELECT id FROM s"), lake.sql("SELECT id FROM s").spark()
    consume(lake, "s", "got")
    changes(lake, "s")
    assert sorted(late.fetchall()) == [(1,), (4,)]
    assert sorted(row.id for row in frame.collect()) == [1, 4]


def test_a_temporary_view_seen_from_another_schema(lake: Connection) -> None:
    start(lake)
    lake.sql("CREATE TEMPORARY VIEW seen AS SELECT s.id FROM s; INSERT INTO t VALUES (4, 'd')")
    lake.sql("USE public")
    assert lake.sql("SELECT * FROM seen").fetchall() == [(4,)]


class TestStale:
    def test_its_version_has_expired(self, new_lake: OpenLake, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("headrace.refresh.maintenance.NEWEST", 2)
        monkeypatch.setattr("headrace.refresh.maintenance.EVERY", 2)
        monkeypatch.setattr("headrace.lake.table.expiry.NEWEST", 2)
        ahead = timedelta(0)
        lake = new_lake(clock=lambda: datetime.now(UTC) + ahead)
        start(lake)
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT id FROM t")
        for number in range(6):
            lake.sql(f"INSERT INTO t VALUES ({10 + number}, 'x')")
            refresh(lake, "d")
        assert len(changes(lake, "s")) == 6
        ahead = timedelta(days=8)
        lake.sql("INSERT INTO t VALUES (20, 'x')")
        refresh(lake, "d")
        with pytest.raises(errors.StreamStale) as caught:
            lake.sql("SELECT * FROM s")
        assert "table stream lake.public.s is stale: " in caught.value.message
        assert "has expired" in caught.value.message
        (state, reason) = lake.sql("SHOW TABLE STREAMS").df()[["state", "stale_reason"]].iloc[0]
        assert state == "stale"
        assert reason in caught.value.message
        described = dict(lake.sql("DESC TABLE STREAM s").fetchall())
        assert described["state"] == f"stale: {reason}"
        lake.sql(f"{caught.value.hint}".removesuffix(" recreates it"))
        assert changes(lake, "s") == []

    def test_its_table_was_replaced(self, lake: Connection) -> None:
        start(lake)
        lake.sql("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 'a' AS v")
        with pytest.raises(errors.StreamStale, match="was replaced after version"):
            lake.sql("SELECT * FROM s")

    def test_its_table_was_dropped(self, lake: Connection) -> None:
        start(lake)
        lake.sql("INSERT INTO t VALUES (4, 'd'); DROP TABLE t")
        with pytest.raises(errors.NotFound, match=r"of the table stream \S+ does not exist"):
            lake.sql("SELECT * FROM s")
        assert lake.sql(f"SHOW TABLE STREAMS IN {lake.schema}").df()["state"][0] == "stale"
        lake.sql("UNDROP TABLE t")
        assert changes(lake, "s") == [("INSERT", 4, "d")]
        lake.sql("DROP TABLE t; CREATE TABLE t (id INT, v STRING)")
        with pytest.raises(errors.StreamStale, match="is not the table that it was created on"):
            lake.sql("SELECT * FROM s")


def test_its_table_is_renamed(lake: Connection) -> None:
    start(lake)
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT id FROM t")
    refresh(lake, "d")
    lake.sql("CREATE TABLE STREAM on_d ON TABLE d; INSERT INTO t VALUES (4, 'd')")
    refresh(lake, "d")
    lake.sql("ALTER TABLE t RENAME TO u; ALTER DYNAMIC TABLE d RENAME TO e")
    assert changes(lake, "s") == [("INSERT", 4, "d")]
    assert changes(lake, "on_d") == [("INSERT", 4)]


class TestDropping:
    def test_undropped_it_goes_on(self, lake: Connection) -> None:
        start(lake)
        lake.sql("INSERT INTO t VALUES (4, 'd'); DROP TABLE STREAM s")
        with pytest.raises(errors.NotFound):
            lake.sql("SELECT * FROM s")
        (row,) = history(lake)
        assert (row["table_name"], row["kind"], row["rows"]) == ("s", "TABLE STREAM", 0)
        lake.sql("INSERT INTO t VALUES (5, 'e'); UNDROP TABLE STREAM s")
        assert changes(lake, "s") == [("INSERT", 4, "d"), ("INSERT", 5, "e")]
        lake.sql("DROP TABLE STREAM s; UNDROP TABLE s")
        assert len(changes(lake, "s")) == 2
        assert history(lake) == []

    def test_the_last_one_dropped_comes_first(self, lake: Connection) -> None:
        start(lake)
        for value in (10, 11):
            lake.sql(
                f"INSERT INTO t VALUES ({value}, 'x'); DROP TABLE STREAM s; CREATE TABLE STREAM s ON TABLE t"
            )
        lake.sql("DROP TABLE STREAM s; CREATE TABLE s (a INT); DROP TABLE s")
        with pytest.raises(errors.Refused, match="is not a dynamic table"):
            lake.sql("UNDROP DYNAMIC TABLE s")
        lake.sql("UNDROP TABLE s")
        assert lake.table_names() == ["s", "t"]
        with pytest.raises(errors.AlreadyExists, match="is a table"):
            lake.sql("UNDROP TABLE STREAM s")
        lake.sql("ALTER TABLE s RENAME TO s_table")
        for expected in (0, 1, 2):
            lake.sql("UNDROP TABLE STREAM s")
            assert len(changes(lake, "s")) == expected
            drop_for_good(lake, "s")
        with pytest.raises(errors.NotFound, match=r"dropped table stream \S+ does not exist"):
            lake.sql("UNDROP TABLE STREAM s")

    def test_after_its_retention(self, new_lake: OpenLake) -> None:
        ahead = timedelta(0)
        lake = new_lake(clock=lambda: datetime.now(UTC) + ahead)
        start(lake)
        lake.sql("DROP TABLE STREAM s")
        ahead = timedelta(days=2)
        assert history(lake) == []
        with pytest.raises(errors.NotFound, match="can no longer be undropped"):
            lake.sql("UNDROP TABLE STREAM s")
        assert lake.sql("VACUUM").df()["kind"].tolist() == ["TABLE STREAM"]
        assert internals.store(lake).streams.reading(offset_uuid(lake)) == []

    def test_if_exists(self, lake: Connection) -> None:
        (notice,) = lake.sql("DROP TABLE STREAM IF EXISTS s").notices
        assert notice == f"table stream lake.{lake.schema}.s does not exist, nothing was done"


def drop_for_good(lake: Connection, stream: str) -> None:
    lake.sql(f"DROP TABLE STREAM {stream}")
    store = internals.store(lake)
    dropped = store.dropped.of_name(internals.table_name(lake, stream))[0]
    store.streams.forget(dropped)


def offset_uuid(lake: Connection) -> str:
    context = internals.statement_context(lake)
    return context.session.catalog.existing_table(context.session.resolve(("t",))).version.uuid


class TestLooking:
    def test_show(self, lake: Connection) -> None:
        start(lake)
        lake.sql(
            "CREATE TABLE STREAM other ON TABLE t COMMENT 'mine' WITH PROPERTIES ('SHOW_INITIAL_ROWS'='true')"
        )
        shown = lake.sql(f"SHOW TABLE STREAMS IN {lake.schema}")
        rows = [dict(zip(shown.columns, row, strict=True)) for row in shown.fetchall()]
        assert [(row["name"], row["comment"], row["show_initial_rows"]) for row in rows] == [
            ("other", "mine", True),
            ("s", None, False),
        ]
        assert {row["table_name"] for row in rows} == {f"lake.{lake.schema}.t"}
        assert {(row["mode"], row["state"]) for row in rows} == {("STANDARD", "active")}
        assert {row["offset_version"] for row in rows} == {offset(lake, "s")}
        assert len(lake.sql(f"SHOW TABLE STREAMS IN {lake.schema} LIKE 'o*'")) == 1
        assert len(lake.sql(f"SHOW TABLE STREAMS IN {lake.schema} WHERE mode = 'APPEND_ONLY'")) == 0
        assert lake.table_names() == ["t"]

    def test_describe(self, lake: Connection) -> None:
        start(lake)
        pairs = lake.sql("DESC TABLE STREAM s").fetchall()
        assert pairs[:5] == [
            ("__change_type", "string"),
            ("__commit_version", "bigint"),
            ("__commit_timestamp", "timestamp"),
            ("id", "int"),
            ("v", "string"),
        ]
        told = dict(pairs)
        assert told["source_table"] == f"lake.{lake.schema}.t"
        assert (told["type"], told["table_stream_mode"], told["state"]) == (
            "TABLE STREAM",
            "STANDARD",
            "active",
        )
        assert lake.sql("DESC s").fetchall() == pairs[:5]
        lake.sql("CREATE VIEW over_s AS SELECT id FROM s")
        assert lake.sql("DESC over_s").fetchall() == [("id", "int")]

    def test_show_create(self, lake: Connection) -> None:
        start(lake, mode="APPEND_ONLY")
        ((created,),) = lake.sql("SHOW CREATE TABLE s").fetchall()
        before = internals.store(lake).streams.find(internals.table_name(lake, "s"))
        lake.sql("DROP TABLE STREAM s")
        lake.sql(created)
        after = internals.store(lake).streams.find(internals.table_name(lake, "s"))
        assert before is not None
        assert after is not None
        assert replace(before, id="", created_at=after.created_at) == replace(after, id="")
