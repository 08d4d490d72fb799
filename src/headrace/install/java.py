"""The Java that Spark runs on: found on this machine, or installed by set-up where that needs no password."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headrace.errors import OperationalError

SUPPORTED = (17, 21)

USUAL_HOMES = (
    "/usr/lib/jvm/*",
    "/opt/java/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk@*",
    "/usr/local/opt/openjdk@*",
)

INSTALL_LINES = {
    "apt-get": "sudo apt-get update && sudo apt-get install -y openjdk-17-jre-headless"
    " || sudo apt-get install -y openjdk-21-jre-headless",
    "dnf": "sudo dnf install -y java-21-openjdk-headless || sudo dnf install -y java-17-openjdk-headless",
    "apk": "sudo apk add openjdk17-jre-headless",
    "brew": "brew install openjdk@17",
}

INSTALL_TIMEOUT_S = 900


@dataclass(frozen=True)
class Java:
    """A Java runtime: the ``java`` executable and the feature version it reports."""

    path: Path
    version: int

    @property
    def home(self) -> Path:
        """What JAVA_HOME must be for this Java to run."""
        return self.path.resolve().parent.parent

    @property
    def is_supported(self) -> bool:
        return self.version in SUPPORTED


def to_stderr(message: str) -> None:
    sys.stderr.write(f"headrace: {message}\n")


def require_java() -> Java:
    """The Java to run Spark on. Opening a lake never installs one."""
    found = find_java()
    if found is None:
        raise missing_java(installed_javas(), f"{what_to_type()}\n`headrace doctor --fix` does it for you")
    return found


def ensure_java(report: Callable[[str], None] = to_stderr) -> Java:
    """The same for set-up: where there is none, it comes through the system's package manager."""
    return find_java() or _install_java(report)


def find_java(
    environ: Mapping[str, str] = os.environ, usual_homes: Sequence[str] = USUAL_HOMES
) -> Java | None:
    """The first Java that Spark 4 runs on: of JAVA_HOME, of PATH, then of the usual places."""
    return next((java for java in installed_javas(environ, usual_homes) if java.is_supported), None)


def installed_javas(
    environ: Mapping[str, str] = os.environ, usual_homes: Sequence[str] = USUAL_HOMES
) -> Iterator[Java]:
    """Every Java on this machine, of whatever version, in the order of preference."""
    for path in _candidates(environ, usual_homes):
        version = java_version(path)
        if version is not None:
            yield Java(path, version)


def java_version(java: Path) -> int | None:
    """The feature version, 17 for 17.0.15 and 8 for 1.8.0; None if ``java`` does not run."""
    if not os.access(java, os.X_OK):
        return None
    return _version_in_release_file(java) or _version_by_asking(java)


def what_to_type(which: Callable[[str], str | None] = shutil.which) -> str:
    """The line that installs a Java here, or where to read about it."""
    line = install_line(which)
    if line is None:
        return "install Java 17 or 21 and set JAVA_HOME to its directory"
    return f"run: {line}"


def install_line(which: Callable[[str], str | None] = shutil.which) -> str | None:
    return next((line for manager, line in INSTALL_LINES.items() if which(manager)), None)


def passwordless(line: str, is_root: bool, sudo_is_free: Callable[[], bool]) -> str | None:
    """The line as it runs without a question asked, or None if a password would be needed."""
    if "sudo " not in line:
        return line
    if is_root:
        return line.replace("sudo ", "")
    return line.replace("sudo ", "sudo -n ") if sudo_is_free() else None


def missing_java(others: Iterable[Java], remedy: str) -> OperationalError:
    seen = ", ".join(f"Java {java.version} ({java.path})" for java in others)
    found = f"; found here: {seen}" if seen else ""
    return OperationalError(f"Spark needs Java 17 or 21{found}", hint=remedy)


def _install_java(report: Callable[[str], None]) -> Java:
    others = list(installed_javas())
    wanted = install_line()
    line = passwordless(wanted, os.geteuid() == 0, _sudo_asks_nothing) if wanted else None
    if line is None:
        raise missing_java(others, what_to_type())
    report(f"no Java 17 or 21 found; installing it (about a minute): {line}")
    output = _run_install(line)
    java = find_java()
    if java is None:
        raise missing_java(
            others, f"the installation failed: {output.strip()[-600:]}\nplease {what_to_type()}"
        )
    report(f"Java {java.version} is installed: {java.path}")
    return java


def _run_install(line: str) -> str:
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        return subprocess.run(  # noqa: S603  (the line is one of INSTALL_LINES)
            ["/bin/sh", "-c", line],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=INSTALL_TIMEOUT_S,
        ).stdout
    except subprocess.TimeoutExpired:
        return f"timed out after {INSTALL_TIMEOUT_S} s"


def _candidates(environ: Mapping[str, str], usual_homes: Sequence[str]) -> Iterator[Path]:
    if home := environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if on_path := shutil.which("java", path=environ.get("PATH", "")):
        yield Path(on_path)
    for pattern in usual_homes:
        anchor = Path(pattern).anchor
        yield from (home / "bin" / "java" for home in sorted(Path(anchor).glob(pattern.removeprefix(anchor))))


def _version_in_release_file(java: Path) -> int | None:
    try:
        text = (java.resolve().parent.parent / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return _feature_version(re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE))


def _version_by_asking(java: Path) -> int | None:
    try:
        answer = subprocess.run(  # noqa: S603  (a java executable of this machine)
            [java, "-version"],
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _feature_version(re.search(r'version "([^"]+)"', answer.stderr + answer.stdout))


def _feature_version(found: re.Match[str] | None) -> int | None:
    numbers = re.findall(r"\d+", found.group(1)) if found else []
    if len(numbers) > 1 and numbers[0] == "1":
        return int(numbers[1])
    return int(numbers[0]) if numbers else None


def _sudo_asks_nothing() -> bool:
    sudo = shutil.which("sudo")
    if sudo is None:
        return False
    return subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0  # noqa: S603
