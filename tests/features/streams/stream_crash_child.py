"""A process that dies while it consumes a stream: called with the lake, a moment, and a statement."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import headrace
from headrace.features.streams import consume
from headrace.features.streams.store import TableStreams
from tests import internals

gateway: Any = None


def die_alone(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_with_the_jvm(*_: Any, **__: Any) -> None:
    os.kill(gateway.proc.pid, signal.SIGKILL)
    die_alone()


def at_the_end_of(owner: Any, name: str, die: Callable[..., None]) -> None:
    original = getattr(owner, name)

    def dying(*args: Any, **keywords: Any) -> None:
        original(*args, **keywords)
        die()

    setattr(owner, name, dying)


MOMENTS: dict[str, Callable[[Callable[..., None]], None]] = {
    "announced": lambda die: at_the_end_of(TableStreams, "begin", die),
    "committed": lambda die: at_the_end_of(consume, "run_marked", die),
    "about to move": lambda die: setattr(TableStreams, "finish", die),
    "moved": lambda die: at_the_end_of(TableStreams, "finish", die),
}


def consume_for_ever(lake: headrace.Connection) -> None:
    for number in itertools.count(10):
        lake.sql(f"INSERT INTO t VALUES ({number}, 'x'); INSERT INTO target SELECT id, v FROM s")
        print("consuming", flush=True)  # noqa: T201


def main() -> None:
    global gateway
    path, moment, *rest = sys.argv[1:]
    lake = headrace.connect(path)
    gateway = internals.gateway(internals.spark(lake))
    if moment == "any":
        consume_for_ever(lake)
    who, statement = rest
    MOMENTS[moment](die_alone if who == "python" else die_with_the_jvm)
    lake.sql(statement)


if __name__ == "__main__":
    main()
