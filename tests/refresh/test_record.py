"""What a snapshot says about itself survives being written and read."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import LakeDamaged
from headrace.model.dynamic_table import Definition
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.version import TableVersion
from headrace.refresh.record import REFRESH_ID, RefreshRecord, from_summary, to_summary

A, B = TableName("lake", "public", "a"), TableName("lake", "other", "b")

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
versions = st.dictionaries(
    st.builds(TableName, words, words, words),
    st.builds(
        TableVersion,
        st.uuids().map(str),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.integers(0, 2**31 - 1),
    ),
    max_size=4,
)
records = st.builds(
    RefreshRecord,
    words,
    words,
    versions,
    st.none() | st.dates(),
    arguments=st.dictionaries(words, words, max_size=3),
    partition=st.none()
    | st.lists(st.tuples(words, st.none() | words), min_size=1).map(lambda values: Partition(tuple(values))),
    groups=versions,
)


@given(records)
def test_round_trip(record: RefreshRecord) -> None:
    assert from_summary(to_summary(record)) == record


def test_as_written() -> None:
    record = RefreshRecord(
        "job", "print", {A: TableVersion("u1", 5, 2), B: TableVersion("u2", None, 0)}, date(2024, 6, 1)
    )
    assert to_summary(record) == {
        "headrace.refresh-id": "job",
        "headrace.definition": "print",
        "headrace.source-versions": '[["lake","other","b","u2",null,0],["lake","public","a","u1",5,2]]',
        "headrace.current-date": "2024-06-01",
        "headrace.refresh-number": "0",
    }


def test_arguments_and_a_partition_as_written() -> None:
    partition = Partition((("dt", "2024-06-01"), ("region", None)))
    record = RefreshRecord("job", "print", {}, arguments={"b": "2", "a": "1"}, partition=partition)
    summary = to_summary(record)
    assert summary["headrace.arguments"] == '{"a":"1","b":"2"}'
    assert summary["headrace.partition"] == '["2024-06-01",null]'
    assert summary["headrace.partition-values"] == '[["dt","2024-06-01"],["region",null]]'


def test_without_a_date() -> None:
    summary = to_summary(RefreshRecord("job", "print", {}))
    assert "headrace.current-date" not in summary
    assert from_summary(summary).current_date is None


def test_other_keys_do_not_matter() -> None:
    record = RefreshRecord("job", "print", {})
    assert from_summary(to_summary(record) | {"added-records": "3"}) == record


@pytest.mark.parametrize(
    "damage",
    [
        {"headrace.source-versions": "["},
        {"headrace.source-versions": "[[1, 2]]"},
        {"headrace.source-versions": "3"},
        {"headrace.source-versions": '[["", "s", "t", "u", 1, 0]]'},
        {"headrace.current-date": "yesterday"},
        {"headrace.arguments": "["},
        {"headrace.partition": "[1]"},
        {"headrace.partition": "[1]", "headrace.partition-values": "[[1]]"},
    ],
)
def test_unreadable(damage: dict[str, str]) -> None:
    with pytest.raises(LakeDamaged) as caught:
        from_summary(to_summary(RefreshRecord("job", "print", {})) | damage)
    assert caught.value.message.startswith("the refresh record in a dynamic table's snapshot cannot be read")
    assert caught.value.hint == "REFRESH DYNAMIC TABLE ... FULL does not need it and writes a new one"


def test_incomplete() -> None:
    with pytest.raises(LakeDamaged):
        from_summary({REFRESH_ID: "job"})


def test_fingerprints_of_existing_lakes_stay_valid() -> None:
    definition = Definition("SELECT 1 AS a", "SELECT 1 AS a", "SELECT 1 AS a", ())
    assert definition.fingerprint == "ef9048cf6db71236bad65342aedc0ebc"
