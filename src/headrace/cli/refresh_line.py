"""The answer of REFRESH DYNAMIC TABLE in one line; programs read the row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from headrace.cli.plain_text import leading_words

_REFRESH = ["REFRESH", "DYNAMIC", "TABLE"]
_NEEDED = {"refresh_mode", "duration", "stats", "job_id"}


def refresh_line(statement: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str | None:
    """None for any other statement, and for an answer without the columns of a refresh."""
    if leading_words(statement) != _REFRESH or len(rows) != 1 or not set(columns) >= _NEEDED:
        return None
    row = dict(zip(columns, rows[0], strict=True))
    words = [_effect(row), f"job {row['job_id']}"]
    if row.get("refresh_partition"):
        words.insert(1, f"partition {row['refresh_partition']}")
    return f"{row['refresh_mode']} in {row['duration'].total_seconds():.2f} s: {', '.join(words)}"


def _effect(row: Mapping[str, Any]) -> str:
    if row["stats"] is None:
        return row.get("refresh_mode_reason") or "no rows changed"
    stats = json.loads(row["stats"])
    return f"+{stats['rows_inserted']} -{stats['rows_deleted']} rows"
