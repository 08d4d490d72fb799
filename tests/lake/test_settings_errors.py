"""Whatever lake.toml has in the place of a setting, the message is a sentence that names the setting."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from typing import Any

import pytest

from headrace.errors import LakeDamaged
from headrace.lake.alert_settings import AlertSettings
from headrace.lake.directory import LakeMarker
from headrace.lake.settings import Settings, read_settings
from headrace.lake.settings_errors import read_table

TOML_VALUES: list[Any] = [
    *("", "text", "s3://bucket", 0, -1, 1, 10**30, 1.5, 0.0, -1.0, math.inf, math.nan, True, False),
    *([], [1], ["text"], [[]], {}, {"a": 1}, {"a": {"b": [1]}}),
    *(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1), date(2026, 1, 1), time(1)),  # noqa: DTZ001
]


def message_for(table: dict[str, Any]) -> str | None:
    try:
        read_settings(table)
    except LakeDamaged as error:
        return error.message
    return None


@pytest.mark.parametrize("key", Settings.model_fields)
def test_every_setting(key: str) -> None:
    messages = [message_for({key: value}) for value in TOML_VALUES]
    wrong = [message for message in messages if message is not None]
    assert wrong
    words = {"time_zone": "time zone", "workspaces": "workspace"}
    assert all(m.startswith("lake.toml: ") and words.get(key, key) in m for m in wrong)


@pytest.mark.parametrize("key", AlertSettings.model_fields)
def test_every_setting_of_alerts(key: str) -> None:
    wrong = [m for m in (message_for({"alerts": {key: value}}) for value in TOML_VALUES) if m is not None]
    assert wrong
    assert all(m.startswith("lake.toml: ") and f"alerts.{key}" in m for m in wrong)


@pytest.mark.parametrize("key", LakeMarker.model_fields)
def test_every_key_of_the_lake_itself(key: str) -> None:
    wrong = []
    for value in TOML_VALUES:
        try:
            read_table(LakeMarker, {key: value}, "/lakes/a/lake.toml")
        except LakeDamaged as error:
            wrong.append(error.message)
    assert wrong
    assert all(m.startswith("/lakes/a/lake.toml: ") and key in m for m in wrong)


def test_addresses_are_not_in_the_traceback() -> None:
    with pytest.raises(LakeDamaged) as caught:
        read_settings({"alerts": {"targets": ["s3cret"]}})
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "s3cret" not in caught.value.message
