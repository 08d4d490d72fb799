"""The one statement by which a refresh changes its table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    FILL = "fill"
    DIFFERENCE = "difference"
    REWRITE = "rewrite"
    APPEND = "append"


@dataclass(frozen=True)
class Write:
    way: Way
    statement: str
