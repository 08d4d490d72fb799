"""How long a dropped table is kept."""

from __future__ import annotations

from collections.abc import Mapping

DATA_RETENTION_DAYS = "data_retention_days"
DEFAULT_DAYS = 1
MOST_DAYS = 90


def retention_days(properties: Mapping[str, str]) -> int:
    """What the table's properties say; the default where they say nothing that makes sense."""
    try:
        days = int(properties.get(DATA_RETENTION_DAYS, DEFAULT_DAYS))
    except ValueError:
        return DEFAULT_DAYS
    return days if 0 <= days <= MOST_DAYS else DEFAULT_DAYS
