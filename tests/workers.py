"""Which process of a parallel run takes which file.

Two thirds of the processes run tests that use Spark in the process itself. The others run the rest: tests of
processes that they start and wait for, and tests that need no Spark. They never start a Spark of their own,
so a run can have more processes than the machine has processors, and wait for several servers at once.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.file_order import file_of

VARIABLE = "HEADRACE_FILES_IN_SPARK"
"""A file: the names of test files that use Spark in the process that runs them."""


@pytest.fixture(scope="session")
def own_spark() -> None:
    """Requested by every fixture that starts Spark in the process of the tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Of the process that starts the others, which are given its environment."""
    if not hasattr(config, "workerinput"):
        handle, path = tempfile.mkstemp(prefix="headrace-tests-")
        os.close(handle)
        os.environ[VARIABLE] = path
        config.add_cleanup(lambda: Path(path).unlink(missing_ok=True))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """All processes find the same."""
    if getattr(config, "workerinput", {}).get("workerid") == "gw0":
        in_spark = {
            file_of(each.nodeid) for each in items if "own_spark" in getattr(each, "fixturenames", ())
        }
        Path(os.environ[VARIABLE]).write_text(json.dumps(sorted(in_spark)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FilesByProcess | None:
    return FilesByProcess(config, log) if config.option.dist == "loadfile" else None


class FilesByProcess(LoadFileScheduling):  # type: ignore[misc]
    """A process of the first kind takes other files, too, once there are none of its own."""

    def schedule(self) -> None:
        self._in_spark = frozenset(json.loads(Path(os.environ[VARIABLE]).read_text()))
        collected = next(iter(self.registered_collections.values()))
        self._is_all_in_spark = all(file_of(test) in self._in_spark for test in collected)
        super().schedule()

    def _assign_work_unit(self, node: Any) -> None:
        if (file := self._file_for(node)) is not None:
            self.workqueue.move_to_end(file, last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: Any) -> None:
        if self.workqueue and self._file_for(node) is None and not node.shutting_down:
            node.shutdown()
            return
        super()._reschedule(node)

    def _file_for(self, node: Any) -> str | None:
        """None: all that is left are files in Spark, and this process shall have none."""
        in_spark = next((file for file in self.workqueue if file in self._in_spark), None)
        others = next((file for file in self.workqueue if file not in self._in_spark), None)
        if self._runs_spark(node):
            return in_spark or others
        return others

    def _runs_spark(self, node: Any) -> bool:
        number = int(node.gateway.id.removeprefix("gw"))
        return number % 3 != 2 or self._is_all_in_spark
