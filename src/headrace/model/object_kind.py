"""What a name can stand for."""

from __future__ import annotations

from enum import StrEnum


class ObjectKind(StrEnum):
    TABLE = "TABLE"
    DYNAMIC_TABLE = "DYNAMIC TABLE"
    TABLE_STREAM = "TABLE STREAM"
