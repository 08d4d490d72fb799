from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSTALLS = ["pip sync", "pip install", "pip install"]
"""What is locked, the sources of this checkout, and the dbt adapter."""
TARGETS = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)


def program(directory: Path, name: str, script: str) -> None:
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that bootstrap reads, and a PATH of bin/ alone with what it calls."""
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/bootstrap", "scripts/uv-requirement.txt", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "sh", "cat", "sed", "awk", "dirname", "rm", "mkdir", "ln", "cp"):
        (programs / name).symlink_to(shutil.which(name) or name)
    program(programs, "id", "echo 1000")
    return tmp_path


def bootstrap(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "bin" / "bash", "scripts/bootstrap"],
        cwd=checkout,
        env={"PATH": str(checkout / "bin"), "HOME": str(checkout), "CALLS": str(checkout / "calls")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def add_python(checkout: Path, pip: str = "exit 1", ensurepip: str = "exit 1") -> None:
    """This Python as python3, but for what it does when asked for pip or ensurepip."""
    branches = f'*ensurepip*) {ensurepip} ;; "-m pip"*) {pip} ;; *) exec {sys.executable} "$@" ;;'
    program(checkout / "bin", "python3", f'case "$*" in {branches} esac')


def uv_that_writes_down_its_calls(version: str) -> str:
    return f"""
        case "$1" in
            --version) echo "uv {version} (here)" ;;
            venv) echo venv >>"$CALLS"; mkdir -p .venv/bin; ln -sf {sys.executable} .venv/bin/python ;;
            *) echo "$1 $2" >>"$CALLS" ;;
        esac"""


def calls(checkout: Path) -> list[str]:
    return (checkout / "calls").read_text().splitlines()


def test_an_old_python_is_refused(checkout: Path) -> None:
    program(checkout / "bin", "python3", 'if [ "$1" = --version ]; then echo Python 3.9.2; else exit 1; fi')
    answer = bootstrap(checkout)
    assert answer.returncode == 1
    assert answer.stderr == "headrace: Python 3.11 or newer is needed; python3 here is Python 3.9.2\n"


def test_uv_on_path_makes_the_environment_and_keeps_it(checkout: Path) -> None:
    add_python(checkout)
    program(checkout / "bin", "uv", uv_that_writes_down_its_calls("99.0.0"))
    answer = bootstrap(checkout)
    assert answer.returncode == 0, answer.stderr
    assert calls(checkout) == ["venv", *INSTALLS]
    assert (checkout / ".venv" / ".ready").read_text() == f"{checkout}\n"
    bootstrap(checkout)
    assert calls(checkout)[1 + len(INSTALLS) :] == INSTALLS


def test_where_dbt_does_not_start_the_adapter_is_left_out(checkout: Path) -> None:
    add_python(checkout)
    uv = uv_that_writes_down_its_calls("99.0.0").replace(
        f"ln -sf {sys.executable} .venv/bin/python", "cp bin/old .venv/bin/python"
    )
    program(checkout / "bin", "old", "exit 1")
    program(checkout / "bin", "uv", uv)
    answer = bootstrap(checkout)
    assert answer.returncode == 0, answer.stderr
    assert calls(checkout) == ["venv", *INSTALLS[:-1]]
    assert "without the dbt adapter: dbt-core 1.11 does not start on Python 3.14" in answer.stderr


def test_a_moved_checkout_gets_a_new_environment(checkout: Path) -> None:
    add_python(checkout)
    program(checkout / "bin", "uv", uv_that_writes_down_its_calls("99.0.0"))
    bootstrap(checkout)
    (checkout / ".venv" / ".ready").write_text("/elsewhere\n")
    bootstrap(checkout)
    assert calls(checkout).count("venv") == 2


@pytest.mark.parametrize("uv_on_path", [None, "exit 127", "echo uv 0.1.0"])
def test_uv_missing_broken_or_old_is_fetched_by_pip(checkout: Path, uv_on_path: str | None) -> None:
    fetched = checkout / "fetched"
    program(checkout, "fetched", uv_that_writes_down_its_calls("99.0.0"))
    install = f'echo pip >>"$CALLS"; mkdir -p .tools/uv/bin; cp {fetched} .tools/uv/bin/uv'
    add_python(checkout, pip=f'[ "$3" = --version ] || {{ {install}; }}')
    if uv_on_path:
        program(checkout / "bin", "uv", uv_on_path)
    answer = bootstrap(checkout)
    assert answer.returncode == 0, answer.stderr
    assert "fetching uv" in answer.stderr
    bootstrap(checkout)
    assert calls(checkout) == ["pip", "venv", *INSTALLS, *INSTALLS]


def test_a_failed_sync_leaves_no_stamp(checkout: Path) -> None:
    add_python(checkout)
    uv = uv_that_writes_down_its_calls("99.0.0").replace("*) echo", "*) exit 2; echo")
    program(checkout / "bin", "uv", uv)
    assert bootstrap(checkout).returncode == 2
    assert not (checkout / ".venv" / ".ready").exists()


@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("apt-get", "sudo apt-get update -q && sudo apt-get install -q -y python3-venv"),
        ("dnf", "sudo dnf install -q -y python3-pip"),
        ("apk", "sudo apk add py3-pip"),
    ],
)
def test_neither_pip_nor_venv_and_a_password_needed(checkout: Path, manager: str, line: str) -> None:
    add_python(checkout)
    program(checkout / "bin", manager, "exit 1")
    program(checkout / "bin", "sudo", "exit 1")
    answer = bootstrap(checkout)
    assert answer.returncode == 1
    assert answer.stderr == f"headrace: Python has neither pip nor venv here. Please type:\n    {line}\n"


def test_neither_pip_nor_venv_as_root_installs_venv(checkout: Path) -> None:
    add_python(checkout)
    program(checkout / "bin", "id", "echo 0")
    program(checkout / "bin", "apt-get", 'echo "apt-get $1" >>"$CALLS"')
    answer = bootstrap(checkout)
    assert "installing it: apt-get update" in answer.stderr
    assert calls(checkout) == ["apt-get update", "apt-get install"]
    assert answer.returncode == 1
    assert "uv could not be fetched" in answer.stderr


def test_targets_that_the_readme_names_exist() -> None:
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)`", (ROOT / "README.md").read_text()))
    fenced = "".join(re.findall(r"```.*?```", (ROOT / "README.md").read_text(), re.DOTALL))
    named |= set(re.findall(r"^\$? ?make ([a-z][a-z-]*)", fenced, re.MULTILINE))
    assert {"demo", "test"} <= named <= set(TARGETS)


def test_every_target_is_listed_by_help() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^make ([a-z-]+)", listed, re.MULTILINE) == TARGETS


def test_ci_runs_what_the_readme_says() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "check test" in (ROOT / ".ci" / "run").read_text()


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


FORBIDDEN = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "maven" + ".org",
    "maven.apache" + ".org",
    "npmjs" + ".",
    "yarnpkg" + ".com",
    "--index" + "-url http",
    "/wo" + "rk/",
    "/tm" + "p/probe",
    "/ro" + "ot/",
]


@pytest.mark.parametrize("words", FORBIDDEN)
def test_no_registry_and_no_machine_is_named(words: str) -> None:
    naming = [path for path in tracked_files() if words.encode() in path.read_bytes()]
    assert naming == []


def test_the_lock_holds_names_versions_and_hashes_only() -> None:
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        assert re.fullmatch(r"#.*|[a-z0-9-]+==\S+( ; [^@/]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line)
