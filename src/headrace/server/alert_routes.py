"""Alerts: which are sent, and which were fired."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter

from headrace.model.alert import AlertKind, FiredAlert
from headrace.server.dependencies import AlertHistory, AlertRulesOfLake
from headrace.server.paging import Listed, Order, Page
from headrace.server.view_route import ViewRoute

routes = APIRouter(tags=["operation"], route_class=ViewRoute)
_NEWEST = Order[FiredAlert](lambda each: (each.since, each.kind.value, each.subject), (datetime, str, str))


@dataclass(frozen=True)
class AlertRules:
    """As `[settings.alerts]` in lake.toml has them."""

    kinds: tuple[AlertKind, ...]
    lag_seconds: int | None
    """Null: lag is not watched."""
    held_log_mb: int | None
    """How much log a database may keep for a sync; null: it is not watched."""
    repeat_seconds: int
    targets: tuple[str, ...]
    """The kind of each address; the addresses contain secrets."""


@dataclass(frozen=True)
class AlertView:
    kind: AlertKind
    subject: str
    """`dynamic table lake.public.t`, `task load`, `pipe lake.public.p` or `sync lake.public.s`."""
    text: str
    since: datetime
    ended_time: datetime | None
    """Null: it is not resolved."""

    @staticmethod
    def of(alert: FiredAlert) -> AlertView:
        return AlertView(alert.kind, alert.subject, alert.text, alert.since, alert.ended_at)


@routes.get("/alerts", summary="List fired alerts, newest first")
def alerts(history: AlertHistory, listing: Listed, resolved: bool | None = None) -> Page[AlertView]:
    """The name of an alert is its subject. With `resolved`, only those that are, or are not."""
    page = listing.page_of(
        lambda position, count: history.history(count, position),
        _NEWEST,
        lambda each: each.subject,
        lambda each: resolved in (None, each.ended_at is not None),
    )
    return page.map(AlertView.of)


@routes.get("/alert-rules", summary="Show which alerts are sent, and where to")
def alert_rules(settings: AlertRulesOfLake) -> AlertRules:
    return AlertRules(
        kinds=tuple(kind for kind in AlertKind if kind in settings.kinds),
        lag_seconds=settings.lag_seconds,
        held_log_mb=settings.held_log_mb,
        repeat_seconds=settings.repeat_seconds,
        targets=tuple(target.partition("://")[0] for target in settings.targets),
    )
