"""The tree of folders and files. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headrace.errors import DataError, NotFound, Refused
from headrace.features.development.model import File

SEPARATOR = "/"


class FileTree:
    def __init__(self, files: Iterable[File]) -> None:
        self._files = {file.id: file for file in files}

    def present(self) -> list[File]:
        """Those that are not deleted, by path."""
        found = [file for file in self._files.values() if not self._is_deleted(file)]
        return sorted(found, key=lambda file: self.path_of(file).lower())

    def deleted(self) -> list[File]:
        """Those that can be restored, the last deleted first; not what a deleted folder contains."""
        found = [(file.deleted_at, file) for file in self._files.values() if file.deleted_at is not None]
        return [file for _, file in sorted(found, key=lambda each: (each[0], each[1].id), reverse=True)]

    def find(self, file_id: str) -> File:
        """One that is not deleted."""
        found = self._files.get(file_id)
        if found is None or self._is_deleted(found):
            raise NotFound(f"file {file_id} does not exist", hint="it may have been deleted")
        return found

    def at(self, path: str) -> File | None:
        wanted = path.strip(SEPARATOR).lower()
        return next((file for file in self.present() if self.path_of(file).lower() == wanted), None)

    def folder(self, folder_id: str | None) -> File | None:
        """None: the top."""
        found = None if folder_id is None else self.find(folder_id)
        if found is not None and not found.is_folder:
            raise DataError(f"{found.name} is a file, not a folder")
        return found

    def path_of(self, file: File) -> str:
        return SEPARATOR.join([each.name for each in self._upwards(file)][::-1])

    def below(self, folder: File) -> list[File]:
        """All that is in it, at any depth."""
        return [file for file in self.present() if file.id != folder.id and folder in self._upwards(file)]

    def check_move(self, file: File, folder_id: str | None) -> None:
        target = self.folder(folder_id)
        if target is not None and file in self._upwards(target):
            raise Refused(f"folder {file.name} cannot be moved into itself")

    def _is_deleted(self, file: File) -> bool:
        return any(each.deleted_at is not None for each in self._upwards(file))

    def _upwards(self, file: File) -> Iterator[File]:
        """The file, its folder, the folder of that one."""
        current: File | None = file
        while current is not None:
            yield current
            current = None if current.folder_id is None else self._files[current.folder_id]
