"""The sizes of a scan by the metrics that Iceberg reports of it."""

from __future__ import annotations

import pytest

from headrace.lake.measure import ScanSizes, reported_sizes

REPORTED = {"totalDataFileSize": 100, "totalDeleteFileSize": 7, "resultDataFiles": 2}
NOTHING = dict.fromkeys(REPORTED, 0)


@pytest.mark.parametrize(
    ("rows", "metrics", "sizes"),
    [
        (5, REPORTED, ScanSizes(107, 2)),
        (0, REPORTED, ScanSizes(107, 2)),
        (0, NOTHING, ScanSizes(0, 0)),
        (5, NOTHING, ScanSizes(None, None)),
        (0, {}, ScanSizes(None, None)),
    ],
)
def test_sizes_that_were_not_reported_are_not_zero(
    rows: int, metrics: dict[str, int], sizes: ScanSizes
) -> None:
    assert reported_sizes(rows, metrics.get) == sizes
