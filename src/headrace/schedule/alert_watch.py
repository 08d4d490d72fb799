"""Looks for troubles now and then and tells of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

from headrace.errors import Error
from headrace.lake.alert_settings import AlertSettings
from headrace.model.alert import Message
from headrace.model.clock import Clock
from headrace.schedule.alerts import Key, Told, messages
from headrace.schedule.loop import Lake
from headrace.schedule.troubles import find_troubles

LOOK_SECONDS = 5.0


class AlertWatch:
    def __init__(
        self,
        lake: Lake,
        settings: AlertSettings,
        send: Callable[[Message], None],
        clock: Clock,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._lake = lake
        self._settings = settings
        self._send = send
        self._clock = clock
        self._look_seconds = look_seconds
        self._told: dict[Key, Told] = {}
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.trouble: str | None = None
        """Why the last look failed."""

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True, name="alert watch")
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def look(self) -> None:
        now = self._clock()
        found = find_troubles(self._lake, self._settings, now)
        repeat = timedelta(seconds=self._settings.repeat_seconds)
        self._told, said = messages(found.troubles, self._told, found.present, now, repeat)
        for message in said:
            self._send(message)

    def _run(self) -> None:
        while not self._stopping.wait(self._look_seconds):
            try:
                self.look()
                self.trouble = None
            except Error as error:
                self.trouble = error.message
