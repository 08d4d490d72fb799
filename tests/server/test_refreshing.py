from __future__ import annotations

import pytest

from headrace.errors import ClusterLost
from headrace.model.history import RefreshState
from headrace.server.service import Service
from tests.schedule.tables import dynamic
from tests.server.fake_cluster import FakeClusters


def test_a_refresh_is_tried_again_where_the_cluster_is_lost(service: Service, clusters: FakeClusters) -> None:
    with pytest.raises(ClusterLost):
        service.refresh_runner.refresh(dynamic("deadly", "t"), "first", {})
    assert len(clusters.processes) == 2
    again, first = service.store.refreshes.history()
    assert first.job_id == "first"
    assert again.job_id != "first"
    for row in (first, again):
        assert (row.state, row.error_message) == (RefreshState.FAILED, "the process has ended")
        assert row.end_time is not None
