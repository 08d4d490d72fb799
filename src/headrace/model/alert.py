"""What goes wrong in a lake and somebody is to be told of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class AlertKind(StrEnum):
    REFRESH_FAILED = "refresh_failed"
    TASK_FAILED = "task_failed"
    PIPE_FAILED = "pipe_failed"
    SYNC_FAILED = "sync_failed"
    HELD_LOG = "held_log"
    TIMEOUT = "timeout"
    LAG = "lag"
    SUSPENDED = "suspended"


@dataclass(frozen=True)
class Trouble:
    kind: AlertKind
    subject: str
    """``dynamic table lake.public.t``, ``task load``, ``pipe lake.public.p`` or ``sync lake.public.s``."""
    text: str

    @property
    def key(self) -> tuple[AlertKind, str]:
        return self.kind, self.subject


@dataclass(frozen=True)
class Message:
    title: str
    body: str
    is_recovery: bool = False


@dataclass(frozen=True)
class FiredAlert:
    """A trouble, from when it was found until it was over."""

    kind: AlertKind
    subject: str
    text: str
    since: datetime
    ended_at: datetime | None = None
