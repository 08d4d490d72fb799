from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from types import ModuleType

import pexpect
import pytest

from headrace.cli.running import in_background, run, wait_for

WIDE = (40, 120)


def started(command: list[str], *args: str) -> subprocess.Popen[str]:
    """A process that has begun its first statement."""
    process = subprocess.Popen(
        [*command, "sql", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    assert process.stderr.readline() == "starting Spark\n"
    time.sleep(0.5)
    return process


def test_a_finished_statement_has_its_rows_and_time(fake: ModuleType) -> None:
    finished = run(fake.FakeConnection(), "SELECT gmv")
    assert finished.columns == ["category", "gmv"]
    assert len(finished.rows) == 2
    assert 0 <= finished.elapsed_s < 1


def test_ctrl_c_cancels_the_statement_and_ends_the_script(fake_command: list[str]) -> None:
    process = started(fake_command, "-e", "SLEEP; SELECT gmv")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20) == ("", "cancelled\n")
    assert process.returncode == 130


def test_a_cancelled_statement_in_json(fake_command: list[str]) -> None:
    process = started(fake_command, "--output", "json", "-e", "SLEEP; SELECT gmv")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    told = {"kind": "Cancelled", "message": "cancelled", "hint": None, "place": None}
    assert (json.loads(out), err) == ({"statement": "SLEEP", "error": told}, "")
    assert process.returncode == 130


def test_a_statement_that_ends_in_spite_of_ctrl_c_is_shown(fake_command: list[str]) -> None:
    process = started(fake_command, "--output", "csv", "-e", "LATE; SELECT gmv")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == ("done\ntrue\n", 130)


def test_the_second_ctrl_c_leaves_at_once(fake_command: list[str]) -> None:
    process = started(fake_command, "-e", "STUBBORN")
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=5) == ("", "quit while a statement was running\n")
    assert process.returncode == 130


def test_nothing_but_results_where_there_is_no_terminal(fake_command: list[str]) -> None:
    ran = subprocess.run(
        [*fake_command, "sql", "-e", "SLOW"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stderr.startswith("starting Spark\n(1 row, 2.")
    assert ran.stderr.count("\n") == 2


def test_a_cluster_that_starts_is_told_where_there_is_no_terminal(fake_command: list[str]) -> None:
    ran = subprocess.run(
        [*fake_command, "sql", "-e", "STARTS"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stderr.splitlines()[:2] == ["starting Spark", "starting cluster DEFAULT ..."]
    assert ran.stderr.count("starting cluster") == 1


@pytest.fixture
def environment() -> dict[str, str]:
    return {**os.environ, "TERM": "xterm-256color"}


def test_progress_comes_after_a_second_and_goes(fake_command: list[str], environment: dict[str, str]) -> None:
    terminal = pexpect.spawn(
        fake_command[0],
        [*fake_command[1:], "sql", "-e", "SELECT gmv; SLOW"],
        env=environment,
        encoding="utf-8",
        dimensions=WIDE,
        timeout=20,
    )
    terminal.expect(r"\(2 rows")
    assert "stage 3" not in terminal.before
    terminal.expect("1 s  stage 3: 12 of 40 tasks")
    terminal.expect("done")
    terminal.expect(pexpect.EOF)
    assert "stage 3" not in terminal.before


def test_the_main_thread_does_not_ask_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C would strike inside of a call of the JVM."""
    asking = []

    def describe() -> str:
        asking.append(threading.current_thread())
        return "running"

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    wait_for(in_background(lambda: time.sleep(1.5)), describe)
    assert asking
    assert threading.main_thread() not in asking
