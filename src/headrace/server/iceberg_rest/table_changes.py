"""Changes that other engines ask for: statements of the lake where it has them, else commits by a cluster."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headrace.cluster.messages import ChangeTable
from headrace.cluster.pool import Pool
from headrace.errors import (
    ClusterLost,
    CommitUnknown,
    IntegrityError,
    InterfaceError,
    NotFound,
    NotSupportedError,
)
from headrace.model.clock import Clock
from headrace.model.events import log_event
from headrace.model.external_change import ExternalChange
from headrace.model.job_id import new_job_id
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.quoting import quote_identifier, show_identifier, string_literal
from headrace.model.vcluster import DEFAULT_VCLUSTER
from headrace.server.iceberg_rest import requested_change
from headrace.server.iceberg_rest.served_lake import ServedLake, content_at
from headrace.server.iceberg_rest.served_metadata import Json
from headrace.sql.queries.hiding import is_hidden

_OF_SPARK = frozenset({"owner"})
"""Properties of a schema that Spark sends and sets itself."""
_REFUSED = frozenset({"location"})


@dataclass(frozen=True)
class TableChanges:
    lake: ServedLake
    pool: Pool
    run_as: Callable[[str, str], None]
    """A statement, for a user, to its end."""
    clock: Clock

    def create(self, user: str, schema: str, request: Json) -> str:
        name = _new_table(schema, request)
        asked, places = requested_change.creation(request, self.lake.warehouse)
        return self._change(user, ExternalChange.CREATE, name, asked, places)

    def commit(self, user: str, name: TableName, request: Json) -> str:
        """Also of a table whose creation was prepared."""
        _expect_visible(name.schema)
        is_new = requested_change.is_creation(request)
        current = None if is_new else self.lake.base_table(name).metadata
        places = requested_change.commit(request, current, self.lake.warehouse)
        return self._change(user, ExternalChange.COMMIT, name, request, places)

    def register(self, user: str, schema: str, request: Json) -> str:
        name = _new_table(schema, request)
        if request.get("overwrite"):
            raise NotSupportedError("a registration cannot replace a table", hint="drop it first")
        location = str(request.get("metadata-location"))
        requested_change.expect_metadata_file(location, self.lake.warehouse)
        metadata = _metadata_at(location)
        places = requested_change.registration(metadata, location, self.lake.warehouse)
        return self._change(user, ExternalChange.REGISTER, name, request, places)

    def drop(self, user: str, name: TableName) -> None:
        """It can be undropped, also if the client wanted its files to be deleted."""
        self.lake.base_table(name)
        self.run_as(user, f"DROP TABLE {name.sql}")

    def rename(self, user: str, name: TableName, new_name: TableName) -> None:
        self.lake.base_table(name)
        self.lake.schema(new_name.schema)
        new = f"{quote_identifier(new_name.schema)}.{quote_identifier(new_name.table)}"
        self.run_as(user, f"ALTER TABLE {name.sql} RENAME TO {new}")

    def create_schema(self, user: str, schema: str, properties: dict[str, str]) -> dict[str, str]:
        _expect_visible(schema)
        wanted = {key: value for key, value in properties.items() if key not in _OF_SPARK}
        if not _REFUSED.isdisjoint(wanted):
            raise NotSupportedError("a schema cannot have a location", hint="omit the property location")
        stored = ", ".join(
            f"{string_literal(key)} = {string_literal(value)}" for key, value in wanted.items()
        )
        text = f"CREATE SCHEMA {_schema_sql(schema)}"
        self.run_as(user, f"{text} WITH DBPROPERTIES ({stored})" if stored else text)
        return wanted

    def drop_schema(self, user: str, schema: str) -> None:
        if self.lake.names(schema, "TABLE") or self.lake.names(schema, "VIEW"):
            raise IntegrityError(f"schema {show_identifier(schema)} is not empty")
        self.run_as(user, f"DROP SCHEMA {_schema_sql(schema)}")

    def _change(
        self, user: str, change: ExternalChange, name: TableName, request: Json, places: Sequence[str]
    ) -> str:
        """Written anew, so that what Iceberg reads is what was checked."""
        job = new_job_id(self.clock())
        asked = ChangeTable(job, change, name, json.dumps(request), tuple(places))
        cluster = self.pool.cluster(DEFAULT_VCLUSTER)
        try:
            changed = cluster.run(job, lambda process: process.change_table(asked), lambda _: None)
        except ClusterLost as error:
            raise CommitUnknown(
                f"it is not known whether the change of {name} was made: {error.message}",
                hint="load the table again",
            ) from error
        log_event("table changed", change=change.value, table=str(name), user=user, job=job)
        return changed.answer


def _new_table(schema: str, request: Json) -> TableName:
    _expect_visible(schema)
    name = request.get("name")
    if not isinstance(name, str) or not name:
        raise InterfaceError("name is missing")
    return TableName(DEFAULT_WORKSPACE, schema, name)


def _expect_visible(schema: str) -> None:
    if is_hidden(schema):
        raise NotFound(f"schema {schema} does not exist")


def _schema_sql(schema: str) -> str:
    return f"{quote_identifier(DEFAULT_WORKSPACE)}.{quote_identifier(schema)}"


def _metadata_at(location: str) -> Json:
    found = content_at(location)
    if found is None:
        raise InterfaceError(f"{location} cannot be read as the metadata of a table")
    return found
