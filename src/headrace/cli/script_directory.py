"""Development files in a directory: a file for each, and the settings of all in ``studio.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from headrace.errors import DataError, OperationalError
from headrace.features.development.model import FileKind, FileSettings, check_content, check_name

SETTINGS_FILE = "studio.yaml"
_SUFFIXES = {
    FileKind.DYNAMIC_TABLE: ".dynamic_table.sql",
    FileKind.SQL: ".sql",
    FileKind.PYTHON: ".py",
}
"""The longest that fits decides."""


@dataclass(frozen=True)
class Script:
    """A file that is not a folder."""

    path: str
    """Names separated by slashes."""
    kind: FileKind
    content: str
    settings: FileSettings
    id: str | None = None
    version: int = 0

    @property
    def file_name(self) -> str:
        return f"{self.path}{_SUFFIXES[self.kind]}"


class ChangeAction(StrEnum):
    CREATE = "create"
    CHANGE = "change"


@dataclass(frozen=True)
class ScriptChange:
    action: ChangeAction
    script: Script
    """As it will be; of one that exists with its id and its version."""


def write_directory(directory: Path, scripts: Sequence[Script]) -> Iterator[str]:
    """What is done. A file that was exported before and does not exist any more is deleted."""
    before = _read_settings(directory)
    names = {script.file_name for script in scripts}
    for name in sorted(before.keys() - names):
        if _is_inside(name) and (directory / name).is_file():
            (directory / name).unlink()
            yield f"deleted: {name}"
    for script in scripts:
        file = directory / script.file_name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_bytes() != script.content.encode():
            file.write_text(script.content, newline="")
            yield f"written: {script.file_name}"
    directory.mkdir(parents=True, exist_ok=True)
    listed = {script.file_name: script.settings.to_json() for script in scripts}
    text = yaml.safe_dump({"files": dict(sorted(listed.items()))}, sort_keys=True, allow_unicode=True)
    (directory / SETTINGS_FILE).write_text(text)
    yield f"{len(scripts)} files were exported"


def read_directory(directory: Path) -> list[Script]:
    if not directory.is_dir():
        raise OperationalError(f"directory {directory} does not exist")
    settings = _read_settings(directory)
    found = sorted(path for path in directory.rglob("*") if path.is_file() and _is_script(path, directory))
    return [_read_script(path, directory, settings) for path in found]


def differences(current: Sequence[Script], wanted: Sequence[Script]) -> list[ScriptChange]:
    """What must be done to the current ones, so that the wanted ones are among them."""
    by_path = {script.path.lower(): script for script in current}
    found: list[ScriptChange] = []
    for script in wanted:
        existing = by_path.get(script.path.lower())
        if existing is None:
            found.append(ScriptChange(ChangeAction.CREATE, script))
        elif existing.kind is not script.kind:
            raise DataError(f"{script.path} is of the kind {existing.kind}, not {script.kind}")
        elif (existing.content, existing.settings) != (script.content, script.settings):
            after = Script(
                existing.path, script.kind, script.content, script.settings, existing.id, existing.version
            )
            found.append(ScriptChange(ChangeAction.CHANGE, after))
    return found


def _is_script(path: Path, directory: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in path.relative_to(directory).parts)
    return not is_hidden and path.suffix in (".sql", ".py")


def _is_inside(name: str) -> bool:
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts


def _read_script(path: Path, directory: Path, settings: Mapping[str, FileSettings]) -> Script:
    name = path.relative_to(directory).as_posix()
    kind = next(kind for kind, suffix in _SUFFIXES.items() if name.endswith(suffix))
    inner = name.removesuffix(_SUFFIXES[kind])
    for part in inner.split("/"):
        check_name(part)
    try:
        content = check_content(path.read_bytes().decode())
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a text in UTF-8") from None
    return Script(inner, kind, content, settings.get(name, FileSettings()))


def _read_settings(directory: Path) -> dict[str, FileSettings]:
    path = directory / SETTINGS_FILE
    if not path.exists():
        return {}
    try:
        listed: Any = yaml.safe_load(path.read_text())["files"]
        return {str(name): FileSettings.from_json(_plain(entry or {})) for name, entry in listed.items()}
    except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(
            f"{path} cannot be read: {type(error).__name__}: {error}", hint="export the files again"
        ) from None


def _plain(entry: Mapping[str, Any]) -> dict[str, Any]:
    """YAML reads a timestamp without quotes as one."""
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in entry.items()
    }
