"""The virtual clusters of a lake, and who keeps them from idling."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import quote

from headrace.cluster.cluster import Cluster
from headrace.cluster.messages import Assignment
from headrace.cluster.process import ClusterProcess
from headrace.errors import NotFound
from headrace.lake.directory import LakeDirectory
from headrace.model.change import OnRecord
from headrace.model.periodic import PeriodicLoop
from headrace.model.vcluster import Vcluster, VclusterState, VclusterType

_LOOK_SECONDS = 1.0


class Pool(PeriodicLoop):
    def __init__(
        self,
        launch: Callable[[Vcluster], ClusterProcess],
        changed: Callable[[Vcluster, VclusterState], None],
    ) -> None:
        """``changed`` hears of each new state of a cluster."""
        super().__init__("pool", _LOOK_SECONDS)
        self._new = partial(Cluster, launch=launch, changed=changed)
        self._clusters: dict[str, Cluster] = {}
        self._lock = threading.Lock()
        self.start()

    def cluster(self, name: str) -> Cluster:
        with self._lock:
            found = self._clusters.get(name.lower())
        if found is None:
            raise NotFound(
                f"virtual cluster {name} does not exist", hint="SHOW VCLUSTERS lists all virtual clusters"
            )
        return found

    def clusters(self) -> list[Cluster]:
        with self._lock:
            return list(self._clusters.values())

    def follow(self, specs: Iterable[Vcluster]) -> None:
        """These are all; another server may have made, changed or dropped some."""
        known = {cluster.spec.name.lower(): cluster.spec for cluster in self.clusters()}
        wanted = {spec.name.lower(): spec for spec in specs}
        for name in known.keys() - wanted.keys():
            self.remove(name)
        for name, spec in wanted.items():
            if name not in known or known[name].modified_at != spec.modified_at:
                self.set(spec)

    def set(self, spec: Vcluster) -> None:
        """A new cluster, or another shape of one."""
        with self._lock:
            known = self._clusters.get(spec.name.lower())
            if known is None:
                self._clusters[spec.name.lower()] = self._new(spec)
            else:
                known.set(spec)

    def remove(self, name: str) -> None:
        with self._lock:
            cluster = self._clusters.pop(name.lower(), None)
        if cluster is not None:
            cluster.suspend(force=True)

    def resume(self, name: str) -> None:
        self.cluster(name).resume()

    def suspend(self, name: str, *, force: bool) -> None:
        self.cluster(name).suspend(force=force)

    def close(self, *, force: bool = False) -> None:
        self.stop_looking(join=False)
        for cluster in self.clusters():
            cluster.abandon_start()
        with ThreadPoolExecutor() as threads:
            list(threads.map(lambda cluster: cluster.suspend(force=force), self.clusters()))

    @property
    def is_closing(self) -> bool:
        return self._stopping.is_set()

    def look(self) -> None:
        for cluster in self.clusters():
            cluster.notice_end()
            cluster.suspend_if_idle()


def launcher(lake: LakeDirectory, on_record: OnRecord) -> Callable[[Vcluster], ClusterProcess]:
    def launch(spec: Vcluster) -> ClusterProcess:
        assignment = Assignment(
            lake.path, spec.name, spark_settings(spec), compacts=spec.type is not VclusterType.ANALYTICS
        )
        log = lake.logs / f"cluster-{quote(spec.name, safe='')}.log"
        with log.open("ab") as output:
            return ClusterProcess(assignment, output, on_record)

    return launch


def spark_settings(spec: Vcluster) -> Mapping[str, str]:
    """Local cores by size, unless the cluster names a master."""
    cores = min(spec.size, os.cpu_count() or 1)
    return {"spark.master": f"local[{cores}]", "spark.app.name": f"headrace {spec.name}", **spec.properties}
