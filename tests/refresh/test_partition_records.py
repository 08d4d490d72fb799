"""What is known of each partition: the database up to a version, the table from there on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.lake.table.tables import Snapshot, Versions
from headrace.model.partition import Partition
from headrace.model.version import TableVersion
from headrace.refresh.partition_records import WHOLE, all_records, bring_forward, record_of
from headrace.refresh.record import CARRIED, RefreshRecord, carried, to_summary

P, Q = Partition((("dt", "p"),)), Partition((("dt", None),))


@dataclass
class FakeTable:
    """Snapshots are numbered from 1, each the child of the one before unless told otherwise."""

    kept: list[Snapshot]

    @property
    def version(self) -> TableVersion:
        return TableVersion("u", self.kept[-1].id if self.kept else None, 0)

    def versions(self) -> Versions:
        return Versions(tuple(reversed(self.kept)), ())

    def add(self, operation: str = "append", **summary: Any) -> None:
        last = self.kept[-1].id if self.kept else None
        self.kept.append(Snapshot((last or 0) + 1, operation, summary.get("summary", {}), last))

    def refresh(self, job: str, partition: Partition | None) -> None:
        self.add(summary=to_summary(RefreshRecord(job, "print", {}, partition=partition)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MetadataStore]:
    opened = MetadataStore.open(sqlite_url(tmp_path / "meta.db"))
    yield opened
    opened.close()


def known(table: FakeTable, store: MetadataStore) -> dict[str, str | None]:
    found: Any = all_records("t", table, store.partitions, table.version.snapshot_id)  # type: ignore[arg-type]
    for partition in (P, Q):
        one: Any = record_of(partition, "t", table, store.partitions)  # type: ignore[arg-type]
        assert one == found.get(partition.key)
    return {key: record and record.refresh_id for key, record in found.items()}


def forward(table: FakeTable, store: MetadataStore) -> None:
    bring_forward("t", table, store.partitions)  # type: ignore[arg-type]


def test_nothing_was_refreshed(store: MetadataStore) -> None:
    assert known(FakeTable([]), store) == {}
    forward(FakeTable([]), store)
    assert store.partitions.head("t") is None


@pytest.mark.parametrize("written_after", [0, 1, 2, 3])
def test_the_table_knows_what_was_not_written_down(store: MetadataStore, written_after: int) -> None:
    table = FakeTable([])
    for number, (job, partition) in enumerate([("1", P), ("2", Q), ("3", P)]):
        if number == written_after:
            forward(table, store)
        table.refresh(job, partition)
    expected = {WHOLE: None, P.key: "3", Q.key: "2"}
    assert known(table, store) == expected
    forward(table, store)
    assert store.partitions.head("t") == 3
    assert known(table, store) == expected


def test_what_was_written_down_outlives_its_version(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    forward(table, store)
    table.refresh("2", Q)
    forward(table, store)
    del table.kept[0]
    assert known(table, store) == {WHOLE: None, P.key: "1", Q.key: "2"}


def test_what_was_not_written_down_does_not(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    table.refresh("2", Q)
    del table.kept[0]
    assert known(table, store) == {Q.key: "2"}


def test_the_whole_table(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    forward(table, store)
    table.refresh("2", None)
    assert known(table, store) == {WHOLE: "2"}
    table.refresh("3", Q)
    assert known(table, store) == {WHOLE: "2", Q.key: "3"}
    forward(table, store)
    assert known(table, store) == {WHOLE: "2", Q.key: "3"}
    assert len(store.partitions.all("t")) == 2


def test_rewritten_files_do_not_matter(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    forward(table, store)
    table.add("replace")
    table.refresh("2", Q)
    table.add("replace")
    assert known(table, store) == {WHOLE: None, P.key: "1", Q.key: "2"}


def test_another_writer(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    forward(table, store)
    table.add("append")
    assert known(table, store) == {}
    table.refresh("2", Q)
    assert known(table, store) == {Q.key: "2"}
    forward(table, store)
    assert known(table, store) == {Q.key: "2"}


def test_another_column_name(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    forward(table, store)
    table.add(summary=carried(table.kept[-1].summary, table.kept[-1].id))
    assert known(table, store) == {WHOLE: None, P.key: "1"}


def test_a_restored_version(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    table.refresh("2", Q)
    table.refresh("3", P)
    forward(table, store)
    table.add(summary=carried(table.kept[1].summary, 2))
    assert table.kept[-1].summary[CARRIED] == "2"
    assert known(table, store) == {WHOLE: None, P.key: "1", Q.key: "2"}
    forward(table, store)
    assert known(table, store) == {WHOLE: None, P.key: "1", Q.key: "2"}


def test_a_restored_version_that_is_gone(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    table.refresh("2", Q)
    forward(table, store)
    table.add(summary=carried(table.kept[0].summary, 1))
    del table.kept[0]
    assert known(table, store) == {P.key: "1"}


def test_who_comes_second_looks_again(store: MetadataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    advance = store.partitions.advance

    def overtaken(*arguments: Any, **more: Any) -> bool:
        monkeypatch.undo()
        forward(FakeTable(list(table.kept)), store)
        return advance(*arguments, **more)

    monkeypatch.setattr(store.partitions, "advance", overtaken)
    forward(table, store)
    assert known(table, store) == {WHOLE: None, P.key: "1"}


def test_beginning_anew(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    forward(table, store)
    store.partitions.start_anew("t", 1)
    assert known(table, store) == {}
    table.refresh("2", Q)
    assert known(table, store) == {Q.key: "2"}


def test_what_is_lost_goes(store: MetadataStore) -> None:
    table = FakeTable([])
    table.refresh("1", P)
    forward(table, store)
    store.partitions.forget_lost()
    assert (store.partitions.head("t"), store.partitions.all("t")) == (None, {})


def test_ten_thousand_partitions(store: MetadataStore) -> None:
    """The table's summaries stay small, and one partition is found without the others."""
    records = {
        Partition((("dt", str(number)),)).key: to_summary(
            RefreshRecord(str(number), "print", {}, partition=Partition((("dt", str(number)),)))
        )
        for number in range(10_000)
    }
    assert store.partitions.advance("t", None, 1, records, keep=True)
    table = FakeTable([])
    table.refresh("last", Partition((("dt", "9999"),)))
    found = record_of(Partition((("dt", "1234"),)), "t", table, store.partitions)  # type: ignore[arg-type]
    assert found is not None
    assert found.refresh_id == "1234"
    assert max(len(str(snapshot.summary)) for snapshot in table.kept) < 1000
