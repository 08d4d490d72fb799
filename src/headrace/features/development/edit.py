"""What users do with files, each on behalf of one user."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from headrace.errors import DataError
from headrace.features.development.model import (
    Draft,
    File,
    FileKind,
    FileSettings,
    FileVersion,
    check_content,
    check_name,
)
from headrace.features.development.store import Files, conflict
from headrace.model.clock import Clock


@dataclass(frozen=True)
class FileEditing:
    files: Files
    clock: Clock

    def create(
        self,
        folder_id: str | None,
        name: str,
        kind: FileKind,
        content: str,
        settings: FileSettings,
        user: str,
    ) -> File:
        now = self.clock()
        is_folder = kind is FileKind.FOLDER
        file = File(
            uuid.uuid4().hex,
            folder_id,
            check_name(name),
            kind,
            user,
            now,
            user,
            now,
            version=0 if is_folder else 1,
        )
        first = FileVersion(file.id, 1, check_content(content), settings, user, now)
        self.files.create(file, None if is_folder else first)
        return file

    def save(self, file_id: str, based_on: int, content: str, settings: FileSettings, user: str) -> File:
        """A new version, unless nothing differs from the newest one."""
        file = self.readable(file_id)
        if file.version != based_on:
            raise conflict(file)
        newest = self.files.version(file_id, file.version)
        if (newest.content, newest.settings) == (content, settings):
            self.files.discard_draft(file_id, user)
            return file
        return self.files.save(
            FileVersion(file_id, based_on + 1, check_content(content), settings, user, self.clock())
        )

    def revert(self, file_id: str, number: int, based_on: int, user: str) -> File:
        """The content and settings of an older version as a new one."""
        old = self.files.version(file_id, number)
        return self.save(file_id, based_on, old.content, old.settings, user)

    def put_draft(
        self, file_id: str, based_on: int, content: str, settings: FileSettings, user: str
    ) -> Draft:
        file = self.readable(file_id)
        if not 1 <= based_on <= file.version:
            raise DataError(f"{file.name} has no version {based_on}")
        draft = Draft(file_id, user, based_on, check_content(content), settings, self.clock())
        self.files.put_draft(draft)
        return draft

    def discard_draft(self, file_id: str, user: str) -> None:
        self.files.discard_draft(self.readable(file_id).id, user)

    def move(self, file_id: str, folder_id: str | None, name: str, user: str) -> File:
        return self.files.move(file_id, folder_id, check_name(name), user, self.clock())

    def delete(self, file_id: str, user: str) -> File:
        return self.files.delete(file_id, user, self.clock())

    def restore(self, file_id: str, user: str) -> File:
        return self.files.restore(file_id, user, self.clock())

    def readable(self, file_id: str) -> File:
        """A file that has content."""
        file = self.files.tree().find(file_id)
        if file.is_folder:
            raise DataError(f"{file.name} is a folder, which has no content")
        return file
