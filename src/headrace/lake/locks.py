"""Who works on what: one at a time, in this process or among all that have the lake open.

A key is held as a whole, or in parts by several at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

_POLL_SECONDS = 0.02


class Locks(Protocol):
    def hold(self, key: str, seconds: float, part: str | None = None) -> AbstractContextManager[bool]:
        """Held inside the block, unless it says False: someone else had it all the while."""


class ThreadLocks:
    """Among the threads of this process. Who waits for a whole comes before those who want a part later."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held: dict[str, set[str | None]] = defaultdict(set)
        """By key: parts, or None for the whole."""
        self._waiting: dict[str, int] = defaultdict(int)
        """How many wait for the whole of a key."""

    @contextmanager
    def hold(self, key: str, seconds: float, part: str | None = None) -> Iterator[bool]:
        held = self._acquire(key, part, seconds)
        try:
            yield held
        finally:
            if held:
                self._release(key, part)

    def _acquire(self, key: str, part: str | None, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        with self._changed:
            self._waiting[key] += part is None
            try:
                while not self._is_free(key, part):
                    if not self._changed.wait(deadline - time.monotonic()):
                        return False
                self._held[key].add(part)
            finally:
                self._waiting[key] -= part is None
                self._changed.notify_all()
        return True

    def _release(self, key: str, part: str | None) -> None:
        with self._changed:
            self._held[key].discard(part)
            self._changed.notify_all()

    def _is_free(self, key: str, part: str | None) -> bool:
        held = self._held[key]
        if part is None:
            return not held
        return not held & {None, part} and not self._waiting[key]


class FileLocks:
    """Among the processes of one machine; the system lets go of what a killed one held."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(exist_ok=True)
        self._directory = directory
        self._threads = ThreadLocks()

    @contextmanager
    def hold(self, key: str, seconds: float, part: str | None = None) -> Iterator[bool]:
        deadline = time.monotonic() + seconds
        with self._threads.hold(key, seconds, part) as mine, ExitStack() as files:
            yield mine and all(
                _flocked(files.enter_context((self._directory / name).open("a")).fileno(), kind, deadline)
                for name, kind in _files(key, part)
            )


def _files(key: str, part: str | None) -> list[tuple[str, int]]:
    """A part is held by a file of its own, and keeps those out who want the whole."""
    if part is None:
        return [(f"{key}.lock", fcntl.LOCK_EX)]
    name = hashlib.sha256(part.encode()).hexdigest()[:32]
    return [(f"{key}.lock", fcntl.LOCK_SH), (f"{key}-{name}.lock", fcntl.LOCK_EX)]


def _flocked(file: int, kind: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
