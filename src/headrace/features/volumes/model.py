"""A directory of files outside the lake, under a name of the lake."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headrace.model.names import TableName


@dataclass(frozen=True)
class Volume:
    id: str
    name: TableName
    location: str
    """An absolute path, or an address on S3, without a slash at its end."""
    comment: str | None
    creator: str
    created_at: datetime
