"""The default cluster of a server, started with it: the first statement does not wait for Spark."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread

from headrace.cluster.pool import Pool
from headrace.errors import Error
from headrace.lake.settings import Settings
from headrace.model.vcluster import DEFAULT_VCLUSTER


def start_default_cluster(pool: Pool, settings: Settings, report: Callable[[str], None]) -> Thread | None:
    """In the background. Like any other cluster it suspends when it has been idle for its AUTO_SUSPEND."""
    spec = pool.cluster(DEFAULT_VCLUSTER).spec
    if not settings.start_default_cluster or not spec.auto_resume:
        return None
    starting = Thread(target=_start, args=(pool, report), name="start of the default cluster", daemon=True)
    starting.start()
    return starting


def _start(pool: Pool, report: Callable[[str], None]) -> None:
    name = DEFAULT_VCLUSTER.upper()
    report(f"starting cluster {name} ...")
    began = time.monotonic()
    try:
        pool.resume(DEFAULT_VCLUSTER)
    except Error as error:
        if not pool.is_closing:
            report(f"cluster {name} did not start: {error}")
    else:
        report(f"cluster {name} is running after {time.monotonic() - began:.1f} s")
