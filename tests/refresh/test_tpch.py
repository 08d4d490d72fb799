"""The 22 queries of TPC-H follow insertions, deletions and updates, and are exact."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.tpch import is_exact
from bench.tpch_data import change, load, queries

from headrace.connection import Connection
from tests.refresh.helpers import refresh

SCALE = 0.01


@pytest.mark.share(0.2, suite="single tests")
@pytest.mark.timeout(900)
def test_all_queries_are_incremental_and_exact(lake: Connection, tmp_path: Path) -> None:
    load(lake, SCALE, tmp_path)
    views = queries(SCALE)
    assert len(views) == 22
    for name, query in views.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} REFRESH_MODE = INCREMENTAL AS {query}")
        lake.run(f"REFRESH DYNAMIC TABLE {name}")
    change(lake, number=1, per_thousand=10)
    modes = {name: refresh(lake, name)["refresh_mode"] for name in views}
    assert modes == dict.fromkeys(views, "INCREMENTAL")
    assert [name for name in views if not is_exact(lake, name)] == []
