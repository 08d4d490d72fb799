"""CREATE, DROP, DESC and SHOW of volumes."""

from __future__ import annotations

import uuid

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import selected
from headrace.commands.new_names import new_name
from headrace.commands.show import like, schema_named
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound, Refused
from headrace.features.pipes.model import Pipe, VolumeSource
from headrace.features.volumes.grammar import CreateVolume, DescribeVolume, DropVolume, ShowVolumes
from headrace.features.volumes.model import Volume
from headrace.ingest.files.listing import root_of
from headrace.ingest.pipe_run import copy_of
from headrace.ingest.sources import existing_volume
from headrace.lake.file_systems import local_path
from headrace.model.names import TableName
from headrace.result import NOTHING, LocalRows, Result
from headrace.sql.parsing.statements import Name
from headrace.views.arrow import to_arrow
from headrace.views.described import info_table
from headrace.views.volumes import VolumeRow


def create_volume(statement: CreateVolume, given: StatementInput, context: StatementContext) -> Result:
    volumes = context.lake.store.volumes
    with pointing_at(given.text, statement.name.span):
        name = new_name(statement.name, context)
        if statement.if_not_exists and volumes.find(name) is not None:
            return Result(NOTHING, (f"volume {name} already exists, nothing was done",))
    with pointing_at(given.text, statement.location.span):
        location = _directory(statement.location.text)
    volume = Volume(uuid.uuid4().hex, name, location, statement.comment, context.user, context.now())
    with pointing_at(given.text, statement.name.span):
        volumes.create(volume)
    return Result(NOTHING)


def _directory(path: str) -> str:
    """Whether an address on S3 can be read is seen when files are read."""
    root = root_of(path)
    local = local_path(root)
    if local is not None and not local.is_dir():
        raise NotFound(f"{root} is not a directory", hint="create the directory first")
    return root


def drop_volume(statement: DropVolume, given: StatementInput, context: StatementContext) -> Result:
    """Its files stay where they are."""
    volumes = context.lake.store.volumes
    if statement.if_exists and volumes.find(context.resolve(statement.name)) is None:
        return Result(
            NOTHING, (f"volume {context.resolve(statement.name)} does not exist, nothing was done",)
        )
    volume = _found(statement.name, given, context)
    for pipe in context.lake.store.pipes.all():
        if _reads(pipe, volume, context):
            message = f"volume {volume.name} is read by the pipe {pipe.name}"
            raise Refused(message, hint=f"DROP PIPE {pipe.name} first")
    volumes.drop(volume)
    return Result(NOTHING)


def _reads(pipe: Pipe, volume: Volume, context: StatementContext) -> bool:
    source = copy_of(pipe).source
    if not isinstance(source, VolumeSource):
        return False
    name = TableName.resolve(source.volume.parts, pipe.workspace, pipe.schema)
    return context.lake.store.volumes.find(name) == volume


def describe_volume(statement: DescribeVolume, given: StatementInput, context: StatementContext) -> Result:
    row = VolumeRow.of(_found(statement.name, given, context))
    return Result(LocalRows(info_table(row, context.lake.settings.zone)))


def show_volumes(statement: ShowVolumes, given: StatementInput, context: StatementContext) -> Result:
    volumes = context.lake.store.volumes.all()
    if statement.schema is not None:
        volumes = context.lake.store.volumes.in_schema(*schema_named(statement.schema, given.text, context))
    rows = [VolumeRow.of(volume) for volume in volumes if like(volume.name.table, statement.like)]
    table = to_arrow(VolumeRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def _found(name: Name, given: StatementInput, context: StatementContext) -> Volume:
    with pointing_at(given.text, name.span):
        return existing_volume(context.resolve(name), context.lake.store.volumes)
