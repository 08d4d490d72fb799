"""The environments of the peers, each in a directory of its own, apart from the project's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from bench.peers.registry import ROOT, Environment, Peer
from headrace.errors import OperationalError
from headrace.install.jars import fetch_into
from headrace.install.java import require_java

LIMIT_S = 1800
"""Of each command that installs something."""


class NotInstalled(Exception):
    """The message says why, or what to type."""


def python_of(peer: Peer) -> Path:
    if peer.environment is None:
        return Path(sys.executable)
    if not is_installed(peer.environment):
        raise NotInstalled(f"not installed: python -m bench peers --install --only {peer.option}")
    return peer.environment.python


def is_installed(environment: Environment) -> bool:
    """With the packages and jars that are required now."""
    stamp = _stamp(environment)
    return stamp.exists() and stamp.read_text() == _contents(environment)


def install(environment: Environment) -> None:
    """From nothing, as an environment of other versions may be left."""
    shutil.rmtree(environment.directory, ignore_errors=True)
    uv = _uv()
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    _run([uv, "venv", "--quiet", "--python", python, str(environment.directory)])
    _run([uv, "pip", "install", "--quiet", "--python", str(environment.python), *environment.packages])
    _fetch_jars(environment)
    _stamp(environment).write_text(_contents(environment))


def install_all(peers: Iterable[Peer]) -> list[str]:
    """What could not be installed, and why."""
    failed = []
    for environment in dict.fromkeys(peer.environment for peer in peers if peer.environment):
        if is_installed(environment):
            print(f"{environment.name}: installed already", file=sys.stderr, flush=True)
            continue
        print(
            f"{environment.name}: installing {', '.join(environment.packages)}", file=sys.stderr, flush=True
        )
        try:
            install(environment)
        except NotInstalled as error:
            failed.append(f"{environment.name}: {error}")
    return failed


def _fetch_jars(environment: Environment) -> None:
    directories = environment.directory.glob(f"lib/python*/site-packages/{environment.jar_directory}")
    for directory in directories if environment.jars else ():
        for jar in environment.jars:
            try:
                fetch_into(directory, jar, require_java().path)
            except OperationalError as error:
                raise NotInstalled(str(error)) from error


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, check=False, timeout=LIMIT_S, stderr=subprocess.PIPE, text=True, env=_environ()
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"{command[1]} {command[2]} was stopped after {LIMIT_S} s") from None
    if done.returncode != 0:
        raise NotInstalled(done.stderr.strip()[-500:] or f"exit status {done.returncode}")


def _environ() -> dict[str, str]:
    return os.environ | {"UV_PYTHON_DOWNLOADS": "never"}


def _uv() -> str:
    found = shutil.which("uv") or shutil.which("uv", path=str(ROOT / ".tools" / "uv" / "bin"))
    if found is None:
        raise NotInstalled("uv is not on PATH, and scripts/bootstrap has not put it into .tools/uv")
    return found


def _stamp(environment: Environment) -> Path:
    return environment.directory / ".installed"


def _contents(environment: Environment) -> str:
    return "\n".join([*environment.packages, *map(str, environment.jars)]) + "\n"
