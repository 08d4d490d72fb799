"""Ctrl-C while Spark works.

Python interrupts its main thread wherever it is, and inside a call of the JVM that would leave the call
running and its answer unread. So the main thread has another thread make the calls: on Ctrl-C it cancels the
work, waits until it has really ended, and only then lets the interrupt go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")

_CANCEL_AGAIN_SECONDS = 0.5
_workers = ThreadPoolExecutor(max_workers=32, thread_name_prefix="headrace")


def interruptible(work: Callable[[], T], cancel: Callable[[], None]) -> T:
    if threading.current_thread() is not threading.main_thread():
        return work()
    future = _workers.submit(work)
    try:
        return future.result()
    except BaseException:
        while not future.done():
            _workers.submit(cancel)
            wait([future], timeout=_CANCEL_AGAIN_SECONDS)
        raise
