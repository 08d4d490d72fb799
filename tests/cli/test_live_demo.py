"""``headrace demo --live``: a real server and a real cluster."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
from tests.server.served import until

import headrace
from headrace.cli.live.play import LAST
from headrace.connection import Connection

FIRST_ORDERS = 14


def test_the_leaderboard_follows_the_orders_and_ctrl_c_ends_all(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "headrace", "demo", "--live", "--interval", "1", str(tmp_path / "lake")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        assert demo.stdout is not None
        said = ""
        while "orders arrive every second; press Ctrl-C to stop" not in said:
            assert demo.poll() is None, said
            said += demo.stdout.readline()
        with headrace.connect(re.findall(r"http://[^;\s]+", said)[0]) as lake:
            until(lambda: is_followed(lake), 90, "a refresh with the orders of ten seconds")
        below = psutil.Process(demo.pid).children(recursive=True)
        assert any("java" in each.name() for each in below)
        demo.send_signal(signal.SIGINT)
        shown, _ = demo.communicate(timeout=100)
    assert demo.returncode == 130
    assert "Traceback" not in shown
    counted = re.search(r"^(\d+) orders, last refresh (?:INCREMENTAL|FULL) in \d", shown, re.MULTILINE)
    assert counted, shown
    assert int(counted.group(1)) > FIRST_ORDERS + 10
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive


def is_followed(lake: Connection) -> bool:
    """What is shown lags behind by a second or two, in which at most ten orders come."""
    ((orders,),) = lake.sql("SELECT count(*) FROM ods_orders").fetchall()
    return orders > FIRST_ORDERS + 20 and [mode for mode, _ in lake.sql(LAST).fetchall()] == ["INCREMENTAL"]
