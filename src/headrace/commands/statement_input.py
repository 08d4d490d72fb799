"""What a command executes."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.lake.session import Parameters
from headrace.sql.parsed import ParsedStatement


@dataclass(frozen=True)
class StatementInput:
    """A statement as it was sent, and the values of its parameters."""

    parsed: ParsedStatement
    parameters: Parameters | None = None

    @property
    def text(self) -> str:
        return self.parsed.text
