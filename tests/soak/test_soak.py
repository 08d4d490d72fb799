from __future__ import annotations

import pytest

from tests.sampling import run_seed
from tests.soak.soak import soak


@pytest.mark.timeout(900)
def test_a_minute_of_kills() -> None:
    outcome = soak(60, run_seed())
    assert outcome.is_well, f"\n{outcome}"
    assert sum(outcome.kills.values()) >= 2
    assert outcome.writes > 0
    assert outcome.refreshes["SUCCEED INCREMENTAL"] > 0
