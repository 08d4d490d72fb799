"""Positions in directories and topics, without Spark."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import LakeDamaged, NotSupportedError, OperationalError, Refused
from headrace.features.pipes.model import KafkaSource, Secret
from headrace.ingest.files.ledger import (
    HISTORY,
    Ledger,
    LoadedFile,
    after_loading,
    files_named_in,
    read_ledger,
)
from headrace.ingest.kafka.client_options import check_options, client_properties
from headrace.ingest.kafka.offsets import TopicPosition, halves, next_range, read_position
from headrace.lake.file_systems import FileEntry, list_files

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


class Memory:
    """Files beside a table."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def write(self, name: str, content: bytes) -> str:
        self.files[name] = content
        return name

    def read(self, location: str) -> bytes:
        return self.files[location]


def loaded(number: int, at: datetime = NOON) -> LoadedFile:
    return LoadedFile(FileEntry(f"/in/file-{number:06}.csv", number, number), at, "COPY INTO")


def test_files_are_remembered_in_few_and_in_many_steps() -> None:
    store, position, known = Memory(), None, list[LoadedFile]()
    for step in range(60):
        new = [loaded(step * 10 + each) for each in range(10 if step % 7 else 200)]
        known += new
        listed = [each.file for each in known]
        position = after_loading(read_ledger(position, store), new, listed, "/in", store)
        assert len(position) <= 4100
    ledger = read_ledger(position, store)
    assert {each.file for each in ledger.loaded} == {each.file for each in known}
    assert ledger.has(loaded(3).file)
    assert not ledger.has(replace(loaded(3).file, size=9)), "it was written anew"
    assert position is not None
    assert len(files_named_in(position)) == 1
    assert len(store.files) < 40


def test_a_directory_of_100_000_files(tmp_path: Path) -> None:
    """As a pipe loads it, in commits of 10,000 files."""
    for number in range(100_000):
        (tmp_path / f"{number:06}.csv").touch()
    listed = list_files(str(tmp_path))
    store, position = Memory(), None
    for start in range(0, len(listed), 10_000):
        new = [LoadedFile(each, NOON, "p") for each in listed[start : start + 10_000]]
        position = after_loading(read_ledger(position, store), new, listed, str(tmp_path), store)
        assert len(position) <= 4100
    ledger = read_ledger(position, store)
    assert len(listed) == 100_000
    assert all(map(ledger.has, list_files(str(tmp_path))))
    assert position is not None
    assert len(store.files[files_named_in(position)[0]]) < 5_000_000


def test_files_that_are_gone_are_forgotten_in_the_end() -> None:
    store, late = Memory(), NOON + HISTORY + timedelta(days=1)
    elsewhere = replace(loaded(1), file=FileEntry("/other/a.csv", 1, 1))
    ledger = Ledger((loaded(1), loaded(2), elsewhere))
    new = [loaded(number, late) for number in range(100, 200)]
    position = after_loading(ledger, new, [loaded(2).file], "/in", store)
    kept = read_ledger(position, store)
    assert not kept.has(loaded(1).file)
    assert kept.has(loaded(2).file), "it is still there"
    assert kept.has(elsewhere.file), "who knows"


def test_a_damaged_list_of_files() -> None:
    for broken in ("{", "{}", '{"file": null, "recent": [[1]]}'):
        with pytest.raises(LakeDamaged, match="the list of loaded files cannot be read"):
            read_ledger(broken, Memory())


def test_a_position_in_kafka_is_of_one_topic() -> None:
    position = TopicPosition("orders", {1: 5, 0: 2}, 3)
    assert read_position(position.text(), "orders") == position
    assert read_position(position.text(), "other") is None
    with pytest.raises(LakeDamaged):
        read_position('{"offsets": 1}', "orders")


def test_what_is_read_next() -> None:
    earliest, latest = {0: 0, 1: 10, 2: 4}, {0: 100, 1: 12, 2: 4}
    assert next_range({0: 7, 1: 10}, earliest, latest, 50, may_lose=False) == (
        {0: 7, 1: 10, 2: 4},
        {0: 57, 1: 12, 2: 4},
    )
    with pytest.raises(OperationalError, match="messages 3 to 9 of partition 1 were deleted"):
        next_range({1: 3}, earliest, latest, 50, may_lose=False)
    assert next_range({1: 3}, earliest, latest, 50, may_lose=True)[0][1] == 10
    with pytest.raises(OperationalError, match="partition 2 ends at offset 4, but 9 was read"):
        next_range({2: 9}, earliest, latest, 50, may_lose=True)


@given(st.dictionaries(st.integers(0, 3), st.tuples(st.integers(0, 9), st.integers(0, 20)), min_size=1))
def test_halving_ends_with_each_offset_once(ranges: dict[int, tuple[int, int]]) -> None:
    start = {each: first for each, (first, _) in ranges.items()}
    end = {each: first + length for each, (first, length) in ranges.items()}
    pending, single = [(start, end)], list[tuple[int, int]]()
    while pending:
        part = pending.pop()
        halved = halves(*part)
        if len(halved) == 2:
            pending += halved
        else:
            single += [(each, offset) for each in part[0] for offset in range(part[0][each], part[1][each])]
    assert sorted(single) == sorted((each, n) for each in start for n in range(start[each], end[each]))


def test_options_of_kafka() -> None:
    source = KafkaSource(
        "k:1",
        "t",
        "g",
        options={"sasl.mechanism": "PLAIN", "sasl.username": "ann", "sasl.password": Secret("p")},
    )
    check_options(source)
    properties = client_properties(source, {"p": 'a"b'}.__getitem__)
    assert properties == {
        "bootstrap.servers": "k:1",
        "group.id": "g",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required"
        ' username="ann" password="a\\"b";',
    }
    for key in ("sasl.jaas.config", "ssl.truststore.location", "sasl.login.class"):
        with pytest.raises(NotSupportedError, match=f"read_kafka has no option {key}"):
            check_options(replace(source, options={key: "x"}))
    with pytest.raises(Refused, match=r"sasl\.password cannot be written into a statement"):
        check_options(replace(source, options={"sasl.password": "x"}))
    for key in ("sasl.mechanism", "request.timeout.ms", "security.protocol", "client.id"):
        secret = replace(source, options={"sasl.username": "u", key: Secret("p")})
        with pytest.raises(Refused, match=f"the option {key} cannot be a secret"):
            client_properties(secret, {"p": "hidden"}.__getitem__)


def test_a_position_that_names_another_file_reads_nothing() -> None:
    store = Memory()
    for name in ("/etc/passwd", "/lake/t/_headrace/loaded-1.json.gz/../../x", "file:/dev/zero"):
        with pytest.raises(LakeDamaged, match="is not one that was written here"):
            read_ledger(f'{{"file": "{name}", "recent": []}}', store)
