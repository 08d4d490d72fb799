"""A virtual cluster: one Spark application under a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class VclusterType(StrEnum):
    GENERAL = "GENERAL"
    ANALYTICS = "ANALYTICS"
    """Refreshes here do no compaction."""
    INTEGRATION = "INTEGRATION"


class VclusterState(StrEnum):
    """Of its process, as its server has told last."""

    SUSPENDED = "SUSPENDED"
    RESUMING = "RESUMING"
    RUNNING = "RUNNING"
    SUSPENDING = "SUSPENDING"


SIZES = {"XSMALL": 1, "SMALL": 2, "MEDIUM": 4, "LARGE": 8, "XLARGE": 16}
"""Names of sizes, in units of one core."""

DEFAULT_VCLUSTER = "default"
DEFAULT_ANALYTICS_VCLUSTER = "default_ap"
PERMANENT = frozenset({DEFAULT_VCLUSTER, DEFAULT_ANALYTICS_VCLUSTER})
"""They always exist."""


@dataclass(frozen=True)
class Vcluster:
    id: str
    name: str
    """As typed at its creation; another case finds it, too."""
    creator: str
    created_at: datetime
    modified_at: datetime
    type: VclusterType = VclusterType.GENERAL
    size: int = 1
    auto_suspend_seconds: int | None = 600
    """None: never."""
    auto_resume: bool = True
    max_concurrency: int = 8
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    """Settings of Spark."""
    state: VclusterState = VclusterState.SUSPENDED

    def __post_init__(self) -> None:
        if not self.name or self.size < 1 or self.max_concurrency < 1:
            raise ValueError("a virtual cluster has a name, a size and a concurrency of at least one")
        if self.auto_suspend_seconds is not None and self.auto_suspend_seconds < 0:
            raise ValueError("a virtual cluster is suspended after zero or more seconds, or never")

    @property
    def size_name(self) -> str:
        return next((name for name, units in SIZES.items() if units == self.size), str(self.size))
