"""Files become tasks, by the statements that a user could submit."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.catalog.definitions import Definitions
from headrace.features.development.edit import FileEditing
from headrace.features.development.model import File, FileVersion
from headrace.features.development.plan import Plan, plan_deployment
from headrace.features.development.store import conflict
from headrace.features.development.task_text import task_text
from headrace.features.tasks.store import Tasks
from headrace.features.tasks.task_changes import Desk
from headrace.features.vclusters.store import Vclusters
from headrace.lake.settings import Settings
from headrace.model.clock import Clock
from headrace.server.session_statements import SessionStatements


@dataclass(frozen=True)
class DeployedFile:
    task: str
    version: int
    notices: tuple[str, ...]


@dataclass(frozen=True)
class Deployment:
    editing: FileEditing
    tasks: Tasks
    vclusters: Vclusters
    definitions: Definitions
    settings: Settings
    clock: Clock
    statements: SessionStatements

    def plan(self, file_id: str, user: str) -> Plan:
        """Of the newest version."""
        file = self.editing.readable(file_id)
        version = self.editing.files.version(file_id, file.version)
        return plan_deployment(file, version, self._desk(version, user), self.definitions)

    async def deploy(self, file_id: str, number: int, user: str) -> DeployedFile:
        """The version that was planned, if it is still the newest."""
        file = self.editing.readable(file_id)
        if file.version != number:
            raise conflict(file)
        version = self.editing.files.version(file_id, number)
        notices = await self._run(file, version, user)
        name = task_text(file, version).name
        self.editing.files.note_deployment(file_id, name, number)
        return DeployedFile(name, number, notices)

    async def _run(self, file: File, version: FileVersion, user: str) -> tuple[str, ...]:
        text = task_text(file, version)
        async with self.statements.session(user) as session:
            session.workspace, session.schema = version.settings.workspace, version.settings.schema
            with text.pointing_into(version.content):
                await self.statements.run(session, text.create)
                return await self.statements.run(session, text.deploy)

    def _desk(self, version: FileVersion, user: str) -> Desk:
        workspace, schema = version.settings.workspace, version.settings.schema
        return Desk(self.tasks, self.vclusters, self.settings, user, workspace, schema, self.clock())
