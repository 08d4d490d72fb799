"""Which files were loaded into a table: the position of all that reads files into it.

A position is short: the files loaded last, and the name of a file beside the table that has all others. When
the files loaded last are too many for the summary of a snapshot, they go to a new file of that kind.
"""

from __future__ import annotations

import gzip
import json
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from headrace.errors import LakeDamaged
from headrace.lake.file_systems import FileEntry

FILES_KEY = "headrace.ingest.files"
HISTORY = timedelta(days=7)
"""How long a file is remembered that is no longer there."""
_LONGEST = 4000
"""Characters of a position."""
_STORED = re.compile(r"(?:.*/)?loaded-[0-9a-f]{32}[.]json[.]gz")
"""Who sets the property of a table cannot have another file read."""


class SideStore(Protocol):
    """Keeps what is too long for a position."""

    def write(self, name: str, content: bytes) -> str: ...

    def read(self, location: str) -> bytes: ...


@dataclass(frozen=True)
class LoadedFile:
    file: FileEntry
    loaded_at: datetime
    loaded_by: str
    """``COPY INTO``, or the name of a pipe."""


@dataclass(frozen=True)
class Ledger:
    older: tuple[LoadedFile, ...] = ()
    """Those in the file beside the table."""
    recent: tuple[LoadedFile, ...] = ()
    stored_in: str | None = None
    _known: frozenset[FileEntry] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(each.file for each in self.loaded))

    @property
    def loaded(self) -> tuple[LoadedFile, ...]:
        return (*self.older, *self.recent)

    def has(self, file: FileEntry) -> bool:
        """Whether this file was loaded as it is: of another size or age, it is another file."""
        return file in self._known


def read_ledger(position: str | None, store: SideStore) -> Ledger:
    if position is None:
        return Ledger()
    try:
        content = json.loads(position)
        stored_in = content["file"]
        if stored_in and _STORED.fullmatch(stored_in) is None:
            raise ValueError("the name of its file is not one that was written here")
        older = json.loads(gzip.decompress(store.read(stored_in))) if stored_in else []
        return Ledger(_from_rows(older), _from_rows(content["recent"]), stored_in)
    except (ValueError, KeyError, TypeError, EOFError, OSError) as error:
        raise LakeDamaged(
            f"the list of loaded files cannot be read: {error!r}",
            hint="restore the table to an earlier version",
        ) from None


def after_loading(
    ledger: Ledger, files: Sequence[LoadedFile], listed: Iterable[FileEntry], root: str, store: SideStore
) -> str:
    """The position that has these files too.

    ``listed`` are all files that are below ``root``: others from there can be forgotten after some time.
    """
    recent = (*ledger.recent, *files)
    position = _position(ledger.stored_in, recent)
    if len(position) <= _LONGEST:
        return position
    now = max(each.loaded_at for each in files)
    kept = _remembered((*ledger.older, *recent), frozenset(listed), root, now - HISTORY)
    content = gzip.compress(json.dumps(_to_rows(kept)).encode(), mtime=0)
    return _position(store.write(f"loaded-{uuid.uuid4().hex}.json.gz", content), ())


def files_named_in(position: str) -> list[str]:
    """Beside the table."""
    stored_in = json.loads(position)["file"]
    return [stored_in] if stored_in else []


def _remembered(
    loaded: Iterable[LoadedFile], listed: frozenset[FileEntry], root: str, since: datetime
) -> tuple[LoadedFile, ...]:
    return tuple(
        each
        for each in loaded
        if each.loaded_at >= since or each.file in listed or not _is_below(each.file.location, root)
    )


def _is_below(location: str, root: str) -> bool:
    return location == root or location.startswith(root.rstrip("/") + "/")


def _position(stored_in: str | None, recent: Iterable[LoadedFile]) -> str:
    return json.dumps({"file": stored_in, "recent": _to_rows(recent)}, separators=(",", ":"))


def _to_rows(loaded: Iterable[LoadedFile]) -> list[list[str | int]]:
    return [
        [
            each.file.location,
            each.file.size,
            each.file.modified_ms,
            int(each.loaded_at.timestamp() * 1000),
            each.loaded_by,
        ]
        for each in loaded
    ]


def _from_rows(rows: Iterable[tuple[str, int, int, int, str]]) -> tuple[LoadedFile, ...]:
    return tuple(
        LoadedFile(
            FileEntry(location, size, modified), datetime.fromtimestamp(loaded_at / 1000, UTC), loaded_by
        )
        for location, size, modified, loaded_at, loaded_by in rows
    )
