"""Names of jobs."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def new_job_id(moment: datetime) -> str:
    """Sorts by time, to a tenth of a millisecond."""
    stamp = moment.astimezone(UTC)
    return f"{stamp:%Y%m%d%H%M%S}{stamp.microsecond // 100:04d}" + "".join(
        secrets.choice(_ALPHABET) for _ in range(11)
    )
