"""Starting Spark: what is wrong with the settings is said, and a second attempt succeeds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.endless import ENDLESS

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
    print(lake.sql("SET spark.driver.memory").fetchall())
"""


def test_a_bad_setting_then_a_good_one(tmp_path: Path) -> None:
    home = make_lake(tmp_path / 'it\'s a "lake" at 100%d $x\\y').path
    marker = home / "lake.toml"
    marker.write_text(marker.read_text() + '[settings.spark]\nspark.master = "nonsense"\n')
    child = subprocess.run(
        [sys.executable, "-c", START_TWICE, str(home)],
        env=os.environ | {"SPARK_DRIVER_MEMORY": "700m"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert child.stdout.splitlines() == [
        "Spark did not start: org.apache.spark.SparkException: Master must either be yarn or start with "
        "spark, k8s, or local",
        f"hint: see {home / 'logs'}, and run `headrace doctor`",
        "[(42,)]",
        "[('spark.driver.memory', '700m')]",
    ]
    assert child.stderr == ""
    assert (home / "logs" / "spark.log").exists()


KILLED = """
import sys, threading, time
import headrace, psutil

lake = headrace.connect(sys.argv[1])
lake.sql("CREATE TABLE t AS SELECT 42 AS a")

def kill():
    while not lake.progress():
        time.sleep(0.05)
    psutil.Process().children()[0].kill()

threading.Thread(target=kill).start()
for statement in (sys.argv[2], "SELECT a FROM t"):
    try:
        lake.sql(statement).fetchall()
    except headrace.Error as error:
        print(type(error).__name__, error)
lake.close()
with headrace.connect(sys.argv[1]) as lake:
    print(lake.sql("SELECT a FROM t").fetchall())
"""


def test_a_jvm_that_is_killed_is_said_and_started_again(tmp_path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "lake"), ENDLESS],
        capture_output=True,
        text=True,
        check=False,
    )
    said = [
        "EngineLost Spark has stopped: it was killed, or it ran out of memory",
        "hint: close the connection and open the lake again; committed changes are kept",
    ]
    assert child.stdout.splitlines() == [*said, *said, "[(42,)]"], child.stderr
    assert "Traceback" not in child.stderr
