"""Who alone may do something, until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Lease:
    key: str
    """What for: ``scheduler``, ``refresh:<table id>``."""
    holder: str
    until: datetime

    def is_held(self, now: datetime) -> bool:
        return now < self.until
