"""Starting Spark: what is wrong with the settings is said, and a second attempt succeeds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from headrace.lake.directory import make_lake

START_TWICE = """
import pathlib, sys
import headrace

home = pathlib.Path(sys.argv[1])
try:
    headrace.connect(home)
except headrace.OperationalError as error:
    print(error)
marker = home / "lake.toml"
marker.write_text(marker.read_text().replace("nonsense", "local[1]"))
with headrace.connect(home) as lake:
    print(lake.sql("SELECT 41 + 1").fetchall())
"""


def test_a_bad_setting_then_a_good_one(tmp_path: Path) -> None:
    home = make_lake(tmp_path / 'it\'s a "lake" at 100%d $x\\y').path
    marker = home / "lake.toml"
    marker.write_text(marker.read_text() + '[settings.spark]\nspark.master = "nonsense"\n')
    child = subprocess.run(
        [sys.executable, "-c", START_TWICE, str(home)], capture_output=True, text=True, check=True
    )
    assert child.stdout.splitlines() == [
        "Spark did not start: org.apache.spark.SparkException: Master must either be yarn or start with "
        "spark, k8s, or local",
        f"hint: see {home / 'logs'}, and run `headrace doctor`",
        "[(42,)]",
    ]
    assert child.stderr == ""
    assert (home / "logs" / "spark.log").exists()
