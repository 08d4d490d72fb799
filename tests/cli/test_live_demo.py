"""``headrace demo --live``: a real server and a real cluster."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

FIRST_ORDERS = 14


def test_the_leaderboard_follows_the_orders_and_ctrl_c_ends_all(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "headrace", "demo", "--live", "--interval", "1", str(tmp_path / "lake")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        while "orders arrive every second; Ctrl-C ends" not in (
            demo.stdout.readline() if demo.stdout else ""
        ):
            assert demo.poll() is None
        time.sleep(20)
        below = psutil.Process(demo.pid).children(recursive=True)
        assert any("java" in each.name() for each in below)
        demo.send_signal(signal.SIGINT)
        shown, _ = demo.communicate(timeout=100)
    assert demo.returncode == 130
    assert "Traceback" not in shown
    counted = re.search(r"^(\d+) orders, last refresh INCREMENTAL in \d", shown, re.MULTILINE)
    assert counted, shown
    assert int(counted.group(1)) > FIRST_ORDERS + 10
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive
