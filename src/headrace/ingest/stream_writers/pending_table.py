"""The rows of one table that are acknowledged and not yet committed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from headrace.errors import Error, SequenceGap
from headrace.lake.write_ahead.open_segment import OpenSegment
from headrace.lake.write_ahead.segment import Owner, RecordHead
from headrace.model.client_positions import ClientPositions
from headrace.model.names import TableName

SUFFIX = ".wal"


@dataclass
class Amount:
    rows: int = 0
    bytes: int = 0
    oldest: float | None = None
    """When the first of the rows came, in seconds since 1970."""

    def add(self, rows: int, size: int, at: float) -> None:
        self.rows += rows
        self.bytes += size
        self.oldest = at if self.oldest is None else min(self.oldest, at)

    @staticmethod
    def of(parts: Iterable[Amount]) -> Amount:
        total = Amount()
        for part in parts:
            if part.oldest is not None:
                total.add(part.rows, part.bytes, part.oldest)
        return total


@dataclass
class Segment:
    """A file, and whose rows it has."""

    path: Path
    clients: dict[str, Amount] = field(default_factory=dict)

    def count(self, head: RecordHead, size: int) -> None:
        self.clients.setdefault(head.client, Amount()).add(head.rows, size, head.written_at)


@dataclass(frozen=True)
class _Appended:
    """A record that is not durable yet."""

    end: int
    head: RecordHead
    size: int


@dataclass
class CommitState:
    """Of the last attempt."""

    at: datetime | None = None
    tried_at: float = 0.0
    error: Error | None = None


class PendingTable:
    """Any thread may use it."""

    def __init__(self, owner: Owner, directory: Path) -> None:
        self.owner = owner
        self.commit_state = CommitState()
        self.committing = threading.Lock()
        """Held by whoever commits."""
        self.committed_records = 0
        """How many of the records that came are committed: see ``received``."""
        self._directory = directory
        self._lock = threading.Lock()
        self._files = 0
        self._sealed: list[Segment] = []
        self._open: OpenSegment | None = None
        self._open_segment: Segment | None = None
        self._undurable: deque[_Appended] = deque()
        self._appended: dict[str, int] = {}
        self._durable: dict[str, int] = {}
        self._received = 0
        self._ended: set[str] = set()

    def rename(self, name: TableName) -> None:
        with self._lock:
            self.owner = Owner(name, self.owner.uuid)

    def adopt(self, path: Path, heads: Sequence[RecordHead], sizes: int) -> None:
        """A file that an earlier process has left; in the order in which they were written.

        What comes from now on goes to a file with a later number: if this process is killed, too, the next
        one reads them by their numbers.
        """
        with self._lock:
            self._seal_open()
            self._files += 1
            own = path.rename(self._directory / self._name(self._files))
            segment = Segment(own)
            for head in heads:
                segment.count(head, sizes // len(heads))
                for known in (self._durable, self._appended):
                    known[head.client] = max(known.get(head.client, 0), head.sequence)
            self._received += len(heads)
            self._sealed.append(segment)

    def write(self, head: RecordHead, payload: bytes, committed: int) -> bool:
        """Returns when the rows are durable; False: they had come before.

        ``committed`` is the last number of the client that the table has.
        """
        with self._lock:
            last = max(self._appended.get(head.client, 0), committed)
            if head.sequence > last + 1:
                raise SequenceGap(
                    f"request {head.sequence} of client {head.client} does not follow {last},"
                    f" the last one that is known for table {self.owner.table}",
                    hint=f"send request {last + 1} next",
                )
            is_new = head.sequence == last + 1
            if is_new:
                segment, end = self._append(head, payload)
            elif self._open is None:
                return False
            else:
                segment, end = self._open, self._open.size
        self._make_durable(segment, end)
        return is_new

    def last_sequence(self, client: str) -> int:
        """Of a client, as far as it is durable and known here."""
        with self._lock:
            return self._durable.get(client, 0)

    def end(self, client: str) -> None:
        """It will not write again: the next commit lets the table forget it soon."""
        with self._lock:
            if client in self._durable:
                self._ended.add(client)

    @property
    def ended(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._ended)

    @property
    def received(self) -> int:
        """How many records have come."""
        with self._lock:
            return self._received

    def amounts(self) -> Mapping[str, Amount]:
        """What is not committed, by client; of clients that are known without anything, too."""
        with self._lock:
            found: dict[str, list[Amount]] = {client: [] for client in self._durable}
            for segment in self._segments():
                for client, amount in segment.clients.items():
                    found.setdefault(client, []).append(amount)
            return {client: Amount.of(parts) for client, parts in found.items()}

    def amount(self) -> Amount:
        with self._lock:
            return Amount.of(each for segment in self._segments() for each in segment.clients.values())

    def seal(self) -> tuple[list[Path], int]:
        """The files with all that has come up to now, and how many records that is; they do not grow."""
        with self._lock:
            self._seal_open()
            return [segment.path for segment in self._sealed], self._received

    def committed(
        self, paths: Sequence[Path], records: int, positions: ClientPositions, ended: frozenset[str]
    ) -> None:
        """Files can go whose rows are in the table, and which the table knows to have ``ended``."""
        with self._lock:
            gone = set(paths)
            self._sealed = [each for each in self._sealed if each.path not in gone]
            waiting = {client for segment in self._segments() for client in segment.clients}
            for client in self._durable.keys() - positions.clients.keys() - waiting:
                del self._durable[client]
                self._appended.pop(client, None)
            self._ended -= ended
            self.committed_records = max(self.committed_records, records)
        for path in paths:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            self._close_open()

    def _segments(self) -> list[Segment]:
        return self._sealed if self._open_segment is None else [*self._sealed, self._open_segment]

    def _append(self, head: RecordHead, payload: bytes) -> tuple[OpenSegment, int]:
        if self._open is None:
            self._files += 1
            path = self._directory / self._name(self._files)
            self._open, self._open_segment = OpenSegment(path, self.owner), Segment(path)
        try:
            end = self._open.append(head, payload)
        except Error:
            self._abandon(self._open)
            raise
        self._appended[head.client] = head.sequence
        self._undurable.append(_Appended(end, head, len(payload)))
        self._ended.discard(head.client)
        return self._open, end

    def _make_durable(self, segment: OpenSegment, end: int) -> None:
        try:
            segment.sync(end)
        except Error:
            with self._lock:
                self._abandon(segment)
            raise
        with self._lock:
            self._settle(segment, end)

    def _settle_all(self, segment: OpenSegment) -> None:
        try:
            segment.sync(segment.size)
        except Error:
            self._abandon(segment)
            raise
        self._settle(segment, segment.size)

    def _settle(self, segment: OpenSegment, end: int) -> None:
        if segment is not self._open or self._open_segment is None:
            return
        while self._undurable and self._undurable[0].end <= end:
            each = self._undurable.popleft()
            self._durable[each.head.client] = each.head.sequence
            self._open_segment.count(each.head, each.size)
            self._received += 1

    def _abandon(self, segment: OpenSegment) -> None:
        """Of a file that cannot be written, what is durable stays; the rest was never there."""
        if segment is self._open and segment.has_failed:
            self._undurable.clear()
            self._appended = dict(self._durable)
            self._close_open()

    def _seal_open(self) -> None:
        if self._open is not None and self._undurable:
            self._settle_all(self._open)
        self._close_open()

    def _close_open(self) -> None:
        if self._open is None or self._open_segment is None:
            return
        self._open.close()
        if self._open_segment.clients:
            self._sealed.append(self._open_segment)
        else:
            self._open_segment.path.unlink(missing_ok=True)
        self._open = self._open_segment = None

    def _name(self, number: int) -> str:
        return f"{self.owner.uuid}-{number:012}{SUFFIX}"
