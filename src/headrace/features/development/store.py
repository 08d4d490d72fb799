"""Files and folders with their versions. Names are unique within a folder, in any case."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, exc, insert, select, update

from headrace.catalog.row_access import Read, Write
from headrace.catalog.rows import Row
from headrace.catalog.schema import file_drafts, file_versions, files
from headrace.errors import AlreadyExists, NotFound, VersionConflict
from headrace.features.development.model import Draft, File, FileKind, FileSettings, FileVersion
from headrace.features.development.tree import FileTree
from headrace.model.change import FileChange, OnRecord

_TOP = ""
"""Stands for no folder, as rows with NULL are never duplicates."""


class Files:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read, on_record: OnRecord) -> None:
        self._write = write
        self._read = read
        self._on_record = on_record

    def tree(self) -> FileTree:
        with self._read(files, select(files)) as found:
            return FileTree([_from_row(row) for row in found])

    def create(self, file: File, first: FileVersion | None = None) -> None:
        """A file with its first version, or a folder."""
        with self._write() as connection:
            _locked_tree(connection).folder(file.folder_id)
            _insert(connection, file)
            if first is not None:
                connection.execute(insert(file_versions).values(_version_to_row(first)))
        self._announce(file)

    def save(self, version: FileVersion) -> File:
        """Adds a version after the one before it, and deletes the author's draft.

        VersionConflict: somebody else has saved one.
        """
        is_current = files.c.version == version.number - 1
        change = {
            "version": version.number,
            "modified_by": version.author,
            "modified_at": version.created_at,
        }
        with self._write() as connection:
            before = _locked_tree(connection).find(version.file_id)
            changed = update(files).where(files.c.id == version.file_id, is_current).values(change)
            if connection.execute(changed).rowcount != 1:
                raise conflict(before)
            connection.execute(insert(file_versions).values(_version_to_row(version)))
            connection.execute(_drafts_of(version.file_id, version.author))
        return self._announced(version.file_id)

    def move(self, file_id: str, folder_id: str | None, name: str, user: str, now: datetime) -> File:
        """Into a folder, under a name; either may be what it was."""
        change = {"folder_id": folder_id or _TOP, "key": name.lower(), "name": name}
        with self._write() as connection:
            tree = _locked_tree(connection)
            tree.check_move(tree.find(file_id), folder_id)
            _update(connection, file_id, {**change, "modified_by": user, "modified_at": now}, name)
        return self._announced(file_id)

    def delete(self, file_id: str, user: str, now: datetime) -> File:
        """With all that a folder contains; its name is free then."""
        with self._write() as connection:
            found = _locked_tree(connection).find(file_id)
            change = {"key": f"/{file_id}", "deleted_at": now, "modified_by": user, "modified_at": now}
            _update(connection, file_id, change, found.name)
        return self._announced(file_id)

    def restore(self, file_id: str, user: str, now: datetime) -> File:
        """One that was deleted, where it was."""
        with self._write() as connection:
            tree = _locked_tree(connection)
            deleted = next((file for file in tree.deleted() if file.id == file_id), None)
            if deleted is None:
                raise NotFound(f"there is no deleted file {file_id}")
            tree.folder(deleted.folder_id)
            change = {
                "key": deleted.name.lower(),
                "deleted_at": None,
                "modified_by": user,
                "modified_at": now,
            }
            _update(connection, file_id, change, deleted.name)
        return self._announced(file_id)

    def note_deployment(self, file_id: str, task: str, version: int) -> File:
        with self._write() as connection:
            _update(connection, file_id, {"task": task, "deployed_version": version}, task)
        return self._announced(file_id)

    def versions(self, file_id: str) -> list[FileVersion]:
        """Newest first."""
        query = select(file_versions).where(file_versions.c.file_id == file_id)
        with self._read(file_versions, query.order_by(file_versions.c.number.desc())) as found:
            return [_version_from_row(row) for row in found]

    def version(self, file_id: str, number: int) -> FileVersion:
        query = select(file_versions).where(
            file_versions.c.file_id == file_id, file_versions.c.number == number
        )
        with self._read(file_versions, query) as found:
            row = next(found, None)
            if row is None:
                raise NotFound(f"file {file_id} has no version {number}")
            return _version_from_row(row)

    def put_draft(self, draft: Draft) -> None:
        """In the place of the user's draft of the file, if there is one."""
        with self._write() as connection:
            connection.execute(_drafts_of(draft.file_id, draft.user))
            connection.execute(insert(file_drafts).values(_draft_to_row(draft)))

    def discard_draft(self, file_id: str, user: str) -> None:
        with self._write() as connection:
            connection.execute(_drafts_of(file_id, user))

    def drafts(self, file_id: str) -> list[Draft]:
        """Of all users, by their names."""
        query = select(file_drafts).where(file_drafts.c.file_id == file_id)
        with self._read(file_drafts, query.order_by(file_drafts.c.user)) as found:
            return [_draft_from_row(row) for row in found]

    def _announced(self, file_id: str) -> File:
        with self._read(files, select(files).where(files.c.id == file_id)) as found:
            file = next(map(_from_row, found))
        self._announce(file)
        return file

    def _announce(self, file: File) -> None:
        is_deleted = file.deleted_at is not None
        self._on_record(FileChange(file.id, file.name, file.version, file.modified_by, is_deleted))


def conflict(file: File) -> VersionConflict:
    return VersionConflict(
        f"{file.modified_by} has saved version {file.version} of {file.name}",
        hint="compare it with your changes, then save them based on it",
    )


def _locked_tree(connection: Connection) -> FileTree:
    """Other changes of the tree wait for the end of the transaction."""
    rows: Sequence[Row] = connection.execute(select(files).with_for_update()).mappings().all()
    return FileTree([_from_row(row) for row in rows])


def _insert(connection: Connection, file: File) -> None:
    try:
        connection.execute(insert(files).values(_to_row(file)))
    except exc.IntegrityError as error:
        raise _taken(file.name) from error.orig


def _update(connection: Connection, file_id: str, change: dict[str, Any], name: str) -> None:
    try:
        connection.execute(update(files).where(files.c.id == file_id).values(change))
    except exc.IntegrityError as error:
        raise _taken(name) from error.orig


def _taken(name: str) -> AlreadyExists:
    return AlreadyExists(f"{name} already exists in this folder", hint="choose another name")


def _drafts_of(file_id: str, user: str) -> Any:
    return delete(file_drafts).where(file_drafts.c.file_id == file_id, file_drafts.c.user == user)


def _to_row(file: File) -> dict[str, Any]:
    return {
        "id": file.id,
        "folder_id": file.folder_id or _TOP,
        "key": file.name.lower() if file.deleted_at is None else f"/{file.id}",
        "name": file.name,
        "kind": file.kind.value,
        "creator": file.creator,
        "created_at": file.created_at,
        "modified_by": file.modified_by,
        "modified_at": file.modified_at,
        "version": file.version,
        "task": file.task,
        "deployed_version": file.deployed_version,
        "deleted_at": file.deleted_at,
    }


def _from_row(row: Row) -> File:
    return File(
        id=row["id"],
        folder_id=row["folder_id"] or None,
        name=row["name"],
        kind=FileKind(row["kind"]),
        creator=row["creator"],
        created_at=row["created_at"],
        modified_by=row["modified_by"],
        modified_at=row["modified_at"],
        version=row["version"],
        task=row["task"],
        deployed_version=row["deployed_version"],
        deleted_at=row["deleted_at"],
    )


def _version_to_row(version: FileVersion) -> dict[str, Any]:
    return vars(version) | {"settings": version.settings.to_json()}


def _version_from_row(row: Row) -> FileVersion:
    return FileVersion(**{**row, "settings": FileSettings.from_json(row["settings"])})


def _draft_to_row(draft: Draft) -> dict[str, Any]:
    return vars(draft) | {"settings": draft.settings.to_json()}


def _draft_from_row(row: Row) -> Draft:
    return Draft(**{**row, "settings": FileSettings.from_json(row["settings"])})
