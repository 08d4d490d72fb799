from __future__ import annotations

import pytest

from tests.soak.soak import soak


@pytest.mark.timeout(900)
def test_two_minutes_of_kills() -> None:
    outcome = soak(120)
    assert outcome.is_well, f"\n{outcome}"
    assert sum(outcome.kills.values()) >= 4
    assert outcome.writes > 0
    assert outcome.refreshes["SUCCEED INCREMENTAL"] > 0
