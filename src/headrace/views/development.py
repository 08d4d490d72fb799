"""Development files, their versions and drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headrace.features.development.model import Draft, File, FileKind, FileSettings, FileVersion


@dataclass(frozen=True)
class FileView:
    """A file or a folder, without its content."""

    id: str
    folder_id: str | None
    """Null: at the top."""
    path: str
    name: str
    kind: FileKind
    version: int
    """The newest; 0 of a folder."""
    creator: str
    created_time: datetime
    modified_by: str
    modified_time: datetime
    task: str | None
    """The task that it was deployed as."""
    deployed_version: int | None
    deleted_time: datetime | None

    @staticmethod
    def of(file: File, path: str) -> FileView:
        return FileView(**_known(file, path))


@dataclass(frozen=True)
class DraftView:
    based_on: int
    """The version that was edited; there is a conflict if it is not the newest."""
    content: str
    settings: FileSettings
    modified_time: datetime

    @staticmethod
    def of(draft: Draft) -> DraftView:
        return DraftView(draft.based_on, draft.content, draft.settings, draft.modified_at)


@dataclass(frozen=True)
class EditorView:
    """Another user who has a draft of the file."""

    user: str
    based_on: int
    modified_time: datetime


@dataclass(frozen=True)
class FileDetails(FileView):
    content: str
    settings: FileSettings
    draft: DraftView | None
    """Of the user who asks."""
    editors: tuple[EditorView, ...]

    @staticmethod
    def of_version(
        file: File, path: str, version: FileVersion, drafts: Sequence[Draft], user: str
    ) -> FileDetails:
        return FileDetails(
            **_known(file, path),
            content=version.content,
            settings=version.settings,
            draft=next((DraftView.of(draft) for draft in drafts if draft.user == user), None),
            editors=tuple(
                EditorView(draft.user, draft.based_on, draft.modified_at)
                for draft in drafts
                if draft.user != user
            ),
        )


@dataclass(frozen=True)
class VersionSummary:
    """A version of a file, without its content."""

    version: int
    author: str
    created_time: datetime
    characters: int

    @staticmethod
    def of(version: FileVersion) -> VersionSummary:
        return VersionSummary(version.number, version.author, version.created_at, len(version.content))


@dataclass(frozen=True)
class FileVersionView(VersionSummary):
    content: str
    settings: FileSettings

    @staticmethod
    def of(version: FileVersion) -> FileVersionView:
        return FileVersionView(
            **vars(VersionSummary.of(version)), content=version.content, settings=version.settings
        )


def _known(file: File, path: str) -> dict[str, Any]:
    return {
        "id": file.id,
        "folder_id": file.folder_id,
        "path": path,
        "name": file.name,
        "kind": file.kind,
        "version": file.version,
        "creator": file.creator,
        "created_time": file.created_at,
        "modified_by": file.modified_by,
        "modified_time": file.modified_at,
        "task": file.task,
        "deployed_version": file.deployed_version,
        "deleted_time": file.deleted_at,
    }
