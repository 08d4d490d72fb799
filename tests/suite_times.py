"""What each suite takes: a table at the end of a run, by directory and with the costliest files."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath

import pytest

FILES = 15


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SuiteTimes(), "suite times")


class SuiteTimes:
    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()
        self._tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.split("::")[0]
        self._seconds[file] += report.duration  # type: ignore[assignment]
        self._tests[file] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if len(self._seconds) < 2:
            return
        terminalreporter.write_sep("=", "what each suite takes (seconds, tests; all processes together)")
        directories: Counter[str] = Counter()
        tests: Counter[str] = Counter()
        for file, seconds in self._seconds.items():
            directory = _suite(file)
            directories[directory] += seconds
            tests[directory] += self._tests[file]
        for directory, seconds in directories.most_common():
            terminalreporter.write_line(f"{seconds:8.1f} {tests[directory]:6}  {directory}")
        terminalreporter.write_sep("-", f"the {FILES} files that take longest")
        for file, seconds in self._seconds.most_common(FILES):
            terminalreporter.write_line(f"{seconds:8.1f} {self._tests[file]:6}  {file}")


def _suite(file: str) -> str:
    """tests/refresh of tests/refresh/test_crash.py."""
    parts = PurePath(file).parts
    start = parts.index("tests") + 1
    return "/".join(parts[: start + 1] if len(parts) > start + 1 else parts[:start])
