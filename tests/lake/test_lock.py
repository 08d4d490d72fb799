"""One process at a time has a lake open, and the JVM that a killed process left behind counts too."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from headrace.errors import LakeError, LakeLocked
from headrace.lake import directory
from headrace.lake.directory import LakeDirectory, LakeLock, make_lake

OPEN_IT = """
import pathlib, sys
from headrace.lake.directory import LakeLock, open_directory
lock = LakeLock(open_directory(pathlib.Path(sys.argv[1])))
print("held", flush=True)
sys.stdin.read()
"""

LOCK_AS_A_JVM_DOES = """
import fcntl, pathlib, sys
file = (pathlib.Path(sys.argv[1]) / "lock").open("r+")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def lake(tmp_path: Path) -> LakeDirectory:
    return make_lake(tmp_path / "lake")


@contextlib.contextmanager
def holder(script: str, lake: LakeDirectory) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(lake.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_second_process_is_told_who_has_it(lake: LakeDirectory) -> None:
    with holder(OPEN_IT, lake) as first, pytest.raises(LakeLocked) as caught:
        LakeLock(lake)
    assert caught.value.message == f"the lake in {lake.path} is open in another process (process {first.pid})"
    assert caught.value.hint == "close it there first"


def test_a_server_is_named_by_its_address(lake: LakeDirectory) -> None:
    serving = OPEN_IT.replace('print("held"', 'lock.announce("http://127.0.0.1:8642"); print("held"')
    with holder(serving, lake) as first, pytest.raises(LakeLocked) as caught:
        LakeLock(lake)
    assert f"(process {first.pid}, serving http://127.0.0.1:8642)" in caught.value.message
    assert caught.value.hint == "connect to that server: --url http://127.0.0.1:8642"


def test_free_after_release(lake: LakeDirectory) -> None:
    LakeLock(lake).release()
    LakeLock(lake).release()
    assert lake.lock_file.read_text() == f"process {os.getpid()}"


def test_free_after_the_holder_was_killed(lake: LakeDirectory) -> None:
    with holder(OPEN_IT, lake) as first:
        first.kill()
        first.wait()
        LakeLock(lake).release()


def test_a_refused_process_leaves_the_lock_alone(lake: LakeDirectory) -> None:
    with holder(OPEN_IT, lake) as first:
        for _ in range(2):
            with pytest.raises(LakeLocked, match=f"process {first.pid}"):
                LakeLock(lake)
        assert lake.lock_file.read_text() == f"process {first.pid}"


def test_waits_for_a_jvm_that_was_left_behind(lake: LakeDirectory) -> None:
    with holder(LOCK_AS_A_JVM_DOES, lake) as jvm:
        threading.Timer(0.3, jvm.kill).start()
        LakeLock(lake).release()
        assert jvm.wait() != 0


def test_a_jvm_that_stays_is_named(lake: LakeDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "_JVM_EXIT_SECONDS", 0.2)
    LakeLock(lake).release()
    with holder(LOCK_AS_A_JVM_DOES, lake):
        with pytest.raises(LakeLocked) as caught:
            LakeLock(lake)
        assert caught.value.message == (
            f"the lake in {lake.path} is still locked by the Java process of a Headrace that was killed "
            f"(process {os.getpid()})"
        )
        assert caught.value.hint == "wait until that Java process has ended, or stop it"
    LakeLock(lake).release()


def test_a_lock_that_cannot_be_opened(lake: LakeDirectory) -> None:
    lake.lock_file.unlink()
    lake.lock_file.mkdir()
    with pytest.raises(LakeError) as caught:
        LakeLock(lake)
    assert caught.value.message == f"cannot open {lake.lock_file}: Is a directory"
