"""Looks for troubles now and then and tells of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from headrace.lake.alert_settings import AlertSettings
from headrace.model.alert import FiredAlert, Message, Trouble
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
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        """``leads`` says whether this is the one that records alerts, among several servers of a lake."""
        super().__init__("alert watch", look_seconds)
        self._lake = lake
        self._settings = settings
        self._send = send
        self._clock = clock
        self._leads = leads
        self._told: dict[Key, SentAlert] = {}
        self._log = lake.store.alerts

    def look(self) -> None:
        now = self._clock()
        found = find_troubles(self._lake, self._settings, now)
        repeat = timedelta(seconds=self._settings.repeat_seconds)
        self._told, said = messages(found.troubles, self._told, found.present, now, repeat)
        if self._leads():
            self._record(found.troubles, now)
        for message in said:
            self._send(message)

    def _record(self, troubles: Iterable[Trouble], now: datetime) -> None:
        current = {trouble.key: trouble for trouble in troubles}
        known = {(alert.kind, alert.subject): alert for alert in self._log.open()}
        over = [replace(alert, ended_at=now) for key, alert in known.items() if key not in current]
        begun = [
            FiredAlert(each.kind, each.subject, each.text, now)
            for key, each in current.items()
            if key not in known
        ]
        if over or begun:
            self._log.record([*over, *begun])
