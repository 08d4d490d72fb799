"""The benchmark of an hour: what counts as flat."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench.hour.flat import verdicts
from bench.hour.sample import Sample

USUAL = Sample(1.0, 1.5, 0.8, 60, 100, 20, 100, 400, 20.0, 5.0, 3, 1300.0, 150.0, 200.0)


def broken(samples: list[Sample]) -> list[str]:
    return [verdict.measure for verdict in verdicts(samples, tables=6) if not verdict.is_flat]


def test_an_hour_without_growth_is_flat() -> None:
    assert broken([USUAL] * 60) == []


def test_slow_first_minutes_do_not_hide_growth() -> None:
    slow = replace(USUAL, median_s=10.0, heap_mb=900.0)
    late = replace(USUAL, median_s=1.3)
    assert broken([slow] * 5 + [USUAL] * 45 + [late] * 10) == ["median_s"]


@pytest.mark.parametrize("measure", ["processor_s", "data_files", "manifests", "metadata_mb", "jvm_mb"])
def test_growth_at_the_end_is_found(measure: str) -> None:
    late = replace(USUAL, **{measure: getattr(USUAL, measure) * 2})
    assert broken([USUAL] * 50 + [late] * 10) == [measure]


def test_snapshots_within_the_retention_are_no_growth() -> None:
    kept = replace(USUAL, snapshots=USUAL.snapshots + 36)
    assert broken([USUAL] * 50 + [kept] * 10) == []
