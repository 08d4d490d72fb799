"""``headrace warm``: Spark starts faster from now on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from headrace.errors import OperationalError
from headrace.lake.class_archive import archive_path, make_archive
from headrace.lake.jars import ensure_jars
from headrace.lake.java import ensure_java

_USE_SECONDS = 600


def warm(say: Callable[[str], None], report: Callable[[str], None]) -> None:
    java = ensure_java(report)
    archive = archive_path(java, ensure_jars(java.path, report))
    if archive.exists():
        say(f"Spark's classes are in {archive} already")
        return
    report("running the demo once, to see which classes Spark needs")
    make_archive(archive, _run_demo)
    say(f"Spark's classes are in {archive} ({archive.stat().st_size // 1_000_000} MB)")


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
