"""A write-ahead file while it is written: many threads append, and one fsync serves all that wait."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from headrace.errors import OperationalError
from headrace.lake.write_ahead.segment import Owner, RecordHead, encode_owner, encode_record


class OpenSegment:
    """``append`` is called by one thread at a time, ``sync`` by any."""

    def __init__(self, path: Path, owner: Owner) -> None:
        self.path = path
        self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        self._syncing = threading.Lock()
        self._failure: OSError | None = None
        try:
            self._end = self._write([encode_owner(owner)])
            os.fsync(self._file)
            sync_directory(path.parent)
        except OSError as error:
            os.close(self._file)
            path.unlink(missing_ok=True)
            raise _refusal(error) from error
        self._durable = self._end

    @property
    def size(self) -> int:
        return self._end

    @property
    def has_failed(self) -> bool:
        """Whether it takes no further record."""
        return self._failure is not None

    def append(self, head: RecordHead, payload: bytes) -> int:
        """Where the record ends: it is durable once the file is, up to there."""
        if self._failure is not None:
            raise _refusal(self._failure)
        try:
            self._end += self._write(encode_record(head, payload))
        except OSError as error:
            self._fail(error)
            raise _refusal(error) from error
        return self._end

    def sync(self, end: int) -> None:
        """Returns when all records up to ``end`` are durable."""
        with self._syncing:
            if self._durable >= end:
                return
            if self._failure is not None:
                raise _refusal(self._failure)
            upto = self._end
            try:
                os.fsync(self._file)
            except OSError as error:
                self._fail(error)
                raise _refusal(error) from error
            self._durable = upto

    def close(self) -> None:
        with self._syncing:
            os.close(self._file)

    def _write(self, parts: list[bytes]) -> int:
        whole = b"".join(parts)
        written = os.write(self._file, whole)
        if written < len(whole):
            raise OSError(f"{written} of {len(whole)} bytes were written")
        return written

    def _fail(self, error: OSError) -> None:
        """What is not durable was not acknowledged, and must not be read again."""
        self._failure = error
        with suppress(OSError):  # then they may be committed, which a client that sends them again finds out
            os.ftruncate(self._file, self._durable)


def sync_directory(path: Path) -> None:
    """So that a new, renamed or deleted file in it survives a failure of the machine."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _refusal(error: OSError) -> OperationalError:
    return OperationalError(
        f"the rows could not be made durable: {error.strerror or error}",
        hint="nothing of the request was kept; see that the disk of the server has room",
    )
