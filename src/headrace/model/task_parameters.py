"""What the ``${name}`` of a script stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

BUSINESS_DATE = "bizdate"
ARGUMENT_PREFIX = "dt.args."
"""Parameters so called are arguments of dynamic tables, too."""

_PLAIN_VALUE = re.compile(r"[\w .,:/@+-]*")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_.]*)\}")


def parameters_of_run(
    task: Mapping[str, str], given: Mapping[str, str], scheduled_time: datetime, zone: ZoneInfo
) -> dict[str, str]:
    """Those given for the run before those of the task.

    ``bizdate`` is the date of the scheduled time in the lake's zone unless it is given. Values may use it
    and each other.
    """
    day = scheduled_time.astimezone(zone).date().isoformat()
    known = {BUSINESS_DATE: day, **task, **given}
    return {name: with_parameters(value, known) for name, value in known.items()}


def with_parameters(text: str, parameters: Mapping[str, str]) -> str:
    """References to other names stay as they are."""
    return _REFERENCE.sub(lambda found: parameters.get(found[1], found[0]), text)


def unknown_parameters(text: str, parameters: Mapping[str, str]) -> list[str]:
    """Those that the text refers to and that have no value, in order."""
    return [name for name in dict.fromkeys(_REFERENCE.findall(text)) if name not in parameters]


def unsafe_parameters(text: str, parameters: Mapping[str, str]) -> list[str]:
    """Those that the text of a program refers to and whose values could be more than values there."""
    referred = dict.fromkeys(_REFERENCE.findall(text))
    return [name for name in referred if not _PLAIN_VALUE.fullmatch(parameters.get(name, ""))]


def arguments_of(parameters: Mapping[str, str]) -> dict[str, str]:
    """By their full names."""
    return {name: value for name, value in parameters.items() if name.lower().startswith(ARGUMENT_PREFIX)}
