"""Rows of stream writers, committed by the process of a cluster."""

from __future__ import annotations

from headrace.cluster.cluster import Cluster
from headrace.cluster.messages import CommitRows
from headrace.cluster.pool import Pool
from headrace.errors import ClusterLost
from headrace.ingest.stream_writers.stream_writes import CommitOrder
from headrace.model.client_positions import StreamCommit
from headrace.model.clock import Clock
from headrace.model.job_id import new_job_id
from headrace.model.vcluster import DEFAULT_VCLUSTER, VclusterType


class StreamCommits:
    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock

    def commit(self, order: CommitOrder) -> StreamCommit:
        """Once more if the process of the cluster ended meanwhile: what has landed is not written twice."""
        try:
            return self._commit_once(order)
        except ClusterLost:
            return self._commit_once(order)

    @property
    def can_commit(self) -> bool:
        """Whether it takes no start of a cluster."""
        return any(cluster.pid is not None for cluster in self._pool.clusters())

    def _commit_once(self, order: CommitOrder) -> StreamCommit:
        cluster = self._suited() if order.cluster is None else self._pool.cluster(order.cluster)
        job = new_job_id(self._clock())
        request = CommitRows(job, order.table, order.uuid, tuple(order.files), frozenset(order.ended))
        return cluster.run(job, lambda process: process.commit_rows(request), lambda _: None).commit

    def _suited(self) -> Cluster:
        """One for integration, else the default one; rather one that is running."""
        clusters = self._pool.clusters()
        suited = [each for each in clusters if each.spec.type is VclusterType.INTEGRATION]
        suited.append(self._pool.cluster(DEFAULT_VCLUSTER))
        return next((each for each in suited if each.pid is not None), suited[0])
