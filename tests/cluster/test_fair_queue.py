from __future__ import annotations

import threading
import time

from headrace.cluster.fair_queue import FairQueue

WAIT = 10


class Runner:
    """Takes a turn in a thread of its own, until it is let go."""

    def __init__(self, turns: FairQueue, name: str, started: list[str]) -> None:
        self.queued = threading.Event()
        self.running = threading.Event()
        self.let_go = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(turns, name, started))
        self._thread.start()

    def _run(self, turns: FairQueue, name: str, started: list[str]) -> None:
        with turns.turn(self.queued.set):
            started.append(name)
            self.running.set()
            assert self.let_go.wait(WAIT)

    def end(self) -> None:
        self.let_go.set()
        self._thread.join(WAIT)


def test_so_many_at_a_time_and_the_rest_in_order():
    turns, started = FairQueue(2), []
    runners = []
    for name in "abcd":
        runners.append(Runner(turns, name, started))
        assert (runners[-1].running if name in "ab" else runners[-1].queued).wait(WAIT)
    assert (started, turns.running, turns.waiting) == (["a", "b"], 2, 2)
    runners[1].end()
    assert runners[2].running.wait(WAIT)
    assert started == ["a", "b", "c"]
    for runner in runners:
        runner.end()
    assert (started, turns.running, turns.waiting) == (["a", "b", "c", "d"], 0, 0)


def test_who_need_not_wait_is_not_queued():
    runner = Runner(FairQueue(1), "a", [])
    assert runner.running.wait(WAIT)
    runner.end()
    assert not runner.queued.is_set()


def test_more_at_a_time_lets_the_waiting_in():
    turns, started = FairQueue(1), []
    first, second = Runner(turns, "a", started), None
    assert first.running.wait(WAIT)
    second = Runner(turns, "b", started)
    assert second.queued.wait(WAIT)
    turns.allow(2)
    assert second.running.wait(WAIT)
    first.end()
    second.end()


def test_who_gives_up_while_waiting_leaves_the_queue():
    turns = FairQueue(1)

    def impatient() -> None:
        raise TimeoutError

    first = Runner(turns, "a", [])
    assert first.running.wait(WAIT)
    try:
        with turns.turn(impatient):
            raise AssertionError("it was not its turn")
    except TimeoutError:
        pass
    assert (turns.running, turns.waiting) == (1, 0)
    first.end()
    assert turns.running == 0


def test_never_more_than_allowed():
    turns, lock, inside, most = FairQueue(3), threading.Lock(), [0], [0]

    def work() -> None:
        for _ in range(20):
            with turns.turn(lambda: None):
                with lock:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                time.sleep(0.0005)
                with lock:
                    inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert (inside, most, turns.running) == ([0], [3], 0)
