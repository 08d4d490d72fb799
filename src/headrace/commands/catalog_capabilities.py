"""What the Iceberg catalog of a lake cannot do is refused before it is tried."""

from __future__ import annotations

from headrace.errors import NotSupportedError
from headrace.model.catalog_backend import Capabilities
from headrace.model.names import DEFAULT_WORKSPACE, TableName


def expect_renames(table: TableName, capabilities: Capabilities) -> None:
    if table.workspace == DEFAULT_WORKSPACE and not capabilities.rename_tables:
        raise NotSupportedError(
            f"{table} cannot be renamed: the Iceberg catalog of this lake does not support it",
            hint="create a table with the new name, and drop this one",
        )


def expect_views(view: TableName, capabilities: Capabilities) -> None:
    if view.workspace == DEFAULT_WORKSPACE and not capabilities.views:
        raise NotSupportedError(
            f"view {view} cannot be created: the Iceberg catalog of this lake does not support views",
            hint="use CREATE TEMPORARY VIEW, or CREATE DYNAMIC TABLE",
        )
