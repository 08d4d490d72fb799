"""Every background part is killed: its thread goes on and health tells why, or health tells that it ended."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

import pytest
from fastapi.testclient import TestClient

from headrace.model.alert import Message
from headrace.model.periodic import PeriodicLoop
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service

from .conftest import LOCAL, OpenService

LOOPS: dict[str, Callable[[Service], PeriodicLoop]] = {
    "scheduler": lambda service: service.background.scheduler,
    "tasks": lambda service: service.background.tasks,
    "cleaning": lambda service: service.background.cleaning,
    "alerts": lambda service: service.background.alerts,
    "presence": lambda service: service.background.presence,
    "clusters": lambda service: service.pool,
    "housekeeping": lambda service: service.background.housekeeping,
    "tables": lambda service: service.background.table_watch,
    "progress": lambda service: service.background.progress_watch,
}
PARTS = {"tables": "events", "progress": "events"}
"""What health calls the part that a loop belongs to, where that is not the loop's name."""
ALERTS = "[settings.alerts]\ntargets = ['json://127.0.0.1:9']\n"


@pytest.fixture
def service(open_service: OpenService) -> Iterator[Service]:
    service = open_service(ALERTS)
    for loop_of in LOOPS.values():
        loop_of(service).look_seconds = 0.01
    yield service


class Killed:
    """Each round of a loop raises from now on."""

    def __init__(self, loop: PeriodicLoop, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
        self._error = error
        self.threads: list[threading.Thread] = []
        self.first, self.again = threading.Event(), threading.Event()
        monkeypatch.setattr(loop, "look", self._look)

    def _look(self) -> None:
        (self.again if self.threads else self.first).set()
        self.threads.append(threading.current_thread())
        raise self._error


def health(service: Service) -> dict[str, str]:
    client = TestClient(make_app(service, Access("127.0.0.1", service.holder_of)), base_url=LOCAL)
    assert client.get("/health").json() == {"status": "ok"}
    answer: dict[str, str] = client.get("/api/v1/health").json()
    return answer


def expect_degraded(part: str, service: Service) -> str:
    """What health says of the part; all others are well."""
    told = health(service)
    assert told.pop("status") == "degraded"
    said = told.pop(part)
    assert set(told.values()) == {"ok"}
    metrics = TestClient(make_app(service, Access("127.0.0.1", service.holder_of)), base_url=LOCAL)
    assert f'headrace_part_up{{part="{part}"}} 0.0' in metrics.get("/metrics").text
    return said


@pytest.mark.parametrize("loop", LOOPS)
def test_an_exception_is_told_and_the_loop_goes_on(
    loop: str, service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service.start()
    killed = Killed(LOOPS[loop](service), RuntimeError("a bug"), monkeypatch)
    assert killed.again.wait(10)
    assert expect_degraded(PARTS.get(loop, loop), service) == "RuntimeError: see the server's log"
    (record,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "a bug"
    monkeypatch.undo()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("loop", LOOPS)
def test_a_thread_that_has_ended_is_told(
    loop: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.start()
    assert set(health(service).values()) == {"ok"}
    killed = Killed(LOOPS[loop](service), SystemExit(), monkeypatch)
    assert killed.first.wait(10)
    killed.threads[0].join(10)
    assert expect_degraded(PARTS.get(loop, loop), service) == "its thread has ended; restart the server"


def test_an_alert_that_cannot_be_delivered(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried = [threading.Event(), threading.Event()]

    def broken(message: Message) -> None:
        tried[int(message.title)].set()
        raise RuntimeError("a bug")

    monkeypatch.setattr(service.background.delivery, "_deliver", broken)
    for number in ("0", "1"):
        service.background.delivery.send(Message(number, "body"))
    assert all(each.wait(10) for each in tried)
    service.background.delivery.close()
    assert [str(each.exc_info[1]) for each in caplog.records if each.exc_info] == ["a bug", "a bug"]
    assert health(service)["alerts"] == "its thread has ended; restart the server"


def test_liveness_needs_no_token_and_tells_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = TestClient(make_app(service, Access("0.0.0.0", service.holder_of)))  # noqa: S104
    service.background.scheduler.trouble = "the disk is full"
    assert outside.get("/health", headers={"Authorization": "Bearer wrong"}).json() == {"status": "ok"}
    assert outside.get("/api/v1/health").status_code == 401
    assert outside.get("/health/").status_code == 401
