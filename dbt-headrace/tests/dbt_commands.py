"""dbt's commands on a project of a test's own: run in this process, but for ``dbt init``."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pexpect
import yaml
from dbt.adapters.factory import reset_adapters
from dbt.cli.main import dbtRunner, dbtRunnerResult
from dbt_common.events.base_types import EventMsg

DBT = Path(sys.executable).with_name("dbt")


@dataclass
class Outcome:
    result: dbtRunnerResult
    events: list[EventMsg] = field(default_factory=list)

    @property
    def succeeded(self) -> bool:
        return self.result.success

    @property
    def said(self) -> str:
        """All that a user sees."""
        return "\n".join(event.info.msg for event in self.events if event.info.level != "debug")

    @property
    def sent(self) -> list[str]:
        """The statements, in their order."""
        return [event.data.sql for event in self.events if event.info.name == "SQLQuery"]

    @property
    def statuses(self) -> dict[str, str]:
        return {each.node.name: str(each.status) for each in self.result.result}

    @property
    def messages(self) -> dict[str, str]:
        return {each.node.name: each.message for each in self.result.result}


class Project:
    def __init__(self, directory: Path, **outputs: dict[str, Any]) -> None:
        self.directory = directory
        directory.mkdir(parents=True)
        settings = {
            "name": directory.name,
            "profile": directory.name,
            "flags": {"send_anonymous_usage_stats": False},
        }
        self.write("dbt_project.yml", yaml.safe_dump(settings))
        profile = {"target": next(iter(outputs)), "outputs": outputs}
        self.write("profiles.yml", yaml.safe_dump({directory.name: profile}))

    @classmethod
    def init(cls, directory: Path, answers: dict[str, str], dbt: Path = DBT) -> Self:
        """The starter project of ``dbt init`` as a person at a terminal makes it, with its profile inside."""
        where = ["--profiles-dir", str(directory.parent)]
        terminal = pexpect.spawn(
            str(dbt),
            ["init", directory.name, *where],
            cwd=str(directory.parent),
            encoding="utf-8",
            timeout=120,
        )
        for question, answer in {"Enter a number": "1", **answers}.items():
            terminal.expect_exact(question)
            terminal.expect(": ?")
            terminal.sendline(answer)
        terminal.expect(pexpect.EOF)
        assert terminal.wait() == 0, terminal.before
        made = cls.__new__(cls)
        made.directory = directory
        (directory.parent / "profiles.yml").rename(directory / "profiles.yml")
        return made

    def write(self, name: str, text: str) -> None:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self, name: str) -> str:
        return (self.directory / name).read_text()

    def artifact(self, name: str) -> Any:
        return json.loads(self.read(f"target/{name}.json"))

    def dbt(self, *arguments: str) -> Outcome:
        events: list[EventMsg] = []
        places = ["--project-dir", str(self.directory), "--profiles-dir", str(self.directory)]
        log = ["--log-path", str(self.directory / "logs"), "--no-use-colors"]
        result = dbtRunner(callbacks=[events.append]).invoke([*arguments, *places, *log])
        reset_adapters()  # dbt's own fixtures would go on with the one of this project
        return Outcome(result, events)
