from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.install.jars import jars_directory

IN_USE = """
import sys
import headrace, psutil

with headrace.connect(sys.argv[1]):
    print("headrace/classes/spark-" in open(f"/proc/{psutil.Process().children()[0].pid}/maps").read())
"""


@pytest.mark.share(0.2, suite="single tests")
def test_an_archive_is_made_once_and_used_from_then_on(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HEADRACE_JARS": str(jars_directory()),
    }

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert run("-m", "headrace", "warm").startswith(f"Spark's classes are in {tmp_path / 'cache'}")
    assert run("-m", "headrace", "warm").startswith("Spark's classes are already in ")
    (archive,) = (tmp_path / "cache" / "headrace" / "classes").iterdir()
    assert archive.stat().st_size > 50_000_000
    assert run("-c", IN_USE, str(tmp_path / "lake")) == "True\n"
