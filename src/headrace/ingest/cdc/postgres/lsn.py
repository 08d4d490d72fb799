"""Places in PostgreSQL's log, and which transactions a snapshot has."""

from __future__ import annotations

from dataclasses import dataclass

_EPOCH = 1 << 32


class Lsn(int):
    """``16/B374D848``."""

    @classmethod
    def parse(cls, text: str) -> Lsn:
        high, _, low = text.partition("/")
        return cls((int(high, 16) << 32) + int(low, 16))

    def __str__(self) -> str:
        return f"{self >> 32:X}/{self & 0xFFFFFFFF:X}"


@dataclass(frozen=True)
class Snapshot:
    """``xmin:xmax:xip,xip``, as pg_current_snapshot() writes it: what a query of that moment can see."""

    oldest: int
    """All transactions before have ended."""
    next: int
    """None from here on has begun."""
    running: frozenset[int]

    @classmethod
    def parse(cls, text: str) -> Snapshot:
        oldest, following, running = text.split(":")
        return cls(int(oldest), int(following), frozenset(int(each) for each in running.split(",") if each))

    def __str__(self) -> str:
        return f"{self.oldest}:{self.next}:{','.join(map(str, sorted(self.running)))}"

    def has(self, xid: int) -> bool:
        """Whether it sees a transaction that has committed; the log has the lower 32 bits of its id."""
        full = self._full(xid)
        return full < self.oldest or (full < self.next and full not in self.running)

    def _full(self, xid: int) -> int:
        """The id nearest to the snapshot that has these lower bits."""
        full = (self.next & ~(_EPOCH - 1)) | (xid & (_EPOCH - 1))
        if full - self.next > _EPOCH // 2:
            return full - _EPOCH
        return full + _EPOCH if self.next - full > _EPOCH // 2 else full
