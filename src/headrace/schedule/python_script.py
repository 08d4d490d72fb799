"""A Python script in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress

from headrace.errors import OperationalError
from headrace.schedule.attempt import Attempt

GRACE_SECONDS = 2.0
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "SSL_CERT_FILE")
"""Of the server's environment; what else is there may be secret."""
_LONGEST_MESSAGE = 500


_BEGIN = """
import os, signal, sys, threading
def end_with_server(lifeline=int(sys.argv.pop())):
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=end_with_server, daemon=True).start()
exec(compile(sys.stdin.read(), '<script>', 'exec'), {'__name__': '__main__'})
"""
"""Runs what comes by stdin; a pipe that only the server holds tells when that is gone."""


def run_python(script: str, environment: Mapping[str, str], attempt: Attempt) -> None:
    """What it prints goes to the attempt's log; ends with all processes that it has started."""
    inherited = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    theirs, lifeline = os.pipe()
    try:
        process = subprocess.Popen(  # noqa: S603  (the script is the user's own)
            [sys.executable, "-u", "-c", _BEGIN, str(theirs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**inherited, **environment, "PYTHONIOENCODING": "utf-8"},
            start_new_session=True,
            pass_fds=[theirs],
        )
        _follow(process, script, attempt)
    finally:
        os.close(theirs)
        os.close(lifeline)


def _follow(process: subprocess.Popen[bytes], script: str, attempt: Attempt) -> None:
    reader = threading.Thread(target=_read, args=(process, attempt), daemon=True)
    reader.start()
    attempt.on_stop(lambda: _end(process))
    try:
        _send(script, process)
        code = process.wait()
    finally:
        attempt.on_stop(None)
        _kill_group(process)
        reader.join()
    if code and attempt.stopped_as is None:
        raise OperationalError(_last_words(attempt) or f"the script ended with exit code {code}")


def environment_name(parameter: str) -> str:
    """``dt.args.x`` is ``HEADRACE_PARAM_DT_ARGS_X``."""
    plain = "".join(sign if sign.isalnum() and sign.isascii() else "_" for sign in parameter)
    return f"HEADRACE_PARAM_{plain.upper()}"


def _send(script: str, process: subprocess.Popen[bytes]) -> None:
    if process.stdin is None:
        raise TypeError("the process has no input")
    with suppress(BrokenPipeError), process.stdin as channel:
        channel.write(script.encode())


def _read(process: subprocess.Popen[bytes], attempt: Attempt) -> None:
    if process.stdout is None:
        raise TypeError("the process has no output")
    with process.stdout as output:
        for line in output:
            attempt.log.write(line.decode(errors="replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Asks first."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    killer = threading.Timer(GRACE_SECONDS, _kill_group, args=(process,))
    killer.daemon = True
    killer.start()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _last_words(attempt: Attempt) -> str:
    lines = [line.strip() for line in attempt.log.text.splitlines() if line.strip()]
    return lines[-1][:_LONGEST_MESSAGE] if lines else ""
