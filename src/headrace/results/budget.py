"""How much memory and disk the results of a process may take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headrace.errors import OperationalError

_MEMORY_SHARES = 8
"""One result gets that part of the memory."""


@dataclass
class Usage:
    """Of one result, in bytes; its budget counts."""

    memory: int = 0
    disk: int = 0

    @property
    def total(self) -> int:
        return self.memory + self.disk


class Budget(Protocol):
    def take(self, usage: Usage, size: int) -> bool:
        """Whether the bytes may stay in memory; else they go to disk. More than is allowed is an error."""

    def give_back(self, usage: Usage) -> None:
        """All that it has taken."""


@dataclass(frozen=True)
class ResultLimits:
    memory_mb: int
    """Of all results of a process; what is more than that is on disk."""
    result_mb: int
    """Of one result."""
    total_mb: int
    """Of all results of a process."""
    directory: Path

    def expect_result_within(self, size: int) -> None:
        if size > self.result_mb << 20:
            raise OperationalError(
                f"the result is larger than {self.result_mb} MB",
                hint="use LIMIT, or write it into a table with CREATE TABLE ... AS; "
                "result_max_mb in lake.toml sets the limit",
            )

    def fits_in_memory(self, of_result: int, of_all: int) -> bool:
        memory = self.memory_mb << 20
        return of_result <= memory // _MEMORY_SHARES and of_all <= memory


class Unlimited:
    """For rows that somebody wants in memory, all of them."""

    def take(self, usage: Usage, size: int) -> bool:
        usage.memory += size
        return True

    def give_back(self, usage: Usage) -> None:
        usage.memory = 0
