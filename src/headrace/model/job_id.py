"""Names of jobs."""

from __future__ import annotations

import base64
import secrets
from datetime import UTC, datetime


def new_job_id(moment: datetime) -> str:
    """Sorts by time, to a tenth of a millisecond."""
    stamp = moment.astimezone(UTC)
    chance = base64.b32encode(secrets.token_bytes(7)).decode()[:11].lower()
    return f"{stamp:%Y%m%d%H%M%S}{stamp.microsecond // 100:04d}{chance}"
