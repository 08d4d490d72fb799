"""Places in a binary log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

_OFFSET_BITS = 40
FIRST_OFFSET = 4
"""Of the first event of a file; before it is a magic number."""


@dataclass(frozen=True, order=True)
class BinlogPosition:
    """``binlog.000002:0000000748@1700000000``.

    Files have numbers that grow, so places of one log have an order. A log that was reset begins with the
    same names again: then its files were created at other times.
    """

    number: int
    offset: int
    file: str
    created: int = field(default=0, compare=False)
    """When the file was, in seconds since 1970; 0: it is not known."""

    @classmethod
    def of(cls, file: str, offset: int) -> BinlogPosition:
        return cls(int(file.rpartition(".")[2]), int(offset), file)

    @classmethod
    def parse(cls, text: str) -> BinlogPosition:
        place, _, created = text.partition("@")
        file, _, offset = place.rpartition(":")
        return replace(cls.of(file, int(offset)), created=int(created or 0))

    def __str__(self) -> str:
        """With zeros, so that texts have the order of places."""
        place = f"{self.file}:{self.offset:010}"
        return f"{place}@{self.created}" if self.created else place

    @property
    def id(self) -> int:
        """A number for it, in the same order."""
        return self.number << _OFFSET_BITS | self.offset
