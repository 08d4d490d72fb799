"""The three distributions of this repository: built as wheels, installed into new environments."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
PROJECTS = {
    "headrace": ROOT,
    "headrace-client": ROOT / "headrace-client",
    "dbt-headrace": ROOT / "dbt-headrace",
}


def declaration(project: str) -> dict[str, object]:
    """What its pyproject.toml says of it."""
    declared: dict[str, object] = tomllib.loads((PROJECTS[project] / "pyproject.toml").read_text())["project"]
    return declared


def build_wheel(project: str, directory: Path) -> Path:
    """From the source distribution, which has to be complete for it."""
    name = project.replace("-", "_")
    _build("sdist", PROJECTS[project], directory)
    (source,) = directory.glob(f"{name}-*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(directory, filter="data")
    _build("wheel", directory / source.name.removesuffix(".tar.gz"), directory)
    (wheel,) = directory.glob(f"{name}-*.whl")
    return wheel


def _build(target: str, project: Path, directory: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(directory)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)


def needed_by(*projects: str) -> set[str]:
    """All that the projects depend on, directly or not, but for the projects of this repository."""
    found: set[str] = set()
    waiting = [Requirement(line) for project in projects for line in declaration(project)["dependencies"]]  # type: ignore[attr-defined]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or name in PROJECTS:
            continue
        found.add(name)
        extras = [{"extra": extra} for extra in requirement.extras or {""}]
        for line in distribution(name).requires or []:
            each = Requirement(line)
            if each.marker is None or any(each.marker.evaluate(extra) for extra in extras):
                waiting.append(each)
    return found


def locked(names: set[str]) -> str:
    """Their part of requirements.lock."""
    entries = re.split(r"\n(?=\S)", LOCK.read_text())
    return "\n".join(entry for entry in entries if entry.split("==")[0] in names) + "\n"


@contextmanager
def new_environment(directory: Path, wheels: list[Path], *projects: str) -> Iterator[Path]:
    """With the wheels, what they declare to need as it is locked, and nothing else; removed afterwards."""
    directory.mkdir()
    (directory / "lock.txt").write_text(locked(needed_by(*projects)))
    environment = directory / "environment"
    where = ["--quiet", "--python", str(environment)]
    uv("venv", "--quiet", "--python", sys.executable, str(environment))
    uv(
        "pip",
        "sync",
        *where,
        "--require-hashes",
        "--build-constraints",
        str(LOCK),
        str(directory / "lock.txt"),
    )
    uv("pip", "install", *where, *map(str, wheels))
    uv("pip", "check", *where)
    yield environment
    shutil.rmtree(directory)


def uv(*arguments: str) -> None:
    """As set-up has it; offline, unless what it has fetched is gone."""
    fetched = ROOT / ".tools" / "uv" / "bin" / "uv"
    command = [str(fetched) if fetched.exists() else "uv", *arguments]
    if subprocess.run([*command, "--offline"], check=False, capture_output=True).returncode != 0:
        subprocess.run(command, check=True)
