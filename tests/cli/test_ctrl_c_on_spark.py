from __future__ import annotations

import sys
import time
from pathlib import Path

import pexpect
from tests.endless import ENDLESS


def test_progress_is_shown_and_ctrl_c_cancels(tmp_path: Path) -> None:
    command = [
        "-m",
        "headrace",
        "sql",
        "--lake",
        str(tmp_path / "lake"),
        "-e",
        f"{ENDLESS}; SELECT 2 AS never",
    ]
    running = pexpect.spawn(sys.executable, command, timeout=120, encoding="utf-8")
    running.expect(r"\d+ of \d+ Spark tasks")
    interrupted = time.monotonic()
    running.sendintr()
    running.expect("cancelled")
    rest = running.read()
    running.close()
    assert running.exitstatus == 130
    assert time.monotonic() - interrupted < 30
    assert "never" not in rest
    assert "Traceback" not in rest
