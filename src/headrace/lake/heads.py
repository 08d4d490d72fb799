"""What the lake needs to know of its own tables without asking the JVM."""

from __future__ import annotations

from typing import Protocol

from headrace.model.names import TableName


class Heads(Protocol):
    def location(self, name: TableName, kind: str) -> str | None:
        """Of the newest metadata of a TABLE or VIEW, which every commit moves; None if there is none."""
