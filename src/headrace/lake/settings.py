"""What a lake's owner can set, in ``lake.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from headrace.errors import LakeDamaged
from headrace.model.names import DEFAULT_WORKSPACE


@dataclass(frozen=True)
class Settings:
    time_zone: str = "UTC"
    minimum_interval_seconds: int = 60
    history_days: int = 7
    refresh_wait_seconds: int = 600
    """How long a refresh waits for another one of the same table."""
    workspaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Further Iceberg catalogs: name to catalog properties."""
    spark: Mapping[str, str] = field(default_factory=dict)
    """Settings handed to Spark as they are."""

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


_WHOLE_NUMBERS = ("minimum_interval_seconds", "history_days", "refresh_wait_seconds")
_KNOWN = {"time_zone", "workspaces", "spark", *_WHOLE_NUMBERS}


def read_settings(table: Mapping[str, object]) -> Settings:
    """Settings from the parsed ``[settings]`` table; anything unknown or misshapen is an error."""
    unknown = sorted(set(table) - _KNOWN)
    if unknown:
        raise LakeDamaged(
            f"lake.toml: unknown setting {unknown[0]!r}", hint=f"known settings: {', '.join(sorted(_KNOWN))}"
        )
    numbers = {key: _whole_number(key, table[key]) for key in _WHOLE_NUMBERS if key in table}
    return Settings(
        time_zone=_time_zone(table.get("time_zone", "UTC")),
        workspaces=_workspaces(table.get("workspaces", {})),
        spark=_strings("spark", table.get("spark", {})),
        **numbers,
    )


def _whole_number(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise LakeDamaged(f"lake.toml: {key} must be a whole number of at least 1, not {value!r}")
    return value


def _time_zone(value: object) -> str:
    try:
        return ZoneInfo(str(value)).key
    except (ZoneInfoNotFoundError, ValueError):
        raise LakeDamaged(
            f"lake.toml: unknown time zone {value!r}", hint="use a name such as 'Europe/Berlin' or 'UTC'"
        ) from None


def _strings(key: str, value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise LakeDamaged(f"lake.toml: {key} must be a table of names and values")
    return {str(name): str(setting) for name, setting in value.items()}


def _workspaces(value: object) -> dict[str, dict[str, str]]:
    if not isinstance(value, Mapping):
        raise LakeDamaged("lake.toml: workspaces must be a table of tables")
    if DEFAULT_WORKSPACE in value:
        raise LakeDamaged(f"lake.toml: the workspace {DEFAULT_WORKSPACE!r} is the lake itself")
    return {str(name): _strings(f"workspaces.{name}", properties) for name, properties in value.items()}
