"""``[settings.alerts]`` in ``lake.toml``: which alerts are sent, and where to."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from headrace.lake.settings_errors import refusal
from headrace.model.alert import AlertKind

_LEAST_REPEAT = 60
_LONGEST = 36_500 * 86_400


def _targets(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise refusal("alerts.targets must be a list of addresses")
    for number, target in enumerate(value, 1):
        if not isinstance(target, str) or "://" not in target:
            raise refusal(
                f"item {number} of alerts.targets is not an address",
                hint="addresses are those of Apprise, such as 'jsons://host/path' or 'mailtos://user:key@host'",
            )
    return tuple(value)


def _kinds(value: Any) -> frozenset[AlertKind]:
    known = {kind.value: kind for kind in AlertKind}
    if not isinstance(value, list) or not all(isinstance(each, str) and each in known for each in value):
        raise refusal(f"alerts.kinds must be a list of some of {', '.join(known)}")
    return frozenset(known[each] for each in value)


class AlertSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    targets: Annotated[tuple[str, ...], BeforeValidator(_targets)] = Field(default=(), repr=False)
    """Addresses that hold passwords and keys: they are shown to nobody."""
    kinds: Annotated[frozenset[AlertKind], BeforeValidator(_kinds)] = frozenset(AlertKind)
    lag_seconds: int | None = Field(default=None, ge=1, le=_LONGEST)
    """None: there are no alerts about lag."""
    held_log_mb: int | None = Field(default=10_240, ge=1, le=1_000_000_000)
    """How much log a database may keep for a sync."""
    repeat_seconds: int = Field(default=3600, ge=_LEAST_REPEAT, le=_LONGEST)
