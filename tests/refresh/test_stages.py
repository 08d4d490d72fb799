"""Stages as data: what cannot be built, and what stands in the place of marks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headrace.algebra.operators.scan import SourceVersion
from headrace.lake.change_scan.changes import ChangeEstimate
from headrace.lake.lookup.key_lookup import IndexUse
from headrace.model.dynamic_table import Column
from headrace.model.names import TableName
from headrace.refresh.stages import (
    TARGET,
    AddColumns,
    Alternative,
    Collect,
    CommitRecord,
    FindRows,
    FoundVersion,
    Stage,
    StageChanges,
    Stages,
    Way,
    Writer,
    WriteStage,
    filled,
    found_mark,
    result_mark,
    shown_texts,
)

D, T = TableName("lake", "public", "d"), TableName("lake", "public", "t")
STAGED = StageChanges(T, "1 -> 2", ChangeEstimate(2, 1, 1000, 2, insert_only=False), ("a",))
MERGE = WriteStage(Way.MERGE, f"MERGE INTO {TARGET} USING ({result_mark(1)})")
ROWS = FoundVersion(
    SourceVersion.OLD, f"SELECT id FROM ({result_mark(2)}) WHERE __hr_old", "SELECT id FROM t"
)


def collect(query: str = result_mark(1), **more: Alternative | int) -> Collect:
    return Collect(**{"detail": "rows", "query": query, "limit": 10} | more)  # type: ignore[arg-type]


def find(keys: tuple[str, ...] = ("id",), found: tuple[FoundVersion, ...] = (ROWS,), **more: str) -> FindRows:
    query = more.get("key_query", f"SELECT id FROM ({result_mark(1)})")
    return FindRows(
        table=T,
        keys=keys,
        key_query=query,
        columns=("id",),
        old=1,
        new=2,
        key_limit=5,
        limit=10,
        indexes=IndexUse.AUTO,
        found=found,
    )


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: AddColumns(()), "no column to add"),
        (
            lambda: StageChanges(T, "1 -> 2", ChangeEstimate(-1, 0, 0, 0, insert_only=True), ("a",)),
            "less than no rows",
        ),
        (lambda: collect(""), "without a query"),
        (lambda: collect(limit=-1), "a limit of -1 rows"),
        (lambda: collect(f"SELECT * FROM {TARGET}"), "only a statement writes"),
        (lambda: find(keys=()), "values without keys"),
        (lambda: find(key_query=""), "keys without values"),
        (lambda: find(found=()), "for nothing"),
        (lambda: find(key_query=f"SELECT id FROM {TARGET}"), "only a statement writes"),
        (
            lambda: Stages((STAGED, find(key_query=found_mark(3, SourceVersion.NEW)), MERGE)),
            "stage 2 reads one that comes later",
        ),
        (lambda: WriteStage(Way.NOTHING, "SELECT 1"), "a write of nothing"),
        (lambda: WriteStage(Way.REWRITE), "the driver cannot rewrite"),
        (lambda: WriteStage(Way.MERGE, "MERGE", keys=("id",)), "checked by the statement"),
        (lambda: Stages((STAGED,)), "does not commit"),
        (lambda: Stages((MERGE, CommitRecord())), "two commits"),
        (lambda: Stages((WriteStage(Way.APPEND),)), "no rows to write"),
        (lambda: Stages((STAGED, WriteStage(Way.APPEND))), "no rows to write"),
        (lambda: Stages((collect(result_mark(1)), CommitRecord())), "stage 1 reads one that comes later"),
        (lambda: Stages((STAGED, collect(result_mark(3)), MERGE)), "stage 2 reads one that comes later"),
    ],
)
def test_what_cannot_be_built(build: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        build()


def test_the_last_stage_says_how_it_is_written() -> None:
    small = Stages((STAGED, collect(over_limit=lambda: Stages((MERGE,), first=3)), WriteStage(Way.APPEND)))
    assert small.way is Way.APPEND
    assert Stages((STAGED, CommitRecord())).way is Way.NOTHING
    assert Stages.none().way is Way.NOTHING
    assert [number for number, _ in Stages((STAGED, MERGE), first=4).numbered()] == [4, 5]


def test_who_writes() -> None:
    assert (MERGE.writer, WriteStage(Way.MERGE).writer) == (Writer.SPARK, Writer.DRIVER)
    assert MERGE.detail == "merge by one Spark statement"


@pytest.mark.parametrize(
    "stage", [AddColumns((Column("__hr_id1", "bigint"),)), STAGED, collect(), find(), MERGE, CommitRecord()]
)
def test_every_stage_has_a_kind_and_a_detail(stage: Stage) -> None:
    assert stage.kind
    assert stage.detail


def test_marks_are_filled_in_one_pass() -> None:
    text = filled(
        f"{TARGET} {result_mark(1)} {result_mark(12)}",
        {
            TARGET: result_mark(1),
            result_mark(1): "one",
            result_mark(12): "twelve",
        }.__getitem__,
    )
    assert text == f"{result_mark(1)} one twelve"


def test_a_mark_is_in_no_text_of_a_user() -> None:
    assert filled("SELECT '__hr_target_', '__hr_stage_1_'", {}.__getitem__) == (
        "SELECT '__hr_target_', '__hr_stage_1_'"
    )


def test_what_a_user_reads() -> None:
    stages = Stages((STAGED, collect(), WriteStage(Way.APPEND)))
    texts = shown_texts(stages, D)
    assert filled(f"{TARGET} {result_mark(1)} {result_mark(2)}", texts.__getitem__) == (
        "`lake`.`public`.`d` SELECT * FROM changes(lake.public.t, 1 -> 2) SELECT * FROM stage_2"
    )


def test_what_a_user_reads_of_rows_that_are_found() -> None:
    texts = shown_texts(Stages((STAGED, find(), MERGE)), D)
    assert filled(found_mark(2, SourceVersion.OLD), texts.__getitem__) == (
        "SELECT id FROM (SELECT * FROM stage_2) WHERE __hr_old"
    )
