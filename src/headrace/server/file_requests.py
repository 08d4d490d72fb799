"""What clients send about development files."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from headrace.features.development.model import Chart, ChartKind, FileKind, FileSettings
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE
from headrace.model.task import TaskAlert
from headrace.model.vcluster import DEFAULT_VCLUSTER

Name = Annotated[str, Field(min_length=1, max_length=200)]
Seconds = Annotated[int, Field(ge=1, le=36_500 * 86_400)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ChartGiven(_Request):
    kind: ChartKind
    x: str | None = None
    y: list[str] = []
    group_by: str | None = None

    def chart(self) -> Chart:
        return Chart(self.kind, self.x, tuple(self.y), self.group_by)


class SettingsGiven(_Request):
    workspace: Name = DEFAULT_WORKSPACE
    schema_: Annotated[str, Field(alias="schema", min_length=1, max_length=200)] = DEFAULT_SCHEMA
    cluster: Name = DEFAULT_VCLUSTER
    task: Name | None = None
    interval_seconds: Seconds | None = None
    start_at: datetime | None = None
    cron: Name | None = None
    time_zone: Name | None = None
    after: list[Name] = []
    parameters: dict[str, str] = Field(default_factory=dict)
    retries: Annotated[int, Field(ge=0, le=1000)] = 0
    backoff_seconds: Annotated[int, Field(ge=0, le=86_400)] = 0
    timeout_seconds: Seconds | None = None
    alerts: list[TaskAlert] = list(TaskAlert)
    comment: str | None = None
    chart: ChartGiven | None = None

    def settings(self) -> FileSettings:
        given = {name: getattr(self, name) for name in type(self).model_fields}
        given["schema"] = given.pop("schema_")
        given["after"] = tuple(self.after)
        given["alerts"] = tuple(each for each in TaskAlert if each in self.alerts)
        given["chart"] = None if self.chart is None else self.chart.chart()
        return FileSettings(**given)


class NewFile(_Request):
    folder_id: str | None = None
    name: str
    kind: FileKind
    content: str = ""
    settings: SettingsGiven = Field(default_factory=SettingsGiven)


class Edited(_Request):
    based_on: int = Field(ge=1, description="The version that was edited.")
    content: str
    settings: SettingsGiven = Field(default_factory=SettingsGiven)


class Moved(_Request):
    folder_id: str | None = Field(description="Null: to the top.")
    name: str


class VersionRestored(_Request):
    version: int = Field(ge=1, description="The version to restore.")
    based_on: int = Field(ge=1, description="The newest version that the user has seen.")


class SubmittedVersion(_Request):
    version: int = Field(ge=1, description="The version whose plan was shown.")
