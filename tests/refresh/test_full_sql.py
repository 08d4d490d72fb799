"""The statement of a FULL refresh: which way is taken, its text, and what the commit says of itself."""

from __future__ import annotations

import pytest

from headrace.lake.table.tables import Snapshot
from headrace.model.dynamic_table import Column
from headrace.model.history import RefreshStats
from headrace.model.names import TableName
from headrace.refresh import full
from headrace.refresh.full import plan_full, stats_of
from headrace.refresh.stages import Way, WriteStage

D = TableName("lake", "public", "d")
TARGET = "guarded.`target`"
COLUMNS = (Column("k", "bigint"), Column("odd `name", "string"))
QUERY = "SELECT 1 AS k, 'x' -- the end"


def snapshot(rows: int, deleted: int = 0) -> Snapshot:
    summary = {"total-records": str(rows), "total-position-deletes": str(deleted)}
    return Snapshot(42, "append", summary)


def plan(
    current: Snapshot | None,
    columns: tuple[Column, ...] = COLUMNS,
    *,
    has_readers: bool = False,
    stored: tuple[str, ...] = (),
) -> WriteStage:
    return plan_full(D, TARGET, columns, QUERY, current, has_readers=has_readers, stored=stored)


def statement(plan: WriteStage) -> str:
    assert plan.statement is not None
    return plan.statement


class TestWay:
    def test_never_written(self) -> None:
        assert plan(None).way is Way.FILL

    def test_without_rows(self) -> None:
        assert plan(snapshot(0)).way is Way.FILL

    def test_all_rows_deleted(self) -> None:
        assert plan(snapshot(5, deleted=5)).way is Way.FILL

    def test_small(self) -> None:
        assert plan(snapshot(full.SMALL_ENOUGH_TO_COMPARE)).way is Way.DIFFERENCE

    def test_small_once_deletes_are_counted(self) -> None:
        assert plan(snapshot(full.SMALL_ENOUGH_TO_COMPARE + 1, deleted=1)).way is Way.DIFFERENCE

    def test_large(self) -> None:
        assert plan(snapshot(full.SMALL_ENOUGH_TO_COMPARE + 1)).way is Way.REWRITE

    def test_large_but_others_read_it(self) -> None:
        assert plan(snapshot(full.SMALL_ENOUGH_TO_COMPARE + 1), has_readers=True).way is Way.DIFFERENCE

    @pytest.mark.parametrize(
        "kind",
        [
            "map<string,int>",
            "variant",
            "struct<a:map<string,int>>",
            "array<variant>",
            "struct<a:int,b:variant>",
            "geometry",
        ],
    )
    def test_not_comparable(self, kind: str) -> None:
        assert plan(snapshot(1), (Column("c", kind),), has_readers=True).way is Way.REWRITE

    @pytest.mark.parametrize(
        "kind",
        ["struct<variant:int>", "struct<map:int>", "struct<variant_id:int>", "array<string>", "binary"],
    )
    def test_comparable(self, kind: str) -> None:
        assert plan(snapshot(1), (Column("c", kind),)).way is Way.DIFFERENCE


NAMES = "`k`, `odd ``name`"
RESULT = f"""(
SELECT 1 AS k, 'x' -- the end
) AS __hr_result({NAMES})"""


class TestStatement:
    def test_fill(self) -> None:
        assert statement(plan(None)) == f"INSERT INTO {TARGET} ({NAMES})\nSELECT * FROM {RESULT}"

    def test_rewrite(self) -> None:
        assert statement(plan(snapshot(1_000_000))) == (
            f"INSERT INTO {TARGET} REPLACE WHERE true\nSELECT {NAMES} FROM {RESULT}"
        )

    def test_rewrite_with_hidden_columns_that_are_not_filled(self) -> None:
        text = statement(plan(snapshot(1_000_000), stored=("k", "odd `name", "__hr_count")))
        assert f"\nSELECT {NAMES}, NULL AS `__hr_count` FROM (" in text

    def test_rewrite_in_the_order_of_the_table(self) -> None:
        text = statement(plan(snapshot(1_000_000), stored=("odd `name", "__hr_count")))
        assert "\nSELECT `odd ``name`, NULL AS `__hr_count`, `k` FROM (" in text

    def test_difference(self) -> None:
        text = statement(plan(snapshot(1)))
        assert text.startswith(f"MERGE INTO {TARGET} AS __hr_old USING (")
        assert RESULT in text
        assert "FROM `lake`.`public`.`d` VERSION AS OF 42" in text
        assert text.endswith(
            "WHEN MATCHED THEN DELETE\n"
            "WHEN NOT MATCHED THEN INSERT (`k`, `odd ``name`) VALUES (__hr_new.`k`, __hr_new.`odd ``name`)"
        )


class TestStats:
    def test_of_a_fill(self) -> None:
        assert stats_of(Snapshot(1, "append", {"added-records": "3"})) == RefreshStats(3, 0)

    def test_of_a_rewrite(self) -> None:
        summary = {"added-records": "2", "deleted-records": "5", "removed-position-deletes": "1"}
        assert stats_of(Snapshot(1, "overwrite", summary)) == RefreshStats(2, 4)

    def test_of_a_difference(self) -> None:
        summary = {
            "spark.merge-into.num-target-rows-inserted": "1",
            "spark.merge-into.num-target-rows-deleted": "2",
            "added-records": "1",
        }
        assert stats_of(Snapshot(1, "overwrite", summary)) == RefreshStats(1, 2)

    @pytest.mark.parametrize(("mode", "expected"), [("FULL", (1, 2)), ("INCREMENTAL", (4, 5))])
    def test_of_updates(self, mode: str, expected: tuple[int, int]) -> None:
        summary = {
            "headrace.refresh-mode": mode,
            "spark.merge-into.num-target-rows-inserted": "1",
            "spark.merge-into.num-target-rows-updated": "3",
            "spark.merge-into.num-target-rows-deleted": "2",
        }
        assert stats_of(Snapshot(1, "overwrite", summary)) == RefreshStats(*expected)

    def test_of_no_change(self) -> None:
        assert stats_of(Snapshot(1, "append", {})) == RefreshStats(0, 0)
