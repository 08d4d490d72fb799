"""``[settings.alerts]`` in ``lake.toml``: whom to tell what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headrace.errors import LakeDamaged
from headrace.model.alert import AlertKind

_LEAST_REPEAT = 60
_LONGEST = 36_500 * 86_400
_KNOWN = ("targets", "kinds", "lag_seconds", "repeat_seconds")


@dataclass(frozen=True)
class AlertSettings:
    targets: tuple[str, ...] = field(default=(), repr=False)
    """Addresses that hold passwords and keys: they are shown to nobody."""
    kinds: frozenset[AlertKind] = frozenset(AlertKind)
    lag_seconds: int | None = None
    """None: lag is nothing to tell of."""
    repeat_seconds: int = 3600


def read_alert_settings(value: object) -> AlertSettings:
    if not isinstance(value, Mapping):
        raise LakeDamaged("lake.toml: alerts must be a table of settings")
    unknown = sorted(set(value) - set(_KNOWN))
    if unknown:
        hint = f"known settings: {', '.join(_KNOWN)}"
        raise LakeDamaged(f"lake.toml: unknown setting 'alerts.{unknown[0]}'", hint=hint)
    lag = value.get("lag_seconds")
    return AlertSettings(
        _targets(value.get("targets", [])),
        _kinds(value.get("kinds", [kind.value for kind in AlertKind])),
        None if lag is None else _seconds("lag_seconds", lag, 1),
        _seconds("repeat_seconds", value.get("repeat_seconds", 3600), _LEAST_REPEAT),
    )


def _targets(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise LakeDamaged("lake.toml: alerts.targets must be a list of addresses")
    for number, target in enumerate(value, 1):
        if not isinstance(target, str) or "://" not in target:
            raise LakeDamaged(
                f"lake.toml: item {number} of alerts.targets is not an address",
                hint="addresses are those of Apprise, such as 'jsons://host/path' or 'mailtos://user:key@host'",
            )
    return tuple(value)


def _kinds(value: object) -> frozenset[AlertKind]:
    known = {kind.value: kind for kind in AlertKind}
    if not isinstance(value, list) or not all(isinstance(each, str) and each in known for each in value):
        raise LakeDamaged(f"lake.toml: alerts.kinds must be a list of some of {', '.join(known)}")
    return frozenset(known[each] for each in value)


def _seconds(key: str, value: object, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LONGEST:
        raise LakeDamaged(
            f"lake.toml: alerts.{key} must be a whole number from {least} to {_LONGEST}, not {value!r}"
        )
    return value
