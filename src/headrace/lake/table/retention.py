"""How long a table's past can be brought back: a property of the table, or the lake's default."""

from __future__ import annotations

import re
from datetime import timedelta

from headrace.lake.settings import LONGEST_RETENTION, Settings
from headrace.lake.table.tables import Table
from headrace.sql.parsing.properties import RETENTION

_WHOLE_NUMBER = re.compile(r"[0-9]+")


def retention_of(table: Table, settings: Settings) -> timedelta:
    """Another program may have written anything: too much is the longest, nonsense is the default."""
    found = table.properties.get(RETENTION, "").strip()
    if not _WHOLE_NUMBER.fullmatch(found):
        return timedelta(days=settings.data_retention_days)
    return timedelta(days=min(int(found[:9]), LONGEST_RETENTION))


def is_retention(value: str) -> bool:
    """Whether a user may set it."""
    return bool(_WHOLE_NUMBER.fullmatch(value)) and len(value) < 9 and int(value) <= LONGEST_RETENTION
