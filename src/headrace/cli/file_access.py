"""The development files of a lake: in its database, or through the server that has it open."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from headrace.api import LONGEST_PAGE, Api
from headrace.cli.script_directory import Script, ScriptChange
from headrace.features.development.model import FileKind, FileSettings
from headrace.model.clock import system_clock
from headrace.model.json_value import json_value

if TYPE_CHECKING:
    from headrace.features.development.edit import FileEditing


class FileAccess(Protocol):
    def scripts(self) -> list[Script]: ...
    def apply(self, change: ScriptChange) -> None: ...


class FilesOfLake:
    def __init__(self, editing: FileEditing) -> None:
        self._editing = editing
        self._user = getpass.getuser()

    def scripts(self) -> list[Script]:
        files = self._editing.files
        tree = files.tree()
        found = []
        for file in tree.present():
            if not file.is_folder:
                newest = files.version(file.id, file.version)
                path = tree.path_of(file)
                found.append(Script(path, file.kind, newest.content, newest.settings, file.id, file.version))
        return found

    def apply(self, change: ScriptChange) -> None:
        script = change.script
        if script.id is not None:
            self._editing.save(script.id, script.version, script.content, script.settings, self._user)
            return
        *folders, name = script.path.split("/")
        folder_id = self._folder(folders)
        self._editing.create(folder_id, name, script.kind, script.content, script.settings, self._user)

    def _folder(self, names: list[str]) -> str | None:
        """Created where it does not exist."""
        if not names:
            return None
        existing = self._editing.files.tree().at("/".join(names))
        if existing is not None:
            return existing.id
        above = self._folder(names[:-1])
        made = self._editing.create(above, names[-1], FileKind.FOLDER, "", FileSettings(), self._user)
        return made.id


class FilesOfServer:
    def __init__(self, api: Api) -> None:
        self._api = api

    def scripts(self) -> list[Script]:
        return [self._script(each["id"]) for each in self._listed() if each["kind"] != FileKind.FOLDER]

    def apply(self, change: ScriptChange) -> None:
        script = change.script
        content = {"content": script.content, "settings": json_value(script.settings)}
        if script.id is not None:
            self._api.ask("PUT", f"/files/{script.id}", json={"based_on": script.version, **content})
            return
        *folders, name = script.path.split("/")
        self._create(self._folder(folders), name, script.kind, **content)

    def _folder(self, names: list[str]) -> str | None:
        if not names:
            return None
        path = "/".join(names).lower()
        existing = next((each for each in self._listed() if each["path"].lower() == path), None)
        if existing is not None:
            return str(existing["id"])
        return self._create(self._folder(names[:-1]), names[-1], FileKind.FOLDER)

    def _create(self, folder_id: str | None, name: str, kind: FileKind, **content: Any) -> str:
        new = {"folder_id": folder_id, "name": name, "kind": kind.value, **content}
        return str(self._api.ask("POST", "/files", json=new).json()["id"])

    def _listed(self) -> Iterator[Any]:
        return self._api.items("/files", limit=LONGEST_PAGE)

    def _script(self, file_id: str) -> Script:
        found = self._api.get(f"/files/{file_id}")
        settings = FileSettings.from_json(found["settings"])
        kind = FileKind(found["kind"])
        return Script(found["path"], kind, found["content"], settings, found["id"], found["version"])


@contextmanager
def files_of(lake: Path, url: str | None, token: str | None) -> Iterator[FileAccess]:
    """Without Spark either way."""
    if url is not None:
        api = Api(url, token)
        try:
            yield FilesOfServer(api)
        finally:
            api.close()
        return
    from headrace.commands.databases import open_store
    from headrace.features.development.edit import FileEditing
    from headrace.lake.directory import existing_lake

    store = open_store(existing_lake(lake))
    try:
        yield FilesOfLake(FileEditing(store.files, system_clock))
    finally:
        store.close()
