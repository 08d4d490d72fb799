"""What all locks do, whoever they are shared among."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable

from headrace.lake.locks import Locks

WAIT = 20


class LocksConformance:
    def test_one_at_a_time(self, locks: Locks) -> None:
        with locks.hold("a", 1) as held, locks.hold("b", 0) as other:
            assert held
            assert other
            assert not held_elsewhere(locks, "a", 0)
        assert held_elsewhere(locks, "a", 0)

    def test_waiting_has_a_limit(self, locks: Locks) -> None:
        with locks.hold("a", 0):
            start = time.monotonic()
            assert not held_elsewhere(locks, "a", 0.3)
            assert 0.25 < time.monotonic() - start < WAIT

    def test_who_waits_gets_it(self, locks: Locks) -> None:
        got: list[bool] = []
        with locks.hold("a", 0):
            waiting = threading.Thread(target=lambda: got.append(held_elsewhere(locks, "a", WAIT)))
            waiting.start()
            time.sleep(0.2)
            assert got == []
        waiting.join(WAIT)
        assert got == [True]

    def test_a_failure_lets_go(self, locks: Locks) -> None:
        try:
            with locks.hold("a", 0):
                raise KeyError
        except KeyError:
            pass
        assert held_elsewhere(locks, "a", 0)

    def test_parts_are_held_beside_each_other(self, locks: Locks) -> None:
        with locks.hold("a", 0, "p") as held:
            assert held
            assert held_elsewhere(locks, "a", 0, "q")
            assert not held_elsewhere(locks, "a", 0, "p")
            assert not held_elsewhere(locks, "a", 0)
        with locks.hold("a", 0) as held:
            assert held
            assert not held_elsewhere(locks, "a", 0, "p")
        assert held_elsewhere(locks, "a", 0, "p")

    def test_never_two_inside(self, locks: Locks) -> None:
        inside, most, done = [0], [0], [0]

        def work() -> None:
            for _ in range(10):
                with locks.hold("a", WAIT) as held:
                    assert held
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    time.sleep(0.001)
                    inside[0] -= 1
                    done[0] += 1

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert (most, done) == ([1], [40])


def held_elsewhere(locks: Locks, key: str, seconds: float, part: str | None = None) -> bool:
    """By another thread."""
    found: list[bool] = []

    def work() -> None:
        with locks.hold(key, seconds, part) as held:
            found.append(held)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    return found[0]


def killed_while_holding(program: str, argument: str, then: Callable[[], None]) -> None:
    """Runs ``then`` while another process holds what ``program`` takes; kills it afterwards."""
    with subprocess.Popen([sys.executable, "-c", program, argument], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            then()
        finally:
            process.kill()
