"""Write-ahead files: what is torn, damaged or not durable was never acknowledged."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from headrace.errors import LakeDamaged, OperationalError
from headrace.lake.write_ahead.open_segment import OpenSegment
from headrace.lake.write_ahead.segment import (
    Owner,
    RecordHead,
    WriteMode,
    cut_torn_tail,
    read_owner,
    read_records,
)
from headrace.model.names import TableName

OWNER = Owner(TableName("lake", "ods", "a`b.c"), "uuid-1")
HEADS = [
    RecordHead("c", 1, 2, 1.5),
    RecordHead("ö".encode().hex(), 7, 0, 2.0, WriteMode.UPSERT, (1, 3)),
    RecordHead("c", 2, 9, 3.0),
]
PAYLOADS = [b"first" * 100, b"", os.urandom(3000)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    segment = OpenSegment(tmp_path / "a.wal", OWNER)
    for head, payload in zip(HEADS, PAYLOADS, strict=True):
        segment.append(head, payload)
    segment.sync(segment.size)
    segment.close()
    return segment.path


def test_what_is_written_is_read(path: Path) -> None:
    assert read_owner(path) == OWNER
    records = list(read_records(path))
    assert [record.head for record in records] == HEADS
    assert [record.payload for record in records] == PAYLOADS
    assert cut_torn_tail(path) == (HEADS, 0)


def test_a_file_that_is_cut_off_anywhere(path: Path) -> None:
    """Its whole records are read, and the rest is gone after it was cut."""
    whole = path.read_bytes()
    ends = [whole.index(payload) + len(payload) for payload in (PAYLOADS[0], PAYLOADS[2])]
    for length in range(0, len(whole), 17):
        path.write_bytes(whole[:length])
        count = len(list(read_records(path)))
        assert count == (0 if length < ends[0] else 2 if length >= ends[0] + 150 else count)
        heads, _ = cut_torn_tail(path)
        assert heads == HEADS[:count]
        if heads:
            assert cut_torn_tail(path) == (heads, 0)
    path.write_bytes(whole[:30])
    assert read_owner(path) is None


@pytest.mark.parametrize("place", [-1, -1500, -2999])
def test_a_damaged_record(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    heads, torn = cut_torn_tail(path)
    assert heads == HEADS[:2] and torn > 3000


def test_zeros_where_a_record_was_to_be(path: Path) -> None:
    with path.open("ab") as file:
        file.write(bytes(4096))
    heads, torn = cut_torn_tail(path)
    assert (heads, torn) == (HEADS, 4096)


def test_another_file(tmp_path: Path) -> None:
    file = tmp_path / "b.wal"
    file.write_bytes(b"something else entirely, of the same length and more\n")
    with pytest.raises(LakeDamaged, match="is not a write-ahead file"):
        read_owner(file)


def test_one_sync_serves_all_that_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = OpenSegment(tmp_path / "a.wal", OWNER)
    syncs: list[int] = []
    is_first, may_end = threading.Event(), threading.Event()
    fsync = os.fsync

    def slow(file: int) -> None:
        syncs.append(file)
        is_first.set()
        may_end.wait(30)
        fsync(file)

    monkeypatch.setattr(os, "fsync", slow)
    threads = [threading.Thread(target=segment.sync, args=(segment.append(HEADS[0], b"x"),))]
    threads[0].start()
    is_first.wait(30)
    threads += [
        threading.Thread(target=segment.sync, args=(segment.append(HEADS[0], b"x"),)) for _ in range(20)
    ]
    for thread in threads[1:]:
        thread.start()
    may_end.set()
    for thread in threads:
        thread.join()
    assert len(syncs) == 2
    segment.close()


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    segment = OpenSegment(tmp_path / "a.wal", OWNER)
    segment.sync(segment.append(HEADS[0], PAYLOADS[0]))

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, full)
        with pytest.raises(OperationalError, match="could not be made durable: No space left on device"):
            segment.sync(segment.append(HEADS[2], PAYLOADS[2]))
    assert segment.has_failed
    with pytest.raises(OperationalError):
        segment.append(HEADS[2], b"")
    segment.close()
    assert cut_torn_tail(segment.path) == (HEADS[:1], 0)
