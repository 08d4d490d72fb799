"""A real Spark cluster of three processes: a master and two workers, from the Spark that pip installed."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psutil

from headrace.install.java import require_java

START_SECONDS = 60


@contextmanager
def spark_cluster(directory: Path) -> Iterator[str]:
    """The master's URL."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        master, log = _start(directory, "master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        processes.append(master)
        url = _said(log, r"(spark://127\.0\.0\.1:\d+)")
        for number in (1, 2):
            options = ("--cores", "1", "--memory", "1g", "--webui-port", "0", "--host", "127.0.0.1", url)
            worker, log = _start(directory, f"worker{number}", *options)
            processes.append(worker)
            _said(log, r"(registered with master)")
        yield url
    finally:
        for process in processes:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.wait(30)


def executors() -> list[psutil.Process]:
    """On this machine."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if any("CoarseGrainedExecutorBackend" in part for part in process.info["cmdline"] or ())
        and process.name() == "java"
    ]


def _start(directory: Path, name: str, *options: str) -> tuple[subprocess.Popen[bytes], Path]:
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    java = require_java()
    kind = "master.Master" if name == "master" else "worker.Worker"
    home = Path(spec.origin).parent
    places = {"JAVA_HOME": str(java.home), "SPARK_HOME": str(home)}
    log = directory / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *options],
            stdout=output,
            stderr=output,
            cwd=directory,
            env={**os.environ, **places, "SPARK_LOCAL_IP": "127.0.0.1"},
        )
    return process, log


def _said(log: Path, pattern: str) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found.group(1)
        time.sleep(0.1)
    raise AssertionError(f"{log.name} never said {pattern}: {log.read_text(errors='replace')[-2000:]}")
