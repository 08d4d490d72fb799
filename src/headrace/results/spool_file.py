"""A file without a name, to which many threads append and from which many read."""

from __future__ import annotations

import os
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from headrace.errors import OperationalError


class SpoolFile:
    """Closed when nobody refers to it any more, so never while a thread reads or writes."""

    def __init__(self, directory: Path | None) -> None:
        try:
            if directory is not None:
                directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory) as file:
                self._descriptor = os.dup(file.fileno())
        except OSError as error:
            raise _cannot_store(error) from None
        self._length = 0
        self._growing = threading.Lock()

    def append(self, data: bytes) -> FilePlace:
        with self._growing:
            offset, self._length = self._length, self._length + len(data)
        rest, at = memoryview(data), offset
        try:
            while rest:
                written = os.pwrite(self._descriptor, rest, at)
                rest, at = rest[written:], at + written
        except OSError as error:
            raise _cannot_store(error) from None
        return FilePlace(self, offset, len(data))

    def read(self, offset: int, length: int) -> bytes:
        data = os.pread(self._descriptor, length, offset)
        if len(data) != length:
            raise OperationalError("the rows of the statement cannot be read from disk")
        return data

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)


@dataclass(frozen=True)
class FilePlace:
    file: SpoolFile
    offset: int
    length: int

    def __len__(self) -> int:
        return self.length

    def read(self) -> bytes:
        return self.file.read(self.offset, self.length)


def _cannot_store(error: OSError) -> OperationalError:
    return OperationalError(
        f"the rows of the result cannot be written to disk: {error.strerror}",
        hint="free some disk space, use LIMIT, or write the result into a table with CREATE TABLE ... AS",
    )
