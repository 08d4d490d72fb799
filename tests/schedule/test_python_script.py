"""Python scripts in real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from headrace.errors import OperationalError
from headrace.model.task import RunState, RunTrigger, TaskKind, TaskRun
from headrace.schedule.attempt import Attempt
from headrace.schedule.python_script import environment_name, run_python
from headrace.schedule.run_log import RunLog

from .tables import NOON
from .test_tasks import task


def attempt(*secrets: str) -> Attempt:
    run = TaskRun("r", "a", "a", NOON, RunState.RUNNING, RunTrigger.MANUAL)
    return Attempt(task("a", kind=TaskKind.PYTHON), run, RunLog(secrets))


def test_output_parameters_and_no_secrets(monkeypatch):
    monkeypatch.setenv("DATABASE_PASSWORD", "of the server")
    script = """
import os, sys
print("day", os.environ["HEADRACE_PARAM_BIZDATE"], os.environ["HEADRACE_TOKEN"], "ü")
print("to stderr", os.environ.get("DATABASE_PASSWORD"), file=sys.stderr)
"""
    running = attempt("s3cret")
    run_python(script, {"HEADRACE_PARAM_BIZDATE": "2024-06-01", "HEADRACE_TOKEN": "s3cret"}, running)
    assert running.log.text == "day 2024-06-01 *** ü\nto stderr None\n"


def test_names_of_parameters():
    assert environment_name("dt.args.biz-date") == "HEADRACE_PARAM_DT_ARGS_BIZ_DATE"


def test_a_script_that_fails():
    running = attempt()
    with pytest.raises(OperationalError) as caught:
        run_python("import os\nprint('first')\nraise ValueError('bad day')", {}, running)
    assert caught.value.message == "ValueError: bad day"
    assert running.log.text.startswith("first\nTraceback")


def test_a_script_that_says_nothing_and_fails():
    with pytest.raises(OperationalError, match=r"^the script ended with exit code 3$"):
        run_python("raise SystemExit(3)", {}, attempt())


def test_much_output_and_a_long_script():
    script = f"x = '{'y' * 200_000}'\nfor _ in range(20_000): print(len(x))"
    running = attempt()
    run_python(script, {}, running)
    assert "characters are left out" in running.log.text
    assert len(running.log.text) < 70_000


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def ends_soon(pid: int) -> bool:
    """A killed process is seen a moment longer on a busy machine."""
    until = time.monotonic() + 20
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_alive(pid)


STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""


def test_it_is_stopped_with_what_it_has_started():
    running = attempt()
    done = threading.Thread(target=run_python, args=(STUBBORN, {}, running))
    done.start()
    until = time.monotonic() + 30
    while "\n" not in running.log.text:
        assert time.monotonic() < until
        time.sleep(0.02)
    child = int(running.log.text)
    assert is_alive(child)
    running.stop(RunState.TIMEOUT, "the run took longer than 1 seconds")
    done.join(20)
    assert not done.is_alive()
    assert ends_soon(child)


def test_what_a_script_leaves_running_is_ended_too():
    running = attempt()
    run_python(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid)",
        {},
        running,
    )
    assert ends_soon(int(running.log.text))


def test_one_that_is_stopped_before_it_begins():
    running = attempt()
    running.stop(RunState.CANCELLED, "the run was cancelled")
    start = time.monotonic()
    run_python("import time; time.sleep(600)", {}, running)
    assert time.monotonic() - start < 20


SERVER = """
from tests.schedule.test_python_script import STUBBORN, attempt
from headrace.schedule.python_script import run_python
import threading, time
running = attempt()
threading.Thread(target=run_python, args=(STUBBORN, {}, running), daemon=True).start()
while "\\n" not in running.log.text:
    time.sleep(0.02)
print(running.log.text, flush=True)
time.sleep(600)
"""


def test_it_does_not_outlive_a_server_that_is_killed():
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"}
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdout is not None
        child = int(server.stdout.readline())
        assert is_alive(child)
        server.kill()
    assert ends_soon(child)
