"""How far a table of a batch sync has come, as it is written in the commits of the table."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class BatchPosition:
    run: int = 0
    """How many times the table was read."""
    watermark: str | None = None
    """The largest value of the watermark column so far; None: no row had one."""
    reads_all: bool = True
    """Whether the next run reads all rows, and deletes those that are gone."""

    def to_json(self) -> str:
        content: dict[str, Any] = {"run": self.run}
        content |= {} if self.watermark is None else {"watermark": self.watermark}
        return json.dumps(content | ({"all": True} if self.reads_all else {}))

    @classmethod
    def from_json(cls, text: str) -> BatchPosition:
        content = json.loads(text)
        return cls(content["run"], content.get("watermark"), content.get("all", False))

    def replacing(self) -> BatchPosition:
        """All rows are read again."""
        return replace(self, watermark=None, reads_all=True)

    def without_rows(self) -> BatchPosition:
        raise ValueError("a batch sync begins with all rows")

    def after(self, watermark: str | None, *, reads_all: bool) -> BatchPosition:
        """``watermark``: of the rows that were read; ``reads_all``: whether every run does."""
        largest = self.watermark if watermark is None else watermark
        return BatchPosition(self.run + 1, largest, reads_all)

    @property
    def phase(self) -> str:
        """What the next run reads."""
        return "FULL" if self.reads_all else "WATERMARK"

    def __str__(self) -> str:
        return f"run {self.run}" if self.watermark is None else f"run {self.run}, {self.watermark}"
