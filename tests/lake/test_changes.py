"""The change scan, operation by operation, against brute force."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests import internals
from tests.lake.changes_oracle import Watched

from headrace.connection import Connection
from headrace.errors import OperationalError
from headrace.lake.change_scan.changes import Changes

MERGE = (
    "MERGE INTO t USING (SELECT * FROM VALUES (2, 'two', 'p'), (9, 'nine', 'q') AS s(k, v, p)) s "
    "ON t.k = s.k "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
)
COPY_ON_WRITE = ", ".join(
    f"'write.{operation}.mode' = 'copy-on-write'" for operation in ("delete", "update", "merge")
)
KINDS = {
    "plain": "",
    "by identity": "PARTITIONED BY (p)",
    "by bucket": "PARTITIONED BY (bucket(3, k))",
    "copy-on-write": f"TBLPROPERTIES ({COPY_ON_WRITE})",
    "v2": "TBLPROPERTIES ('format-version' = '2')",
    "v2 by identity, copy-on-write": "PARTITIONED BY (p) "
    f"TBLPROPERTIES ('format-version' = '2', {COPY_ON_WRITE})",
    "v2, deletes per partition": "PARTITIONED BY (p) "
    "TBLPROPERTIES ('format-version' = '2', 'write.delete.granularity' = 'partition')",
}


def rows(first: int, last: int) -> str:
    return ", ".join(f"({k}, 'v{k}', '{'pqr'[k % 3]}')" for k in range(first, last + 1))


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def watched(lake: Connection, request: pytest.FixtureRequest) -> Watched:
    return Watched.make(lake, f"(k INT, v STRING, p STRING) {request.param}")


def filled(lake: Connection, options: str = "") -> Watched:
    table = Watched.make(lake, f"(k INT, v STRING, p STRING) {options}")
    table.run(f"INSERT INTO t VALUES {rows(1, 6)}")
    return table


class TestOperations:
    def test_every_operation_in_one_history(self, watched: Watched) -> None:
        watched.run(f"INSERT INTO t VALUES {rows(1, 6)}")
        watched.run(f"INSERT INTO t VALUES {rows(7, 8)}, (NULL, NULL, NULL), (NULL, NULL, NULL)")
        watched.run("UPDATE t SET v = 'new' WHERE k IN (3, 7)")
        watched.run("DELETE FROM t WHERE k = 4")
        watched.run(MERGE)
        watched.run(f"INSERT INTO t VALUES {rows(20, 23)}")
        watched.run("DELETE FROM t WHERE k > 21")
        watched.run("UPDATE t SET v = 'newer' WHERE k = 3")
        watched.run("INSERT OVERWRITE t SELECT * FROM t WHERE k <> 1")
        watched.run("TRUNCATE TABLE t")
        watched.check(*((i, i + 1) for i in range(10)), (0, 8), (2, 6), (3, 8))

    @pytest.mark.share(0.2)
    def test_rewrites_change_nothing(self, watched: Watched) -> None:
        name = f"'{watched.name.schema}.t'"
        watched.run(f"INSERT INTO t VALUES {rows(1, 6)}")
        watched.run(f"INSERT INTO t VALUES {rows(7, 9)}")
        watched.run("DELETE FROM t WHERE k IN (2, 8)")
        all_of_it = f"(table => {name}, options => map('rewrite-all', 'true'))"
        watched.run(f"CALL lake.system.rewrite_data_files{all_of_it}")
        assert not watched.load().changed_since(watched.states[-2].version.snapshot_id)
        watched.run("UPDATE t SET v = 'new' WHERE k IN (3, 7)")
        watched.run(f"CALL lake.system.rewrite_manifests({name})")
        watched.run("DELETE FROM t WHERE k = 5")
        watched.run(f"CALL lake.system.rewrite_position_delete_files{all_of_it}")
        found = watched.check((3, 4), (2, 5), (0, 8), (4, 8), (7, 8))
        assert found[0].estimate.files == found[-1].estimate.files == 0

    def test_dynamic_overwrite(self, lake: Connection) -> None:
        table = filled(lake, "PARTITIONED BY (p)")
        table.run("DELETE FROM t WHERE k = 2")
        table.session.spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
        table.run("INSERT OVERWRITE t VALUES (10, 'ten', 'p'), (11, 'eleven', 'z')")
        table.check()

    def test_rows_that_came_and_went(self, lake: Connection) -> None:
        table = filled(lake)
        table.run(f"INSERT INTO t VALUES {rows(7, 9)}")
        table.run("DELETE FROM t WHERE k >= 7")
        (_, changes, _, _) = table.check()
        assert changes.estimate.rows_added == 0

    def test_days_and_a_sort_order(self, lake: Connection) -> None:
        table = Watched.make(lake, "(k INT, d TIMESTAMP) PARTITIONED BY (days(d))")
        table.run("INSERT INTO t SELECT id, timestamp '2024-01-01' + make_dt_interval(id % 3) FROM range(9)")
        table.run("ALTER TABLE t WRITE ORDERED BY k DESC")
        table.run("DELETE FROM t WHERE k IN (3, 4)")
        table.run("INSERT INTO t VALUES (20, timestamp '2024-02-01')")
        table.check()

    def test_partition_evolution(self, lake: Connection) -> None:
        table = filled(lake)
        table.run("ALTER TABLE t ADD PARTITION FIELD p")
        table.run(f"INSERT INTO t VALUES {rows(7, 12)}")
        table.run("DELETE FROM t WHERE k IN (2, 8)")
        table.run("ALTER TABLE t REPLACE PARTITION FIELD p WITH bucket(2, k)")
        table.run("UPDATE t SET v = 'new', p = 'q' WHERE k IN (3, 9)")
        table.run("DELETE FROM t WHERE k IN (4, 10)")
        table.run("ALTER TABLE t DROP PARTITION FIELD bucket(2, k)")
        table.run("DELETE FROM t WHERE k IN (5, 9)")
        table.check((0, 8), (1, 4), (3, 6), (4, 8), (6, 8))

    def test_all_rows_of_a_file_go_by_a_vector(self, lake: Connection) -> None:
        table = filled(lake)
        table.run("UPDATE t SET v = concat(v, '!')")
        table.check()


class TestColumns:
    def test_added_and_renamed(self, lake: Connection) -> None:
        table = filled(lake)
        table.run("ALTER TABLE t ADD COLUMN n INT AFTER k")
        table.run("INSERT INTO t VALUES (7, 70, 'v7', 'p')")
        table.run("ALTER TABLE t RENAME COLUMN v TO `a word`")
        table.run("DELETE FROM t WHERE k IN (1, 7)")
        table.run("ALTER TABLE t ADD COLUMN v STRING")
        table.run("UPDATE t SET n = 20 WHERE k = 2")
        table.check()

    def test_initial_default(self, lake: Connection) -> None:
        table = filled(lake)
        jvm = internals.jvm(table.session.spark)
        types = jvm.org.apache.iceberg.types.Types
        literal = jvm.org.apache.iceberg.expressions.Literal.of("?")
        update = table.writable().updateSchema()
        update.addColumn("c", types.StringType.get(), literal).commit()
        table.note()
        table.run("DELETE FROM t WHERE k = 2")
        table.check((1, 3), (2, 3))

    def test_dropped(self, lake: Connection) -> None:
        table = filled(lake)
        since = table.states[-1].version
        table.run("ALTER TABLE t DROP COLUMN p")
        assert table.reason(since) == f"column p of {table.name} was dropped"
        table.run("ALTER TABLE t ADD COLUMN p STRING")
        assert table.reason(since) == f"column p of {table.name} was dropped"

    def test_retyped(self, lake: Connection) -> None:
        table = filled(lake)
        since = table.states[-1].version
        table.run("ALTER TABLE t ALTER COLUMN k TYPE BIGINT")
        assert table.reason(since) == f"column k of {table.name} changed its type from int to bigint"

    def test_nested(self, lake: Connection) -> None:
        table = Watched.make(lake, "(k INT, s STRUCT<a: INT, b: ARRAY<INT>>)")
        since = table.run("INSERT INTO t VALUES (1, named_struct('a', 1, 'b', array(1)))")
        table.run("ALTER TABLE t ALTER COLUMN s.a COMMENT 'a number'")
        assert isinstance(table.changes(since), Changes)
        table.run("ALTER TABLE t ADD COLUMN s.c INT")
        assert table.reason(since).startswith(f"column s of {table.name} changed its type from struct<")


class TestHistory:
    def test_nothing_happened(self, lake: Connection) -> None:
        table = filled(lake)
        (_, changes) = table.check()
        assert changes.estimate.files == 0

    def test_expired(self, lake: Connection) -> None:
        table = filled(lake)
        first = table.states[-1].version
        second = table.run(f"INSERT INTO t VALUES {rows(7, 9)}")
        third = table.run(f"INSERT INTO t VALUES {rows(10, 11)}")
        fourth = table.run(f"INSERT INTO t VALUES {rows(12, 13)}")
        table.writable().expireSnapshots().expireSnapshotId(second.snapshot_id).commit()
        assert table.reason(second) == f"version {second} of {table.name} has expired"
        assert table.reason(first) == f"history of {table.name} before version {third} has expired"
        assert isinstance(table.changes(third), Changes)
        assert isinstance(table.changes(fourth), Changes)

    def test_rolled_back(self, lake: Connection) -> None:
        """Found from both sides: what the versions left behind had done is taken back."""
        table = filled(lake)
        good = table.states[-1].version
        table.run("DELETE FROM t WHERE k = 2")
        table.run(f"INSERT INTO t VALUES {rows(7, 9)}")
        table.run("UPDATE t SET v = 'new' WHERE k IN (3, 7)")
        table.run(f"CALL lake.system.rollback_to_snapshot('{table.name.schema}.t', {good})")
        table.run("UPDATE t SET v = 'better' WHERE k IN (2, 3)")
        table.check((4, 5), (4, 6), (2, 6), (3, 6), (1, 6))

    def test_replaced(self, lake: Connection) -> None:
        table = filled(lake)
        since = table.states[-1].version
        table.run("CREATE OR REPLACE TABLE t (k INT, v STRING, p STRING)")
        assert table.reason(since) == f"{table.name} was replaced after version {since}"
        table.run(f"INSERT INTO t VALUES {rows(1, 2)}")
        assert table.reason(since) == f"{table.name} was replaced after version {since}"
        table.check((2, 3), (0, 3))

    def test_dropped_and_made_again(self, lake: Connection) -> None:
        table = filled(lake)
        since = table.states[-1].version
        table.session.spark.sql("DROP TABLE t")
        table.run("CREATE TABLE t (k INT, v STRING, p STRING)")
        assert table.reason(since) == f"{table.name} is not the table that was read before"

    def test_upgraded(self, lake: Connection) -> None:
        table = filled(lake, "TBLPROPERTIES ('format-version' = '2')")
        table.run("DELETE FROM t WHERE k = 2")
        upgraded = table.run("ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3')")
        assert not isinstance(table.changes(table.states[1].version), str)
        table.run("DELETE FROM t WHERE k = 3")
        assert table.reason(upgraded) == f"rows of {table.name} had no row IDs yet at version {upgraded}"
        table.run("UPDATE t SET v = 'new' WHERE k = 4")
        table.run(f"INSERT INTO t VALUES {rows(7, 9)}")
        table.run("DELETE FROM t WHERE k IN (1, 7)")
        table.check((0, 7), (4, 5), (4, 7), (5, 7))

    def test_a_missing_file_is_said(self, lake: Connection) -> None:
        table = filled(lake)
        since = table.run(f"INSERT INTO t VALUES {rows(7, 9)}")
        table.run("DELETE FROM t WHERE k = 2")
        files = table.session.spark.sql(f"SELECT file_path FROM {table.name.sql}.data_files").collect()
        io = table.load().java.io()
        changes = table.changes(since)
        assert isinstance(changes, Changes)
        for (path,) in files:
            io.deleteFile(path)
        with changes, pytest.raises(OperationalError, match="a file is missing"):
            table.session.run(changes.sql(changes.columns)).arrow()

    def test_a_missing_manifest_is_said(self, lake: Connection) -> None:
        table = filled(lake)
        since = table.run(f"INSERT INTO t VALUES {rows(7, 9)}")
        table.run("DELETE FROM t WHERE k = 2")
        io = table.load().java.io()
        for (path,) in table.session.spark.sql(f"SELECT path FROM {table.name.sql}.manifests").collect():
            io.deleteFile(path)
        with pytest.raises(OperationalError, match="a file is missing"):
            table.changes(since)


def test_nothing_is_left_behind(lake: Connection) -> None:
    table = filled(lake)
    since = table.run("DELETE FROM t WHERE k = 1")
    table.run("UPDATE t SET v = 'new' WHERE k = 2")
    jvm = internals.jvm(table.session.spark)
    staged = jvm.org.apache.iceberg.spark.SparkTableCache.get()
    before = staged.size()
    changes = table.changes(since)
    assert isinstance(changes, Changes)
    with changes:
        assert len(table.session.run(changes.sql(changes.columns)).arrow()) == 2
        assert staged.size() == before
        assert len(table.session.run(changes.dated_sql).arrow()) == 2
        assert staged.size() == before + 2
        views = table.session.spark.sql("SHOW VIEWS").count()
    assert staged.size() == before
    assert table.session.spark.sql("SHOW VIEWS").count() == views - 1
    location = Path(urlsplit(table.load().java.location()).path)
    assert list(location.rglob("*.parquet"))
    assert not list(location.rglob("headrace-changes-*"))
    with pytest.raises(ValueError, match="with block"):
        _ = changes.sql(changes.columns)
