"""Syncs from MariaDB that are killed while their source is written to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headrace.connection import Connection
from tests.ingest.killed_sync import expect_every_change_once
from tests.ingest.source_mariadb import MariadbSource
from tests.sampling import fresh_seeds


@pytest.mark.kills
@pytest.mark.parametrize("seed", fresh_seeds("ingest/syncs killed, mariadb", 10, share=0.1))
@pytest.mark.timeout(1800)
def test_every_change_once(new_lake: Callable[..., Connection], mariadb: MariadbSource, seed: int) -> None:
    expect_every_change_once(new_lake, mariadb, seed)
