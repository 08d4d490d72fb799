"""Stages as data: what cannot be built, and what stands in the place of marks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headrace.lake.change_scan.changes import ChangeEstimate
from headrace.model.dynamic_table import Column
from headrace.model.names import TableName
from headrace.refresh.find_rows import Key
from headrace.refresh.stages import (
    KEYS_IN,
    SAME_ROW,
    TARGET,
    AddColumns,
    Collect,
    CommitRecord,
    KeySearch,
    LookUp,
    Stage,
    StageChanges,
    Stages,
    Way,
    Writer,
    WriteStage,
    filled,
    result_mark,
    shown_texts,
)

D, T = TableName("lake", "public", "d"), TableName("lake", "public", "t")
STAGED = StageChanges(T, "1 -> 2", ChangeEstimate(2, 1, 1000, 2, insert_only=False))
MERGE = WriteStage(Way.MERGE, f"MERGE INTO {TARGET} USING ({result_mark(1)})")
ID = Key("id", is_date=False)


def collect(query: str = result_mark(1), **more: Stages | int) -> Collect:
    return Collect(**{"detail": "rows", "query": query, "limit": 10} | more)  # type: ignore[arg-type]


def look_up(query: str, search: KeySearch | None) -> LookUp:
    return LookUp(detail="rows", query=query, limit=10, keys=("id",), search=search)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: AddColumns(()), "no column to add"),
        (
            lambda: StageChanges(T, "1 -> 2", ChangeEstimate(-1, 0, 0, 0, insert_only=True)),
            "less than no rows",
        ),
        (lambda: collect(""), "without a query"),
        (lambda: collect(limit=-1), "a limit of -1 rows"),
        (lambda: collect(f"SELECT * FROM {TARGET}"), "only a statement writes"),
        (lambda: KeySearch(1, ("id",), ()), "without a key"),
        (lambda: KeySearch(1, ("k",), (ID,)), "other columns"),
        (lambda: look_up(f"WHERE {KEYS_IN} ON {SAME_ROW}", None), "belong together"),
        (lambda: look_up("SELECT 1", KeySearch(1, ("id",), (ID,))), "belong together"),
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


def test_an_alternative_cannot_read_rows_that_were_not_kept() -> None:
    reads_itself = Stages((WriteStage(Way.MERGE, f"MERGE INTO {TARGET} USING ({result_mark(2)})"),), first=3)
    with pytest.raises(ValueError, match="stage 2 reads one that comes later"):
        Stages((STAGED, collect(over_limit=reads_itself), WriteStage(Way.MERGE)))


def test_the_last_stage_says_how_it_is_written() -> None:
    small = Stages((STAGED, collect(over_limit=Stages((MERGE,), first=3)), WriteStage(Way.APPEND)))
    assert small.way is Way.APPEND
    assert Stages((STAGED, CommitRecord())).way is Way.NOTHING
    assert Stages.none().way is Way.NOTHING
    assert [number for number, _ in Stages((STAGED, MERGE), first=4).numbered()] == [4, 5]


def test_who_writes() -> None:
    assert (MERGE.writer, WriteStage(Way.MERGE).writer) == (Writer.SPARK, Writer.DRIVER)
    assert MERGE.detail == "merge by one Spark statement"


@pytest.mark.parametrize(
    "stage", [AddColumns((Column("__hr_id1", "bigint"),)), STAGED, collect(), MERGE, CommitRecord()]
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
    search = KeySearch(2, ("id", "k"), (ID,))
    assert filled(f"WHERE {KEYS_IN} ON {SAME_ROW}", search.conditions.__getitem__) == (
        "WHERE __hr_old.`id` IN (SELECT `id` FROM stage_2) "
        "ON __hr_all.`id` <=> __hr_few.`id` AND __hr_all.`k` <=> __hr_few.`k`"
    )
