"""RESTORE: an older version of a table becomes the current one, in one commit.

A dynamic table's version says which source versions its rows come from, so that its next refresh goes on from
there.
"""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound, Refused
from headrace.features.recovery.describe_history import table_with_versions
from headrace.features.recovery.grammar import AsOfTimestamp, AsOfVersion, Restore
from headrace.features.recovery.resolve_timestamp import version_at
from headrace.lake.commit.alter_metadata import restore_version
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.refresh.record import carried
from headrace.result import NOTHING, Result
from headrace.sql.parsing.statements import ObjectKind


def restore(statement: Restore, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = context.resolve(statement.name)
        if (
            statement.kind is ObjectKind.DYNAMIC_TABLE
            or context.lake.store.definitions.find(name) is not None
        ):
            with context.alone_with(statement.name, "RESTORE {kind} {name}"):
                return _restore(name, statement, given.text, context, dynamic=True)
        return _restore(name, statement, given.text, context, dynamic=False)


def _restore(
    name: TableName, statement: Restore, text: str, context: StatementContext, *, dynamic: bool
) -> Result:
    table = table_with_versions(name, context)
    match statement.to:
        case AsOfVersion(version, span):
            with pointing_at(text, span):
                _check_version(version, table)
        case AsOfTimestamp() as target:
            zone = context.lake.settings.zone
            version = version_at(target.timestamp, table, text, context.session, zone)
    if version == table.version.snapshot_id:
        return Result(NOTHING, (f"{name} is already at version {version}, nothing was done",))
    restore_version(table, version, _record(version, table) if dynamic else None, context.session)
    return Result(NOTHING)


def _check_version(version: int, table: Table) -> None:
    hint = f"DESC HISTORY {table.name} lists all versions"
    if not table.has_snapshot(version):
        raise NotFound(f"version {version} of {table.name} does not exist or has expired", hint=hint)
    if version not in {kept.id for kept in table.versions().kept}:
        raise Refused(f"version {version} of {table.name} belongs to another branch", hint=hint)


def _record(version: int, table: Table) -> dict[str, str] | None:
    """Where columns were renamed or added since: a new version with today's columns repeats the record."""
    if table.fields_at(version) == table.fields:
        return None
    return carried(table.snapshot_of(version).summary, version)
