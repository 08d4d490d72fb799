"""What a lake's owner can set, in ``lake.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from headrace.lake.alert_settings import AlertSettings
from headrace.lake.settings_errors import read_table, refusal
from headrace.model.names import DEFAULT_WORKSPACE
from headrace.model.quoting import show_identifier

OPTIONAL_FEATURES = ("avro", "kafka", "s3")
"""What Spark can read with further jars: see ``install.jars``."""
LONGEST_RETENTION = 90
"""In days."""
_CENTURY_DAYS = 36_500
_CENTURY_SECONDS = _CENTURY_DAYS * 86_400
_PETABYTE_MB = 1 << 30
_RENAME = "choose a name that consists of letters, digits and underscores"
_TAKEN = {
    DEFAULT_WORKSPACE: "is reserved for the lake itself",
    "spark_catalog": "is reserved for Spark",
    "system": "is reserved for Spark",
}


def _time_zone(value: Any) -> str:
    try:
        return ZoneInfo(str(value)).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise refusal(
            f"unknown time zone {value!r}", hint="use a name such as 'Europe/Berlin' or 'UTC'"
        ) from None


def _directories(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [None]
    for each in listed:
        if not isinstance(each, str) or not (each.startswith("/") or "://" in each):
            raise refusal(
                "allowed_directories must be a list of absolute paths or URLs",
                hint='for example allowed_directories = ["/data/incoming"]',
            )
    return tuple(listed)


def _databases(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [None]
    if not all(isinstance(each, str) and ":" in each for each in listed):
        raise refusal(
            "allowed_databases must be a list of hosts with ports",
            hint='for example allowed_databases = ["db.example.com:5432"]',
        )
    return tuple(listed)


def _drivers(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [None]
    if not all(isinstance(each, str) and each.startswith("/") and each.endswith(".jar") for each in listed):
        raise refusal(
            "jdbc_drivers must be a list of absolute paths of jars",
            hint='for example jdbc_drivers = ["/opt/drivers/ojdbc11.jar"]',
        )
    return tuple(listed)


def _brokers(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [None]
    if not all(isinstance(each, str) and ":" in each for each in listed):
        raise refusal(
            "allowed_brokers must be a list of hosts with ports",
            hint='for example allowed_brokers = ["kafka:9092"]',
        )
    return tuple(listed)


def _features(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [None]
    for each in listed:
        if each not in OPTIONAL_FEATURES:
            raise refusal(
                f"features must be a list of {', '.join(OPTIONAL_FEATURES)}",
                hint='for example features = ["kafka"]',
            )
    return tuple(listed)


def _spark(value: Any) -> dict[str, str]:
    return _strings("spark", value)


def _workspaces(value: Any) -> dict[str, dict[str, str]]:
    if not isinstance(value, Mapping):
        raise refusal("workspaces must be a table of tables")
    for name in value:
        if name.lower() in _TAKEN:
            raise refusal(f"the workspace name {name!r} {_TAKEN[name.lower()]}", hint=_RENAME)
        if show_identifier(name) != name:
            raise refusal(f"{name!r} cannot be the name of a workspace", hint=_RENAME)
    return {name: _strings(f"workspaces.{name}", properties) for name, properties in value.items()}


def _strings(key: str, value: Any) -> dict[str, str]:
    """Names to values; TOML makes a table of a name with a dot in it, which is put together again."""
    if not isinstance(value, Mapping):
        raise refusal(f"{key} must be a table of names and values")
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
                raise refusal(f"{key}.{name} must be a string or a number, not {setting!r}")
    return found


class Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    time_zone: Annotated[str, BeforeValidator(_time_zone)] = "UTC"
    minimum_interval_seconds: int = Field(default=60, ge=1, le=_CENTURY_SECONDS)
    history_days: int = Field(default=7, ge=1, le=_CENTURY_DAYS)
    refresh_wait_seconds: int = Field(default=600, ge=1, le=_CENTURY_SECONDS)
    """How long a refresh waits for another one of the same table."""
    full_refresh_margin: float = Field(default=1.2, gt=0, allow_inf_nan=False)
    """How many times cheaper FULL must be than INCREMENTAL, by estimate, to be chosen for it."""
    data_retention_days: int = Field(default=1, ge=0, le=LONGEST_RETENTION)
    """How long dropped tables and old versions are kept where a table does not say it itself."""
    keep_unread_days: int = Field(default=7, ge=0, le=_CENTURY_DAYS)
    """How long a table's versions wait for dynamic tables that have not seen them."""
    statement_timeout_seconds: int = Field(default=14_400, ge=0, le=_CENTURY_SECONDS)
    """How long a statement that a server was given may run; 0: as long as it takes."""
    allow_outside: bool = False
    """Whether statements given to a server may reach outside the lake: see ``sql.outside``."""
    allowed_directories: Annotated[tuple[str, ...], BeforeValidator(_directories)] = ()
    """Files below these may be read and written by path through a server."""
    allowed_brokers: Annotated[tuple[str, ...], BeforeValidator(_brokers)] = ()
    """Servers of Kafka and registries of schemas that may be read through a server."""
    allowed_databases: Annotated[tuple[str, ...], BeforeValidator(_databases)] = ()
    """Servers of databases that connections may be created to through a server."""
    jdbc_drivers: Annotated[tuple[str, ...], BeforeValidator(_drivers)] = ()
    """Jars with drivers of databases that batch syncs read."""
    features: Annotated[tuple[str, ...], BeforeValidator(_features)] = ()
    """What files and systems outside the lake can be read, beyond what every lake can."""
    start_default_cluster: bool = True
    """Whether a server starts the cluster ``default`` with itself, before there is a statement for it."""
    case_insensitive_names: bool = True
    """Whether a name in another case means the only table that it can mean."""
    protect_sources: bool = False
    """Whether what others read cannot be dropped or renamed, nor columns of it."""
    result_memory_mb: int = Field(default=64, ge=0, le=_PETABYTE_MB)
    """Memory for the rows of results in each process that computes them; more rows than that are on disk."""
    result_max_mb: int = Field(default=10_240, ge=1, le=_PETABYTE_MB)
    """Of one result, in memory and on disk."""
    results_total_mb: int = Field(default=20_480, ge=1, le=_PETABYTE_MB)
    """Of all results of a process."""
    key_indexes_mb: int = Field(default=10_240, ge=0, le=_PETABYTE_MB)
    """Of the indexes by which refreshes find rows; 0: there are none."""
    stream_commit_seconds: int = Field(default=60, ge=1, le=_CENTURY_SECONDS)
    """How long rows of stream writers wait at most for their commit, where a table does not say it itself."""
    stream_pending_mb: int = Field(default=1024, ge=1, le=_PETABYTE_MB)
    """Of such rows that a server keeps; a writer that brings more is asked to wait."""
    alerts: AlertSettings = Field(default_factory=AlertSettings)
    workspaces: Annotated[dict[str, dict[str, str]], BeforeValidator(_workspaces)] = Field(
        default_factory=dict
    )
    """Further Iceberg catalogs: name to catalog properties."""
    spark: Annotated[dict[str, str], BeforeValidator(_spark)] = Field(default_factory=dict)
    """Settings handed to Spark as they are."""

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def keep_unread(self) -> timedelta:
        return timedelta(days=self.keep_unread_days)


def read_settings(table: Mapping[str, Any]) -> Settings:
    """Settings from the parsed ``[settings]`` table; anything unknown or misshapen is an error."""
    return read_table(Settings, table)
