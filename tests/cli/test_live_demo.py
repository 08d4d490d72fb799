"""``headrace demo --live``: a real server and a real cluster."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from headrace.cli.live import PRICES


def start_demo(lake: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "headrace", "demo", "--live", "--interval", "1", *options, str(lake)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_the_leaderboard_follows_the_orders_and_ctrl_c_ends_all(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with start_demo(lake, "--seconds", "20") as demo:
        shown, _ = demo.communicate(timeout=200)
    assert demo.returncode == 0
    assert "orders arrive every second; Ctrl-C ends" in shown
    counted = re.findall(r"^(\d+) orders, last refresh INCREMENTAL in \d", shown, re.MULTILINE)
    assert counted, shown
    assert int(counted[-1]) > len(PRICES) + 10
    assert "Traceback" not in shown

    with start_demo(lake) as demo:
        while "orders arrive" not in (demo.stdout.readline() if demo.stdout else ""):
            assert demo.poll() is None
        time.sleep(5)
        below = psutil.Process(demo.pid).children(recursive=True)
        assert any("java" in each.name() for each in below)
        demo.send_signal(signal.SIGINT)
        shown, _ = demo.communicate(timeout=100)
    assert demo.returncode == 130
    assert "Traceback" not in shown
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive
