"""``headrace warm``: Spark starts faster from now on."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from headrace.errors import OperationalError
from headrace.install.jars import ensure_class_path
from headrace.install.java import require_java
from headrace.lake.spark.class_archive import archive_path, make_archive

_USE_SECONDS = 600


def warm(say: Callable[[str], None], report: Callable[[str], None]) -> None:
    java = require_java()
    archive = archive_path(java, ensure_class_path(java.path, report))
    with _alone(archive.parent):
        if archive.exists():
            say(f"Spark's classes are already in {archive}")
            return
        report("running the demo once to record which classes Spark loads")
        make_archive(archive, _run_demo)
    say(f"Spark's classes are in {archive} ({archive.stat().st_size // 1_000_000} MB)")


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Others that do the same wait, and find it done."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory.parent / "warm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run_demo(environment: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="headrace-") as scratch:
        command = [sys.executable, "-m", "headrace", "demo", str(Path(scratch) / "lake")]
        ran = subprocess.run(  # noqa: S603
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=_USE_SECONDS,
        )
    if ran.returncode != 0:
        raise OperationalError(f"the demo failed: {ran.stderr.strip()}", hint="run `headrace doctor`")
