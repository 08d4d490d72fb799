"""Messages on their way to webhooks and mailboxes; whatever happens there stops nothing here."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong

import apprise

from headrace.errors import LakeDamaged
from headrace.model.alert import Message
from headrace.model.events import log_event

_MOST_WAITING = 1000
_SECONDS = 30.0


class Delivery:
    """One message after the other, each to all targets, in a thread of its own."""

    def __init__(self, targets: Sequence[str], seconds: float = _SECONDS) -> None:
        quiet = logging.getLogger("apprise")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        self._targets = [_target(number, address) for number, address in enumerate(targets, 1)]
        self._seconds = seconds
        self._waiting: queue.Queue[Message | None] = queue.Queue(_MOST_WAITING)
        self._threads = ThreadPoolExecutor(max(1, len(targets)), thread_name_prefix="alert")
        self.trouble: str | None = None
        """Why the last message did not reach everybody."""
        self.delivered = 0
        self._thread = threading.Thread(target=self._deliver_all, daemon=True, name="alerts")
        self._thread.start()

    def problem(self) -> str | None:
        """Why alerts do not reach everybody."""
        return self.trouble if self._thread.is_alive() else "its thread has ended; restart the server"

    def send(self, message: Message) -> None:
        """Does not wait."""
        try:
            self._waiting.put_nowait(message)
        except queue.Full:
            self.trouble = f"{_MOST_WAITING} alerts are waiting to be delivered; another one was discarded"

    def close(self) -> None:
        """Delivers what waits, for as long as one message may take."""
        self._waiting.put(None)
        self._thread.join(self._seconds)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _deliver_all(self) -> None:
        while (message := self._waiting.get()) is not None:
            try:
                self._deliver(message)
            except Exception as error:  # noqa: BLE001  (the next message may get through)
                log_event("alert not delivered", level=logging.ERROR, exception=error)
                self.trouble = f"{type(error).__name__}: see the server's log"

    def _deliver(self, message: Message) -> None:
        sent = [self._threads.submit(_notify, target, message) for target in self._targets]
        missed = 0
        for future in sent:
            try:
                missed += not future.result(self._seconds)
            except TookTooLong:
                missed += 1
            except Exception:  # noqa: BLE001  (its words may hold the address, which is secret)
                missed += 1
        self.delivered += 1
        self.trouble = (
            f"{missed} of {len(sent)} targets did not accept the alert {message.title!r}" if missed else None
        )


def _target(number: int, address: str) -> apprise.NotifyBase:
    target = apprise.Apprise.instantiate(address, suppress_exceptions=True)
    if not isinstance(target, apprise.NotifyBase):
        raise LakeDamaged(
            f"lake.toml: item {number} of alerts.targets is not an address that Apprise supports",
            hint="see the list of services of Apprise",
        )
    return target


def _notify(target: apprise.NotifyBase, message: Message) -> bool:
    kind = apprise.NotifyType.SUCCESS if message.is_recovery else apprise.NotifyType.FAILURE
    return bool(target.notify(body=message.body, title=message.title, notify_type=kind))
