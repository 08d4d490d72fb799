"""What happens in a server: one log record for each event, with fields that hold no secret and no row."""

from __future__ import annotations

import logging
from typing import Any

from headrace.model.history import Refresh

_log = logging.getLogger("headrace")


def log_event(
    event: str, /, *, level: int = logging.INFO, exception: BaseException | None = None, **fields: Any
) -> None:
    """``exception`` is logged with its trace. Fields that are None are left out."""
    known = {key: value for key, value in fields.items() if value is not None}
    _log.log(level, event, exc_info=exception, extra={"fields": known})


def log_refresh(row: Refresh) -> None:
    """One that has succeeded."""
    log_event(
        "refresh",
        table=str(row.table),
        job=row.job_id,
        trigger=row.trigger.value,
        mode=row.mode.value if row.mode else None,
        rows_inserted=row.stats.rows_inserted if row.stats else None,
        rows_deleted=row.stats.rows_deleted if row.stats else None,
        duration=None if row.duration is None else round(row.duration.total_seconds(), 3),
        reason=row.mode_reason,
    )
