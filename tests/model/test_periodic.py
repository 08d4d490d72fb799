from __future__ import annotations

import logging
import threading
import time

import pytest

from headrace.errors import OperationalError
from headrace.model.periodic import PeriodicLoop


class Scripted(PeriodicLoop):
    """Each round raises the next exception of a list; None is a round that succeeds."""

    def __init__(self, *outcomes: BaseException | None, interval: float = 0.001) -> None:
        super().__init__("scripted", interval)
        self._outcomes = list(outcomes)
        self.done, self.entered = threading.Event(), threading.Event()
        self.threads: list[threading.Thread] = []

    def look(self) -> None:
        self.threads.append(threading.current_thread())
        self.entered.set()
        if not self._outcomes:
            self.done.set()
            self._stopping.wait(10)
            return
        outcome = self._outcomes.pop(0)
        if outcome is not None:
            raise outcome


def run(loop: Scripted) -> None:
    loop.start()
    assert loop.done.wait(10)


def test_any_exception_is_logged_with_its_trace_and_the_loop_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop = Scripted(ValueError("one"))
    run(loop)
    assert loop.trouble == "ValueError: see the server's log"
    assert loop.problem() == loop.trouble
    (record,) = caplog.records
    assert (record.getMessage(), record.levelno) == ("loop failed", logging.ERROR)
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "one"
    loop.stop_looking()


def test_what_stays_wrong_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "headrace")
    full = OperationalError("the disk is full")
    loop = Scripted(full, full, full, None, full)
    run(loop)
    assert [record.getMessage() for record in caplog.records] == [
        "loop failed",
        "loop works again",
        "loop failed",
    ]
    assert loop.problem() == "the disk is full"
    loop.stop_looking()


def test_a_success_ends_the_trouble() -> None:
    loop = Scripted(ValueError("one"), None)
    run(loop)
    assert loop.problem() is None
    loop.stop_looking()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_has_ended_is_a_problem() -> None:
    loop = Scripted(OperationalError("the disk is full"), SystemExit())
    loop.start()
    assert loop.entered.wait(10)
    loop.threads[0].join(10)
    assert loop.problem() == "its thread has ended; restart the server; before that: the disk is full"


@pytest.mark.parametrize(("interval", "late"), [(0.001, 31.0), (6.0, 37.0), (600.0, 3601.0)])
def test_a_round_that_does_not_end_is_a_problem(interval: float, late: float) -> None:
    loop = Scripted(interval=interval)
    start = time.monotonic()
    loop.start()
    assert loop.problem(start + late - 2) is None
    assert loop.problem(start + late + 2) is not None
    assert "its last round ended" in str(loop.problem(start + late + 2))
    loop.stop_looking()


def test_one_that_was_not_started_has_no_problem() -> None:
    assert Scripted().problem(time.monotonic() + 10_000) is None
