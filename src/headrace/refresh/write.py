"""How a refresh changes its table: by one statement, or by rows that are known already."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from headrace.lake.measure import Execution
from headrace.lake.small_result import SmallResult


class Way(StrEnum):
    FILL = "fill"
    DIFFERENCE = "difference"
    REWRITE = "rewrite"
    APPEND = "append"
    MERGE = "merge"
    NOTHING = "nothing to write"


@dataclass(frozen=True)
class Rows:
    """Each with what is to be done: see ``place``."""

    result: SmallResult
    keys: tuple[str, ...] | None
    """No two rows have the same, which is made sure; None if rows are not told apart."""


@dataclass(frozen=True)
class Write:
    """With neither statement nor rows, the changes of the sources change no row of the table."""

    way: Way
    statement: str | None
    before: tuple[Execution, ...] = ()
    """What was computed to find the statement or the rows."""
    rows: Rows | None = None
