"""Whether a lake stays as it is while its tables grow. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.hour.sample import Sample

AT_MOST = 1.2
"""Times what it was after warming up."""
_ALLOWANCES = {
    "data_files": 50.0,
    "delete_files": 20.0,
    "manifests": 50.0,
    "metadata_mb": 2.0,
}
"""Differences that say nothing: how long ago the last compaction was."""
_KEPT_PER_MINUTE = 0.1
"""Snapshots of each table that are kept within the retention: one for every ten minutes."""


@dataclass(frozen=True)
class Verdict:
    measure: str
    before: float
    after: float
    limit: float

    @property
    def is_flat(self) -> bool:
        return self.after <= self.limit


def verdicts(samples: Sequence[Sample], tables: int) -> list[Verdict]:
    """``samples``, one for each minute: those after warming up against the last ones."""
    count = len(samples)
    early = samples[max(1, count // 12) : max(2, count // 4)]
    late = samples[-max(1, count // 6) :]
    snapshots = 0.0 if count < 2 else _KEPT_PER_MINUTE * tables * count
    allowances = _ALLOWANCES | {"snapshots": snapshots}
    measures = ("median_s", "processor_s", *allowances, "jvm_mb", "heap_mb", "python_mb")
    return [_verdict(measure, early, late, allowances.get(measure, 0.0)) for measure in measures]


def _verdict(measure: str, early: Sequence[Sample], late: Sequence[Sample], allowance: float) -> Verdict:
    before, after = (
        statistics.median(float(getattr(sample, measure)) for sample in part) for part in (early, late)
    )
    return Verdict(measure, before, after, before * AT_MOST + allowance)
