"""What a lake's owner can set, in ``lake.toml``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from headrace.errors import LakeDamaged
from headrace.lake.alert_settings import AlertSettings, read_alert_settings
from headrace.model.names import DEFAULT_WORKSPACE
from headrace.model.quoting import show_identifier


@dataclass(frozen=True)
class Settings:
    time_zone: str = "UTC"
    minimum_interval_seconds: int = 60
    history_days: int = 7
    refresh_wait_seconds: int = 600
    """How long a refresh waits for another one of the same table."""
    full_refresh_margin: float = 1.2
    """How many times cheaper FULL must be than INCREMENTAL, by estimate, to be chosen for it."""
    data_retention_days: int = 1
    """How long dropped tables and old versions are kept where a table does not say it itself."""
    keep_unread_days: int = 7
    """How long a table's versions wait for dynamic tables that have not seen them."""
    statement_timeout_seconds: int = 14_400
    """How long a statement that a server was given may run; 0: as long as it takes."""
    allow_outside: bool = False
    """Whether statements given to a server may reach outside the lake: see ``sql.outside``."""
    allowed_directories: tuple[str, ...] = ()
    """Files below these may be read and written by path through a server."""
    start_default_cluster: bool = True
    """Whether a server starts the cluster ``default`` with itself, before there is a statement for it."""
    case_insensitive_names: bool = True
    """Whether a name in another case means the only table that it can mean."""
    protect_sources: bool = False
    """Whether what others read cannot be dropped or renamed, nor columns of it."""
    result_memory_mb: int = 64
    """Memory for the rows of results in each process that computes them; more rows than that are on disk."""
    result_max_mb: int = 10_240
    """Of one result, in memory and on disk."""
    results_total_mb: int = 20_480
    """Of all results of a process."""
    alerts: AlertSettings = field(default_factory=AlertSettings)
    workspaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Further Iceberg catalogs: name to catalog properties."""
    spark: Mapping[str, str] = field(default_factory=dict)
    """Settings handed to Spark as they are."""

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def keep_unread(self) -> timedelta:
        return timedelta(days=self.keep_unread_days)


LONGEST_RETENTION = 90
"""In days."""
_CENTURY_DAYS = 36_500
_PETABYTE_MB = 1 << 30
_RENAME = "choose a name that consists of letters, digits and underscores"
_WHOLE_NUMBERS = {
    "minimum_interval_seconds": (1, _CENTURY_DAYS * 86_400),
    "history_days": (1, _CENTURY_DAYS),
    "refresh_wait_seconds": (1, _CENTURY_DAYS * 86_400),
    "data_retention_days": (0, LONGEST_RETENTION),
    "keep_unread_days": (0, _CENTURY_DAYS),
    "statement_timeout_seconds": (0, _CENTURY_DAYS * 86_400),
    "result_memory_mb": (0, _PETABYTE_MB),
    "result_max_mb": (1, _PETABYTE_MB),
    "results_total_mb": (1, _PETABYTE_MB),
}
"""With the least and the largest that make sense."""
_KNOWN = {
    *("time_zone", "full_refresh_margin", "alerts", "allow_outside", "allowed_directories"),
    *(
        "case_insensitive_names",
        "protect_sources",
        "start_default_cluster",
        "workspaces",
        "spark",
        *_WHOLE_NUMBERS,
    ),
}
_TAKEN = {
    DEFAULT_WORKSPACE: "is reserved for the lake itself",
    "spark_catalog": "is reserved for Spark",
    "system": "is reserved for Spark",
}


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
        full_refresh_margin=_margin(table.get("full_refresh_margin", 1.2)),
        alerts=read_alert_settings(table.get("alerts", {})),
        allow_outside=_yes_or_no("allow_outside", table.get("allow_outside", False)),
        case_insensitive_names=_yes_or_no(
            "case_insensitive_names", table.get("case_insensitive_names", True)
        ),
        protect_sources=_yes_or_no("protect_sources", table.get("protect_sources", False)),
        allowed_directories=_directories(table.get("allowed_directories", [])),
        start_default_cluster=_yes_or_no("start_default_cluster", table.get("start_default_cluster", True)),
        workspaces=_workspaces(table.get("workspaces", {})),
        spark=_strings("spark", table.get("spark", {})),
        **numbers,
    )


def _whole_number(key: str, value: object) -> int:
    least, largest = _WHOLE_NUMBERS[key]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= largest:
        raise LakeDamaged(f"lake.toml: {key} must be a whole number from {least} to {largest}, not {value!r}")
    return value


def _margin(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise LakeDamaged(f"lake.toml: full_refresh_margin must be a number greater than 0, not {value!r}")
    return float(value)


def _yes_or_no(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise LakeDamaged(f"lake.toml: {key} must be true or false, not {value!r}")
    return value


def _directories(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [None]
    for each in listed:
        if not isinstance(each, str) or not (each.startswith("/") or "://" in each):
            raise LakeDamaged(
                "lake.toml: allowed_directories must be a list of absolute paths or URLs",
                hint='for example allowed_directories = ["/data/incoming"]',
            )
    return tuple(listed)


def _time_zone(value: object) -> str:
    try:
        return ZoneInfo(str(value)).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise LakeDamaged(
            f"lake.toml: unknown time zone {value!r}", hint="use a name such as 'Europe/Berlin' or 'UTC'"
        ) from None


def _strings(key: str, value: object) -> dict[str, str]:
    """Names to values; TOML makes a table of a name with a dot in it, which is put together again."""
    if not isinstance(value, Mapping):
        raise LakeDamaged(f"lake.toml: {key} must be a table of names and values")
    found: dict[str, str] = {}
    for name, setting in value.items():
        match setting:
            case Mapping():
                inner = _strings(f"{key}.{name}", setting)
                found |= {f"{name}.{rest}": text for rest, text in inner.items()}
            case bool():
                found[name] = str(setting).lower()
            case str() | int() | float():
                found[name] = str(setting)
            case _:
                raise LakeDamaged(f"lake.toml: {key}.{name} must be a string or a number, not {setting!r}")
    return found


def _workspaces(value: object) -> dict[str, dict[str, str]]:
    if not isinstance(value, Mapping):
        raise LakeDamaged("lake.toml: workspaces must be a table of tables")
    for name in value:
        if name.lower() in _TAKEN:
            raise LakeDamaged(f"lake.toml: the workspace name {name!r} {_TAKEN[name.lower()]}", hint=_RENAME)
        if show_identifier(name) != name:
            raise LakeDamaged(f"lake.toml: {name!r} cannot be the name of a workspace", hint=_RENAME)
    return {name: _strings(f"workspaces.{name}", properties) for name, properties in value.items()}
