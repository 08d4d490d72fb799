"""How many rows a statement has changed, as ``cursor.rowcount`` gives it."""

from __future__ import annotations

import pytest

from headrace.commands.row_counts import rows_changed
from headrace.connection import Connection
from headrace.lake.table.tables import Snapshot
from headrace.sql.spark.effects import EffectKind

MERGE = """MERGE INTO t
USING (SELECT * FROM VALUES (2, 7), (4, 0), (50, 5), (60, 6) AS s(id, v)) s ON t.id = s.id
WHEN MATCHED AND s.v = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *"""


def test_each_kind_of_statement(lake: Connection) -> None:
    cursor = lake.cursor()
    for text, rows in (
        ("CREATE TABLE t AS SELECT id, id AS v FROM range(10)", 10),
        ("INSERT INTO t SELECT id, v FROM t WHERE id < 0", 0),
        ("UPDATE t SET v = 9 WHERE id IN (1, 2)", 2),
        ("DELETE FROM t WHERE id IN (1, 3)", 2),
        (MERGE, 4),
        ("INSERT INTO t VALUES (70, 7)", 1),
        ("DELETE FROM t", 10),
        ("INSERT OVERWRITE t VALUES (1, 1), (2, 2)", 2),
        ("CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS id", -1),
        ("CREATE OR REPLACE TABLE t AS SELECT id FROM range(4)", 4),
        ("TRUNCATE TABLE t", 4),
        ("ALTER TABLE t ADD COLUMN note STRING", -1),
    ):
        assert (text, cursor.execute(text).rowcount) == (text, rows)


def test_a_branch_is_not_counted(lake: Connection) -> None:
    cursor = lake.cursor().execute("CREATE TABLE t AS SELECT 1 AS id")
    cursor.execute("ALTER TABLE t CREATE BRANCH trial")
    assert cursor.execute(f"INSERT INTO {lake.schema}.t.branch_trial VALUES (2), (3)").rowcount == -1


@pytest.mark.parametrize(
    ("kind", "summary", "rows"),
    [
        (EffectKind.DELETE, {"deleted-records": "10", "added-records": "7", "deleted-data-files": "1"}, 3),
        (
            EffectKind.UPDATE,
            {"deleted-records": "10", "added-records": "10", "deleted-data-files": "1"},
            None,
        ),
        (EffectKind.MERGE, {"added-records": "4", "added-position-deletes": "2"}, None),
    ],
)
def test_tables_that_are_not_merge_on_read(
    kind: EffectKind, summary: dict[str, str], rows: int | None
) -> None:
    assert rows_changed(kind, Snapshot(1, "overwrite", summary)) == rows
