"""Which mode the next refresh has, and the reason a user reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import pytest

from headrace.model.dynamic_table import Definition, RequestedMode, Source
from headrace.model.history import RefreshMode
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.version import TableVersion
from headrace.refresh.choose import Decision, SourceState, choose
from headrace.refresh.record import RefreshRecord

A, B = TableName("lake", "public", "a"), TableName("lake", "public", "b")
V1, V2 = TableVersion("u", 1, 0), TableVersion("u", 2, 0)
TODAY = date(2024, 6, 2)
QUERY = "SELECT * FROM a JOIN b USING (id)"
DEFINITION = Definition(QUERY, QUERY, QUERY, (Source(A, ("id",)), Source(B, ("id",))))
DAILY = replace(DEFINITION, uses_current_date=True)
RECORD = RefreshRecord("job", DEFINITION.fingerprint, {A: V1, B: V1})
SAME, CHANGED = SourceState(V1, changed=False), SourceState(V2, changed=True)
GONE = SourceState(None, changed=False, note="does not exist")


def decide(
    a: SourceState = SAME,
    b: SourceState = SAME,
    *,
    record: RefreshRecord | None = RECORD,
    definition: Definition = DEFINITION,
    mode: RequestedMode = RequestedMode.AUTO,
    full: bool = False,
    as_recorded: bool = True,
    reshaped: bool = False,
    arguments: Mapping[str, str] | None = None,
    partition: Partition | None = None,
) -> Decision:
    return choose(
        definition,
        mode,
        record,
        {A: a, B: b},
        TODAY,
        full_demanded=full,
        as_recorded=as_recorded,
        reshaped=reshaped,
        arguments=arguments,
        partition=partition,
    )


def full(reason: str) -> Decision:
    return Decision(RefreshMode.FULL, reason)


def no_data(reason: str) -> Decision:
    return Decision(RefreshMode.NO_DATA, reason)


def test_nothing_changed() -> None:
    assert decide() == no_data("no source changed")


def test_nothing_changed_under_refresh_mode_full() -> None:
    assert decide(mode=RequestedMode.FULL) == no_data("no source changed")


def test_changed() -> None:
    assert decide(CHANGED) == Decision(
        RefreshMode.INCREMENTAL, "changed since the last refresh: lake.public.a 1 -> 2"
    )


def test_all_changed_under_refresh_mode_full() -> None:
    assert decide(CHANGED, CHANGED, mode=RequestedMode.FULL) == full(
        "REFRESH_MODE = FULL: changed since the last refresh: lake.public.a 1 -> 2, lake.public.b 1 -> 2"
    )


def test_first() -> None:
    assert decide(CHANGED, CHANGED, record=None) == full("first refresh")


def test_demanded() -> None:
    assert decide(full=True) == full("FULL was requested")
    assert decide(record=None, full=True) == full("FULL was requested")


class TestAnotherDefinition:
    OLD = replace(RECORD, fingerprint="other")
    WAITS = Decision(
        RefreshMode.NO_DATA,
        "the new definition waits for the next change in a source, or for REFRESH DYNAMIC TABLE ... FULL",
        waits=True,
    )

    def test_waits(self) -> None:
        assert decide(record=self.OLD) == self.WAITS
        assert decide(record=self.OLD, mode=RequestedMode.FULL) == self.WAITS

    def test_the_same_text_with_other_columns_waits(self) -> None:
        assert decide(reshaped=True) == self.WAITS

    def test_an_altered_source_is_no_change_of_data(self) -> None:
        altered = replace(CHANGED, only_altered=True)
        assert decide(altered, record=self.OLD) == self.WAITS
        assert decide(altered).mode is RefreshMode.INCREMENTAL

    def test_takes_effect_with_a_change(self) -> None:
        assert decide(CHANGED, record=self.OLD) == full("the definition changed")
        assert decide(CHANGED, reshaped=True) == full("the definition changed")

    def test_takes_effect_on_demand(self) -> None:
        assert decide(record=self.OLD, full=True) == full("FULL was requested")

    def test_takes_effect_where_the_table_must_be_put_right(self) -> None:
        assert decide(record=self.OLD, as_recorded=False) == full("the definition changed")

    def test_takes_effect_on_a_new_date(self) -> None:
        yesterday = replace(self.OLD, current_date=date(2024, 6, 1))
        assert decide(record=yesterday, definition=DAILY) == full("the definition changed")
        assert decide(record=replace(self.OLD, current_date=TODAY), definition=DAILY) == self.WAITS

    def test_a_date_that_only_the_new_definition_asks_for(self) -> None:
        assert decide(record=self.OLD, definition=DAILY) == self.WAITS

    def test_a_date_that_only_the_old_definition_asked_for(self) -> None:
        assert decide(record=replace(self.OLD, current_date=date(2024, 6, 1))) == self.WAITS

    def test_a_gone_source_comes_first(self) -> None:
        assert not decide(GONE, record=self.OLD).waits


def test_from_empty() -> None:
    record = replace(RECORD, versions={A: TableVersion("u", None, 0), B: V1})
    assert decide(CHANGED, record=record).reason.endswith("lake.public.a empty -> 2")


def test_a_source_that_was_not_recorded() -> None:
    assert decide(CHANGED, record=replace(RECORD, versions={B: V1})).reason.endswith(
        "lake.public.a unknown -> 2"
    )


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (TableVersion("u", 1, 1), "schema 0 -> 1"),
        (TableVersion("u", 2, 1), "1 -> 2, schema 0 -> 1"),
        (TableVersion("other", 1, 0), "recreated at version 1"),
        (TableVersion("other", None, 0), "recreated, empty"),
    ],
)
def test_what_changed_besides_rows(version: TableVersion, words: str) -> None:
    reason = decide(SourceState(version, changed=True)).reason
    assert reason == f"changed since the last refresh: lake.public.a {words}"


@pytest.mark.parametrize("record", [None, RECORD])
@pytest.mark.parametrize("demanded", [True, False])
def test_a_source_is_gone(record: RefreshRecord | None, demanded: bool) -> None:
    assert decide(CHANGED, GONE, record=record, full=demanded) == no_data(
        "lake.public.b does not exist: the rows stay as they are"
    )


def test_all_sources_are_gone() -> None:
    assert decide(GONE, GONE) == no_data(
        "lake.public.a does not exist; lake.public.b does not exist: the rows stay as they are"
    )


class TestCurrentDate:
    def test_a_new_date(self) -> None:
        record = replace(RECORD, current_date=date(2024, 6, 1))
        assert decide(record=record, definition=DAILY) == full("current_date is now 2024-06-02")

    def test_the_same_date(self) -> None:
        record = replace(RECORD, current_date=TODAY)
        assert decide(record=record, definition=DAILY) == no_data("no source changed")

    def test_a_date_does_not_matter_to_others(self) -> None:
        assert decide(record=replace(RECORD, current_date=date(2024, 6, 1))) == no_data("no source changed")

    def test_a_gone_source_comes_first(self) -> None:
        record = replace(RECORD, current_date=date(2024, 6, 1))
        assert decide(GONE, record=record, definition=DAILY).mode is RefreshMode.NO_DATA


WITH_DAY = replace(RECORD, arguments={"day": "1", "least": "5"})
PART = Partition((("dt", "1"),))


def test_the_same_arguments() -> None:
    same = {"least": "5", "day": "1"}
    assert decide(record=WITH_DAY, arguments=same) == no_data("no source changed")
    assert decide(CHANGED, record=WITH_DAY, arguments=same).mode is RefreshMode.INCREMENTAL


@pytest.mark.parametrize("a", [SAME, CHANGED])
def test_other_arguments(a: SourceState) -> None:
    decided = decide(a, record=WITH_DAY, arguments={"day": "2", "least": "5"})
    assert decided == full("parameter day changed from '1' to '2'")


def test_several_other_arguments() -> None:
    decided = decide(record=WITH_DAY, arguments={"day": "2", "least": "6"})
    assert decided == full("parameter day changed from '1' to '2'; parameter least changed from '5' to '6'")


def test_the_first_refresh_of_a_partition() -> None:
    assert decide(record=None, partition=PART) == full("first refresh of partition (dt = '1')")


def test_a_partition_again() -> None:
    record = replace(RECORD, partition=PART)
    assert decide(record=record, partition=PART) == no_data("no source changed")
    assert decide(CHANGED, record=record, partition=PART).mode is RefreshMode.INCREMENTAL


def test_the_whole_table_after_a_partition() -> None:
    decided = decide(record=replace(RECORD, partition=PART))
    assert decided == full("the last refresh covered only partition (dt = '1')")
