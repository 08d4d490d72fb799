"""A table stream as it was asked for."""

from __future__ import annotations

from enum import StrEnum


class StreamMode(StrEnum):
    STANDARD = "STANDARD"
    """The net change since the offset."""
    APPEND_ONLY = "APPEND_ONLY"
    """Inserted rows only."""
