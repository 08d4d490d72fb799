"""The one statement by which a refresh changes its table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from headrace.lake.measure import Execution


class Way(StrEnum):
    FILL = "fill"
    DIFFERENCE = "difference"
    REWRITE = "rewrite"
    APPEND = "append"
    MERGE = "merge"
    NOTHING = "nothing to write"


@dataclass(frozen=True)
class Write:
    way: Way
    statement: str | None
    """None where the changes of the sources change no row of the table."""
    before: tuple[Execution, ...] = ()
    """What was computed to find the statement."""
