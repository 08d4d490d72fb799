"""``headrace graph --watch`` and ``headrace history --follow``.

A server pushes what changes; without one the lake's metadata is read once a second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from headrace.api import Api
from headrace.cli.facts import Facts
from headrace.cli.server_events import ServerEvent, server_events
from headrace.errors import AccessDenied, OperationalError
from headrace.model.names import TableName

POLL_SECONDS = 1.0
_WINDOW = 200
"""How many refreshes back those are looked for that have ended since the last look."""
_REMEMBERED = 10_000
_PAUSE_SECONDS = 0.2
"""Events that come so soon after another are answered together."""

Row = dict[str, Any]
Report = Callable[[str], None]
T = TypeVar("T")


def ended_refreshes(facts: Facts, table: TableName | None, limit: int, report: Report) -> Iterator[Row]:
    """The last ones, oldest first, then each as it ends."""
    shown: dict[str, None] = {}
    batches = _polled(facts, table) if facts.api is None else _pushed(facts, facts.api, table, report)
    for number, batch in enumerate(batches):
        ended = [row for row in batch if row["end_time"] is not None]
        if number == 0:
            shown.update(dict.fromkeys(row["job_id"] for row in ended[:-limit]))
        for row in ended:
            if row["job_id"] not in shown:
                shown[row["job_id"]] = None
                yield row
        for job_id in list(shown)[:-_REMEMBERED]:
            del shown[job_id]


def changed_texts(read: Callable[[], str], api: Api | None, report: Report) -> Iterator[str]:
    """What ``read`` returns, each time that it is something else."""
    last: str | None = None
    for text in _read_each_second(read) if api is None else _read_after_events(read, api, report):
        if text != last:
            yield text
        last = text


def _polled(facts: Facts, table: TableName | None) -> Iterator[list[Row]]:
    yield from _read_each_second(lambda: _newest(facts, table))


def _pushed(facts: Facts, api: Api, table: TableName | None, report: Report) -> Iterator[list[Row]]:
    """The history is read once, and again where events were lost."""
    yield _newest(facts, table)
    selection = {"types": "refresh"} | ({} if table is None else {"table": table.sql})
    is_behind = True
    for event in server_events(api, report, **selection):
        is_behind = is_behind or event.type == "reset"
        if is_behind:
            try:
                newest = _newest(facts, table)
            except AccessDenied:
                raise
            except OperationalError as error:
                report(error.message)
                continue
            is_behind = False
            yield newest
        if event.type == "refresh":
            yield [event.data]


def _newest(facts: Facts, table: TableName | None) -> list[Row]:
    """Oldest first."""
    return facts.history(table, _WINDOW)[::-1]


def _read_each_second(read: Callable[[], T]) -> Iterator[T]:
    while True:
        yield read()
        time.sleep(POLL_SECONDS)


def _read_after_events(read: Callable[[], T], api: Api, report: Report) -> Iterator[T]:
    """Signs of life count too: a lag grows though nothing happens."""
    yield read()
    signal = _Signal()
    threading.Thread(target=signal.pass_on, args=(server_events(api, report),), daemon=True).start()
    while True:
        signal.wait()
        try:
            value = read()
        except AccessDenied:
            raise
        except OperationalError:
            continue  # the thread reports the lost connection, and signals when there is another one
        yield value


class _Signal:
    """From the thread that reads events to the one that draws."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._failure: Exception | None = None

    def pass_on(self, events: Iterator[ServerEvent]) -> None:
        try:
            for event in events:
                if event.type != "job_progress":
                    self._event.set()
        except Exception as error:  # noqa: BLE001  (it is raised where it is waited for)
            self._failure = error
            self._event.set()

    def wait(self) -> None:
        self._event.wait()
        if self._failure is not None:
            raise self._failure
        time.sleep(_PAUSE_SECONDS)
        self._event.clear()
