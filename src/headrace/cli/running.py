"""Work in the background while the user watches: progress after a second, Ctrl-C to stop it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from headrace import errors

if TYPE_CHECKING:
    from rich.status import Status

PATIENCE_S = 1.0
"""Nothing is shown before."""
CANCEL_WITHIN_S = 10.0
POLL_S = 0.1
INTERRUPTED = 130
"""Exit code after Ctrl-C."""

QUEUED = "queued"
STARTING_CLUSTER = "starting cluster "
"""How the progress begins of a statement that waits for Spark to start on a server."""

T = TypeVar("T")


class StatementResult(Protocol):
    """What ``Connection.run`` returns."""

    @property
    def columns(self) -> Sequence[str]: ...
    @property
    def notices(self) -> Sequence[str]: ...
    def fetchall(self) -> list[tuple[Any, ...]]: ...


class Engine(Protocol):
    """The part of a connection that runs statements."""

    def run(self, statement: str) -> StatementResult: ...
    def cancel(self) -> None: ...
    def progress(self) -> str | None: ...


@dataclass(frozen=True)
class Finished:
    """A statement that has run, with all its rows."""

    columns: Sequence[str]
    rows: list[tuple[Any, ...]]
    notices: Sequence[str]
    elapsed_s: float
    interrupted: bool = False
    """Ctrl-C came too late to stop it."""


def run(engine: Engine, statement: str) -> Finished:
    """Run one statement. Ctrl-C cancels it: ``errors.Cancelled``, unless it was faster."""
    started = time.monotonic()
    future = in_background(lambda: _answer(engine, statement))
    interrupted = False
    try:
        wait_for(future, engine.progress)
    except KeyboardInterrupt:
        interrupted = True
        _cancel(engine, future)
    if interrupted and future.exception():
        raise errors.Cancelled("cancelled") from future.exception()
    columns, rows, notices = future.result()
    return Finished(columns, rows, notices, time.monotonic() - started, interrupted)


def start(connect: Callable[[Callable[[str], None]], T]) -> T:
    """Connect, which starts Spark; ``connect`` is given a function that takes lines of progress."""
    lines = ["starting"]

    def announce(line: str) -> None:
        lines.append(line)
        if not sys.stderr.isatty():
            click.echo(line, err=True)

    future = in_background(lambda: connect(announce))
    wait_for(future, lambda: lines[-1])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return future.result()


def in_background(work: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()

    def settle() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  (it is raised where the result is taken)
            future.set_exception(error)

    Thread(target=settle, daemon=True).start()
    return future


def wait_for(future: Future[T], describe: Callable[[], str | None], limit_s: float | None = None) -> None:
    """Return when the work is done or the limit is reached."""
    started = time.monotonic()
    elapsed = 0.0
    line = _ProgressLine(describe)
    try:
        while not future.done() and (limit_s is None or elapsed < limit_s):
            wait([future], timeout=POLL_S)
            elapsed = time.monotonic() - started
            if elapsed >= PATIENCE_S:
                line.show(elapsed)
    finally:
        line.remove()


class _ProgressLine:
    """A line that is rewritten in place. Where stderr is no terminal it tells that a cluster starts, once."""

    def __init__(self, describe: Callable[[], str | None]) -> None:
        self._describe = describe
        self._doing: str | None = None
        self._status: Status | None = None
        self._is_over = Event()
        self._is_announced = False
        if sys.stderr.isatty():
            import rich.console  # noqa: F401  (takes a while, and is needed after a second)

    def show(self, elapsed_s: float) -> None:
        if not sys.stderr.isatty():
            if not self._is_announced:
                self._is_announced = True
                in_background(self._announce)
            return
        from rich.console import Console
        from rich.text import Text

        text = Text(f"{elapsed_s:.0f} s  {self._doing or 'running'}", no_wrap=True, overflow="ellipsis")
        if self._status is None:
            in_background(self._watch)
            self._status = Console(stderr=True).status(text)
            self._status.start()
        else:
            self._status.update(text)

    def _watch(self) -> None:
        """Not in the main thread: Ctrl-C would strike inside of a call of the JVM, and Py4J tell of it."""
        while not self._is_over.wait(POLL_S):
            with suppress(errors.Error):
                self._doing = self._describe()

    def _announce(self) -> None:
        """Until it is known what the statement waits for."""
        while not self._is_over.wait(POLL_S):
            with suppress(errors.Error):
                doing = self._describe()
                if doing and doing.startswith(STARTING_CLUSTER):
                    click.echo(doing, err=True)
                if doing != QUEUED:
                    return

    def remove(self) -> None:
        self._is_over.set()
        if self._status is not None:
            self._status.stop()


def _answer(engine: Engine, statement: str) -> tuple[Sequence[str], list[tuple[Any, ...]], Sequence[str]]:
    result = engine.run(statement)
    return result.columns, result.fetchall() if result.columns else [], result.notices


def _cancel(engine: Engine, future: Future[T]) -> None:
    in_background(engine.cancel)
    try:
        wait_for(
            future, lambda: "cancelling; press Ctrl-C again to quit immediately", limit_s=CANCEL_WITHIN_S
        )
    except KeyboardInterrupt:
        leave_at_once()
    if not future.done():
        raise errors.Cancelled(
            f"the statement did not stop within {CANCEL_WITHIN_S:.0f} s and may still complete"
        )


def leave_at_once() -> None:
    """Without waiting for Spark, which goes when this process does."""
    click.echo("quit while a statement was running", err=True)
    sys.stdout.flush()
    os._exit(INTERRUPTED)
