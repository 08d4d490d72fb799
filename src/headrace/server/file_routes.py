"""Development files: folders, versions, drafts and deployment."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from headrace.features.development.edit import FileEditing
from headrace.features.development.model import File, FileVersion
from headrace.features.development.plan import Plan
from headrace.features.development.tutorial import create_tutorial
from headrace.server.dependencies import Deploying, Editing, User
from headrace.server.deployment import DeployedFile
from headrace.server.file_requests import Edited, Moved, NewFile, SubmittedVersion, VersionRestored
from headrace.server.paging import Listed, Order, Page
from headrace.server.view_route import ViewRoute
from headrace.views.development import DraftView, FileDetails, FileVersionView, FileView, VersionSummary

routes = APIRouter(tags=["files"], route_class=ViewRoute)
_NEWEST_VERSION = Order[FileVersion](lambda version: (-version.number,), (int,))


@routes.get("/files", summary="List development files and folders")
def files(
    editing: Editing,
    listing: Listed,
    deleted: Annotated[bool, Query(description="Those that were deleted and can be restored.")] = False,
) -> Page[FileView]:
    tree = editing.files.tree()
    found = tree.deleted() if deleted else tree.present()
    views = [FileView.of(file, tree.path_of(file)) for file in found]
    order = Order[FileView](lambda view: (view.path.lower(), view.id), (str, str))
    return listing.page_of_all(views, order, lambda view: view.name)


@routes.post("/files", status_code=201, summary="Create a file or a folder")
def create(new: NewFile, editing: Editing, user: User) -> FileView:
    settings = new.settings.settings()
    file = editing.create(new.folder_id, new.name, new.kind, new.content, settings, user)
    return _view(editing, file)


@routes.post("/files/tutorial", status_code=201, summary="Create the folder of the tutorial")
def create_tutorial_folder(editing: Editing, user: User) -> FileView:
    return _view(editing, create_tutorial(editing, user))


@routes.get("/files/{file_id}", summary="Read a file, with the user's draft")
def file(file_id: str, editing: Editing, user: User) -> FileDetails:
    return _details(editing, file_id, user)


@routes.put("/files/{file_id}", summary="Save a new version of a file")
def save(file_id: str, edited: Edited, editing: Editing, user: User) -> FileDetails:
    """409 (`VersionConflict`) if `based_on` is not the newest version. The user's draft is deleted."""
    editing.save(file_id, edited.based_on, edited.content, edited.settings.settings(), user)
    return _details(editing, file_id, user)


@routes.delete("/files/{file_id}", summary="Delete a file, or a folder with all that it contains")
def delete(file_id: str, editing: Editing, user: User) -> FileView:
    """It can be restored."""
    path = _path(editing, editing.files.tree().find(file_id))
    return FileView.of(editing.delete(file_id, user), path)


@routes.post("/files/{file_id}/restore", summary="Restore a deleted file or folder")
def restore(file_id: str, editing: Editing, user: User) -> FileView:
    return _view(editing, editing.restore(file_id, user))


@routes.post("/files/{file_id}/move", summary="Move or rename a file or a folder")
def move(file_id: str, moved: Moved, editing: Editing, user: User) -> FileView:
    return _view(editing, editing.move(file_id, moved.folder_id, moved.name, user))


@routes.put("/files/{file_id}/draft", summary="Store the user's draft of a file")
def put_draft(file_id: str, edited: Edited, editing: Editing, user: User) -> DraftView:
    settings = edited.settings.settings()
    return DraftView.of(editing.put_draft(file_id, edited.based_on, edited.content, settings, user))


@routes.delete("/files/{file_id}/draft", status_code=204, summary="Discard the user's draft of a file")
def discard_draft(file_id: str, editing: Editing, user: User) -> None:
    editing.discard_draft(file_id, user)


@routes.get("/files/{file_id}/versions", summary="List the versions of a file, newest first")
def versions(file_id: str, editing: Editing, listing: Listed) -> Page[VersionSummary]:
    """The name of a version is its author."""
    found = editing.files.versions(editing.readable(file_id).id)
    page = listing.page_of_all(found, _NEWEST_VERSION, lambda version: version.author)
    return page.map(VersionSummary.of)


@routes.get("/files/{file_id}/versions/{number}", summary="Read a version of a file")
def version(file_id: str, number: int, editing: Editing) -> FileVersionView:
    return FileVersionView.of(editing.files.version(editing.readable(file_id).id, number))


@routes.post("/files/{file_id}/versions/restore", summary="Make an older version the newest")
def restore_version(file_id: str, asked: VersionRestored, editing: Editing, user: User) -> FileDetails:
    """Its content and settings become a new version; 409 if `based_on` is not the newest version."""
    editing.revert(file_id, asked.version, asked.based_on, user)
    return _details(editing, file_id, user)


@routes.post("/files/{file_id}/plan", summary="Show what the deployment of a file would change")
async def plan(file_id: str, deployment: Deploying, user: User) -> Plan:
    """Of its newest version. Changes nothing."""
    return await asyncio.to_thread(deployment.plan, file_id, user)


@routes.post("/files/{file_id}/submit", summary="Deploy a file as a task")
async def submit(file_id: str, asked: SubmittedVersion, deployment: Deploying, user: User) -> DeployedFile:
    """By the statements that its plan lists; 409 if the version is not the newest."""
    return await deployment.deploy(file_id, asked.version, user)


def _details(editing: FileEditing, file_id: str, user: str) -> FileDetails:
    file = editing.readable(file_id)
    newest = editing.files.version(file_id, file.version)
    return FileDetails.of_version(file, _path(editing, file), newest, editing.files.drafts(file_id), user)


def _view(editing: FileEditing, file: File) -> FileView:
    return FileView.of(file, _path(editing, file))


def _path(editing: FileEditing, file: File) -> str:
    return editing.files.tree().path_of(file)
