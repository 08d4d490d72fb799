"""The profile of ``dbt init``: dbt itself writes one target of what was answered, and this adds a second.

dbt has no place for an adapter to say so, and so its task is given another way to write a profile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbt.task.init import InitTask

_PRODUCTION = "prod"
_PRODUCTION_SCHEMA = "dbt_prod"


def with_production(profile: dict[str, Any]) -> dict[str, Any]:
    """The same lake or server, with a schema of its own."""
    first = profile["outputs"][profile["target"]]
    if first.get("type") != "headrace" or _PRODUCTION in profile["outputs"]:
        return profile
    production = {**first, "schema": _PRODUCTION_SCHEMA}
    return {**profile, "outputs": {**profile["outputs"], _PRODUCTION: production}}


def write_both_targets() -> None:
    """From now on in this process."""
    task: Any = InitTask
    task.write_profile = _writing_both(task.write_profile)


def _writing_both(write: Callable[..., None]) -> Callable[..., None]:
    def write_profile(self: Any, profile: dict[str, Any], profile_name: str) -> None:
        write(self, with_production(profile), profile_name)

    return write_profile
