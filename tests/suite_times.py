"""What each suite takes: a table at the end of a run, by directory and with the costliest files.

Seconds are those of the processors: of the process of the run itself, of its JVM and of all that tests start.
How long a test takes depends on what runs beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import psutil
import pytest

from tests.file_order import file_of

FILES = 25


def pytest_configure(config: pytest.Config) -> None:
    measure = FileTimes(config)
    config.pluginmanager.register(measure, "file times")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SuiteTimes(measure), "suite times")


class FileTimes:
    """Of the tests that this process runs."""

    def __init__(self, config: pytest.Config) -> None:
        self.seconds: Counter[str] = Counter()
        self._output: dict[str, Any] = getattr(config, "workeroutput", {})
        self._before = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        result = yield
        file = file_of(item.nodeid)
        if nextitem is None or file_of(nextitem.nodeid) != file:
            now = processor_seconds()
            self.seconds[file] += max(now - self._before, 0)  # type: ignore[assignment]
            self._before = now
        return result

    def pytest_sessionfinish(self) -> None:
        self._output["file times"] = dict(self.seconds)


class SuiteTimes:
    def __init__(self, own: FileTimes) -> None:
        self._own = own
        self._seconds: Counter[str] = Counter()
        self._tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._tests[file_of(report.nodeid)] += report.when == "call"

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._seconds.update(getattr(node, "workeroutput", {}).get("file times", {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        self._seconds.update(self._own.seconds)
        if len(self._seconds) < 2:
            return
        total = sum(self._seconds.values())
        title = f"processor seconds of each suite, {total:.0f} in all; its tests"
        terminalreporter.write_sep("=", title)
        directories: Counter[str] = Counter()
        tests: Counter[str] = Counter()
        for file, seconds in self._seconds.items():
            directory = _suite(file)
            directories[directory] += seconds
            tests[directory] += self._tests[file]
        for directory, seconds in directories.most_common():
            terminalreporter.write_line(f"{seconds:8.1f} {tests[directory]:6}  {directory}")
        terminalreporter.write_sep("-", f"the {FILES} files that take most")
        for file, seconds in self._seconds.most_common(FILES):
            terminalreporter.write_line(f"{seconds:8.1f} {self._tests[file]:6}  {file}")


def processor_seconds() -> float:
    """Of this process and all below it, those that have ended included."""
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


def _suite(file: str) -> str:
    """tests/refresh of tests/refresh/test_crash.py."""
    parts = PurePath(file).parts
    start = parts.index("tests") + 1
    return "/".join(parts[: start + 1] if len(parts) > start + 1 else parts[:start])
