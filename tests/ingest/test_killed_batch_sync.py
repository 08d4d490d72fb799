"""Batch syncs that are killed while their source is written to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headrace.connection import Connection
from tests.ingest.killed_sync import expect_every_change_once
from tests.ingest.test_syncs import Database
from tests.sampling import fresh_seeds


@pytest.mark.kills
@pytest.mark.parametrize("seed", fresh_seeds("ingest/syncs killed, batch", 5, share=0.1))
@pytest.mark.timeout(1800)
def test_equal_to_the_source(new_lake: Callable[..., Connection], database: Database, seed: int) -> None:
    expect_every_change_once(new_lake, database, seed, "MODE = BATCH")
