"""Looks for troubles now and then and tells of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from headrace.lake.alert_settings import AlertSettings
from headrace.model.alert import Message
from headrace.model.clock import Clock
from headrace.model.periodic import PeriodicLoop
from headrace.schedule.alert_conditions import find_troubles
from headrace.schedule.alerts import Key, SentAlert, messages
from headrace.schedule.loop import Lake

LOOK_SECONDS = 5.0


class AlertWatch(PeriodicLoop):
    def __init__(
        self,
        lake: Lake,
        settings: AlertSettings,
        send: Callable[[Message], None],
        clock: Clock,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        super().__init__("alert watch", look_seconds)
        self._lake = lake
        self._settings = settings
        self._send = send
        self._clock = clock
        self._told: dict[Key, SentAlert] = {}

    def look(self) -> None:
        now = self._clock()
        found = find_troubles(self._lake, self._settings, now)
        repeat = timedelta(seconds=self._settings.repeat_seconds)
        self._told, said = messages(found.troubles, self._told, found.present, now, repeat)
        for message in said:
            self._send(message)
