"""A spool: written by segments, read in order while it is written, within its limits."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from headrace.errors import InterfaceError, InternalError, OperationalError
from headrace.results import spool as spool_module
from headrace.results import spools as spools_module
from headrace.results.budget import ResultLimits, Unlimited
from headrace.results.source import Message
from headrace.results.spool import Spool, read_batches, whole_stream, write_table
from headrace.results.spools import Spools

SCHEMA = pa.schema({"n": pa.int64(), "s": pa.string()})


def message(start: int, count: int = 3, width: int = 1) -> Message:
    numbers = list(range(start, start + count))
    return Message.of(pa.record_batch({"n": numbers, "s": ["x" * width] * count}, SCHEMA))


def numbers(spool: Spool) -> list[int]:
    return [number for batch in read_batches(spool) for number in batch["n"].to_pylist()]


def limits(directory: Path, **changed: int) -> ResultLimits:
    return ResultLimits(**{"memory_mb": 8, "result_mb": 100, "total_mb": 200, **changed}, directory=directory)


@pytest.fixture
def spool() -> Spool:
    opened = Spool(Unlimited(), None)
    opened.begin(SCHEMA)
    return opened


@pytest.fixture
def spools(tmp_path: Path) -> Spools:
    return Spools(limits(tmp_path))


def fill(spool: Spool, megabytes: int, *, complete: bool = True) -> Spool:
    spool.begin(SCHEMA)
    segment = spool.segment(0)
    for start in range(megabytes):
        segment.append(message(start, 1, 1 << 20))
    segment.end()
    if complete:
        spool.finish(1)
    return spool


def open_files(directory: Path) -> int:
    """Also those that have been removed from it."""
    targets = [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
    return sum(target.startswith(str(directory)) for target in targets)


def test_segments_are_read_in_their_order(spool: Spool) -> None:
    first, second, third = (spool.segment(number) for number in (0, 1, 2))
    third.append(message(20))
    third.end()
    second.append(message(10))
    first.append(message(0))
    first.end()
    second.end()
    spool.finish(3)
    assert numbers(spool) == [0, 1, 2, 10, 11, 12, 20, 21, 22]
    assert spool.rows == 9


def test_rows_of_the_first_segment_are_read_while_it_is_written(spool: Spool) -> None:
    first, second = spool.segment(0), spool.segment(1)
    second.append(message(10))
    assert spool.read(0, 0).messages == ()
    first.append(message(0))
    chunk = spool.read(0, 0)
    assert (chunk.next_row, chunk.is_last) == (3, False)
    assert spool.read(3, 0).messages == ()
    first.end()
    assert spool.read(3, 0).next_row == 6


def test_a_reader_waits_for_rows(spool: Spool) -> None:
    found: list[int] = []
    reader = threading.Thread(target=lambda: found.extend(numbers(spool)))
    reader.start()
    segment = spool.segment(0)
    for start in (0, 3):
        segment.append(message(start))
    segment.end()
    spool.finish(1)
    reader.join(10)
    assert found == [0, 1, 2, 3, 4, 5]


def test_reading_begins_with_the_batch_that_has_the_row(spool: Spool) -> None:
    write_table(pa.Table.from_batches([message(start).batch(SCHEMA) for start in (0, 3, 6)]), spool)
    chunk = spool.read(4, 0)
    assert (chunk.first_row, chunk.next_row, chunk.is_last) == (3, 9, True)
    cut = [each.batch(SCHEMA)["n"].to_pylist() for each in chunk.rows_between(4, 7, SCHEMA)]
    assert cut == [[4, 5], [6]]
    assert spool.read(9, 0).is_last
    assert spool.read(100, 0).messages == ()


def test_a_chunk_is_limited(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool_module, "CHUNK_BYTES", 1)
    write_table(pa.Table.from_batches([message(start).batch(SCHEMA) for start in (0, 3, 6)]), spool)
    assert [spool.read(row, 0).next_row for row in (0, 3, 6)] == [3, 6, 9]
    assert numbers(spool) == list(range(9))


def test_no_rows(spool: Spool) -> None:
    write_table(SCHEMA.empty_table(), spool)
    assert numbers(spool) == []
    assert pa.ipc.open_stream(whole_stream(spool)).read_all() == SCHEMA.empty_table()


def test_the_error_comes_after_the_rows_that_are_there(spool: Spool) -> None:
    spool.segment(0).append(message(0))
    spool.fail(OperationalError("division by zero"))
    spool.fail(OperationalError("cancelled"))
    chunk = spool.read(0, 0)
    assert (chunk.next_row, chunk.is_last) == (3, False)
    with pytest.raises(OperationalError, match="division by zero"):
        spool.read(3, 0)
    with pytest.raises(OperationalError, match="division by zero"):
        spool.segment(1)


def test_a_partition_that_is_missing_is_an_error(spool: Spool) -> None:
    spool.segment(0).end()
    with pytest.raises(InternalError, match="1 of 2 partitions are missing"):
        spool.finish(2)
    with pytest.raises(InternalError):
        spool.read(0, 0)


def test_a_partition_that_is_computed_again_replaces_its_rows(spool: Spool) -> None:
    lost = spool.segment(0)
    lost.append(message(100))
    again = spool.segment(0)
    again.append(message(0))
    lost.append(message(103))
    again.end()
    spool.segment(0).append(message(200))  # of a second attempt that came too late
    spool.finish(1)
    assert numbers(spool) == [0, 1, 2]


def test_a_partition_that_is_computed_again_after_it_was_read(spool: Spool) -> None:
    spool.segment(0).append(message(100))
    spool.read(0, 0)
    with pytest.raises(OperationalError, match="computed again after its rows were read"):
        spool.segment(0)
    with pytest.raises(OperationalError, match="computed again after its rows were read"):
        spool.read(3, 0)


def test_more_than_the_memory_is_on_disk_in_files_without_names(spools: Spools, tmp_path: Path) -> None:
    spool = fill(spools.open("job"), 10)
    assert (spool.usage.memory >> 20, spool.usage.disk >> 20) == (0, 10)
    assert list(tmp_path.iterdir()) == []
    assert numbers(spool) == list(range(10))
    assert {len(batch["s"][0].as_py()) for batch in read_batches(spool)} == {1 << 20}


def test_small_results_stay_in_memory(spools: Spools) -> None:
    spool = spools.open("job")
    write_table(message(0).batch(SCHEMA).schema.empty_table(), spool)
    write = spools.open("other").segment(0)
    write.append(message(0))
    assert spools.find("other").usage.disk == 0


def test_the_file_is_closed_when_the_result_is_released(spools: Spools, tmp_path: Path) -> None:
    spool = fill(spools.open("job"), 10)
    assert open_files(tmp_path) == 1
    spools.release("job")
    assert open_files(tmp_path) == 0
    with pytest.raises(InterfaceError, match="no longer available"):
        spool.read(0, 0)
    with pytest.raises(InterfaceError, match="the rows of statement job are no longer available"):
        spools.find("job")
    spools.release("job")


def test_a_result_that_is_too_large(tmp_path: Path) -> None:
    spools = Spools(limits(tmp_path, result_mb=3))
    with pytest.raises(OperationalError) as caught:
        fill(spools.open("job"), 4)
    assert caught.value.message == "the result is larger than 3 MB"
    assert "result_max_mb in lake.toml" in str(caught.value.hint)


def test_unused_results_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spools_module, "_IN_USE_SECONDS", -1.0)
    spools = Spools(limits(tmp_path, total_mb=5))
    for name in ("first", "second", "third"):
        fill(spools.open(name), 2)
        spools.find("second" if name == "second" else name).read(0, 0)
    with pytest.raises(InterfaceError):
        spools.find("first")
    assert numbers(spools.find("second")) == numbers(spools.find("third")) == [0, 1]


def test_results_in_use_do_not_make_room(tmp_path: Path) -> None:
    spools = Spools(limits(tmp_path, total_mb=5))
    fill(spools.open("running"), 2, complete=False)
    fill(spools.open("just ended"), 2)
    with pytest.raises(OperationalError, match="larger than 5 MB"):
        fill(spools.open("third"), 2)
    spools.release("third")
    spools.release("running")
    fill(spools.open("fourth"), 2)


def test_a_session_that_ends_releases_its_results(spools: Spools) -> None:
    fill(spools.open("mine", "me"), 1)
    fill(spools.open("other", "you"), 1)
    unfinished = fill(spools.open("running", "me"), 1, complete=False)
    spools.release_session("me")
    with pytest.raises(InterfaceError):
        spools.find("mine")
    assert numbers(spools.find("other")) == [0]
    unfinished.finish(1)
    assert numbers(unfinished) == [0]


def test_a_disk_that_cannot_be_written_to(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    spool = Spools(limits(blocked / "results", memory_mb=0)).open("job")
    with pytest.raises(OperationalError, match="cannot be written to disk: Not a directory"):
        fill(spool, 1)
    with pytest.raises(OperationalError, match="cannot be written to disk"):
        spool.read(0, 0)


def test_whoever_waits_is_told_once_that_a_result_is_large(spool: Spool) -> None:
    calls: list[int] = []
    spool.notify_above(1 << 20, lambda: calls.append(spool.usage.total >> 20))
    fill(spool, 3)
    assert calls == [1]
