from __future__ import annotations

import threading

from headrace.commands.table_locks import TableLocks

SOON = 0.02
LATER = 10


def test_one_at_a_time_with_a_table() -> None:
    locks = TableLocks()
    assert locks.acquire("t", None, SOON)
    assert not locks.acquire("t", None, SOON)
    assert not locks.acquire("t", "p", SOON)
    assert locks.acquire("other", None, SOON)
    locks.release("t", None)
    assert locks.acquire("t", None, SOON)


def test_one_at_a_time_with_each_partition() -> None:
    locks = TableLocks()
    assert locks.acquire("t", "p", SOON)
    assert locks.acquire("t", "q", SOON)
    assert not locks.acquire("t", "p", SOON)
    assert not locks.acquire("t", None, SOON)
    locks.release("t", "p")
    assert not locks.acquire("t", None, SOON)
    locks.release("t", "q")
    assert locks.acquire("t", None, SOON)


def test_who_waits_for_the_table_is_not_overtaken_by_partitions() -> None:
    locks = TableLocks()
    locks.acquire("t", "p", SOON)
    whole = threading.Thread(target=locks.acquire, args=("t", None, LATER))
    whole.start()
    while not locks._waiting["t"]:
        pass
    assert not locks.acquire("t", "q", SOON)
    locks.release("t", "p")
    whole.join()
    assert not locks.acquire("t", "q", SOON)
    locks.release("t", None)
    assert locks.acquire("t", "q", SOON)


def test_who_no_longer_waits_keeps_nobody_out() -> None:
    locks = TableLocks()
    locks.acquire("t", "p", SOON)
    assert not locks.acquire("t", None, SOON)
    assert locks.acquire("t", "q", SOON)
