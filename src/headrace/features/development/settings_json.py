"""Settings of files as JSON, for the metadata database and for exported files: what has its default is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from headrace.features.development.model import Chart, ChartKind, FileSettings
from headrace.model.json_value import json_value
from headrace.model.task import TaskAlert

_DEFAULTS = FileSettings()


def settings_to_json(settings: FileSettings) -> dict[str, Any]:
    given = {each.name: getattr(settings, each.name) for each in fields(settings)}
    return {
        name: json_value(value) for name, value in given.items() if value != getattr(_DEFAULTS, name)
    }


def settings_from_json(entry: Mapping[str, Any]) -> FileSettings:
    """Raises ValueError or TypeError where a value does not fit."""
    given = dict(entry)
    if "start_at" in given:
        given["start_at"] = datetime.fromisoformat(given["start_at"])
    if "after" in given:
        given["after"] = tuple(given["after"])
    if "alerts" in given:
        given["alerts"] = tuple(TaskAlert(each) for each in given["alerts"])
    if "chart" in given:
        given["chart"] = _chart(given["chart"])
    return FileSettings(**given)


def _chart(entry: Mapping[str, Any]) -> Chart:
    return Chart(
        ChartKind(entry["kind"]), entry.get("x"), tuple(entry.get("y", ())), entry.get("group_by")
    )
