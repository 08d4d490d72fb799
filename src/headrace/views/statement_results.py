"""Rows of statements that report on their own work: VERIFY, OPTIMIZE and EXPLAIN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class VerificationRow:
    schema_name: str
    name: str
    result: Literal["exact", "different"]
    missing_rows: int
    extra_rows: int
    table_rows: int
    source_versions: str
    job_id: str
    key_indexes: int
    """That were compared with their data files."""
    wrong_key_indexes: int
    stored_groups: int
    """Tables of groups that were computed again and compared."""
    wrong_stored_groups: int


@dataclass(frozen=True)
class CompactionRow:
    name: str
    files_rewritten: int
    files_written: int
    bytes_rewritten: int


@dataclass(frozen=True)
class ExplainRow:
    item: str
    detail: str | None
