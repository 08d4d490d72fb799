"""Who works on what: one at a time, in this process or among all that have the lake open."""

from __future__ import annotations

import fcntl
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

_POLL_SECONDS = 0.02


class Locks(Protocol):
    def hold(self, key: str, seconds: float) -> AbstractContextManager[bool]:
        """Held inside the block, unless it says False: someone else had it all the while."""


class ThreadLocks:
    """Among the threads of this process, which has the lake for itself."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    @contextmanager
    def hold(self, key: str, seconds: float) -> Iterator[bool]:
        lock = self._locks[key]
        held = lock.acquire(timeout=max(0, seconds))
        try:
            yield held
        finally:
            if held:
                lock.release()


class FileLocks:
    """Among the processes of one machine; the system lets go of what a killed one held."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(exist_ok=True)
        self._directory = directory
        self._threads = ThreadLocks()

    @contextmanager
    def hold(self, key: str, seconds: float) -> Iterator[bool]:
        deadline = time.monotonic() + seconds
        with (
            self._threads.hold(key, seconds) as mine,
            (self._directory / f"{key}.lock").open("a") as file,
        ):
            yield mine and _flocked(file.fileno(), deadline)


def _flocked(file: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
