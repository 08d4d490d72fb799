"""What a lake tells about itself: by its databases and files, or through the server that has it open."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from headrace.api import LONGEST_PAGE, Api
from headrace.errors import SqlSyntaxError
from headrace.model.json_value import json_value
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE, TableName
from headrace.sql.tokens.dotted_name import dotted_parts

if TYPE_CHECKING:
    from headrace.views.lake_queries import LakeQueries


class Facts(Protocol):
    """As JSON has them."""

    def history(self, table: TableName | None, limit: int) -> list[dict[str, Any]]: ...
    def job(self, job_id: str) -> dict[str, Any]: ...
    def lineage(self) -> dict[str, Any]: ...

    @property
    def api(self) -> Api | None:
        """Of the server that reports what changes; None where nothing does."""


class FactsOfLake:
    def __init__(self, queries: LakeQueries) -> None:
        self._queries = queries

    def history(self, table: TableName | None, limit: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json_value(self._queries.refreshes(table, limit))
        return rows

    def job(self, job_id: str) -> dict[str, Any]:
        from headrace.views.jobs import job_details

        facts: dict[str, Any] = json_value(job_details(job_id, self._queries.store, getpass.getuser()))
        return facts

    def lineage(self) -> dict[str, Any]:
        facts: dict[str, Any] = json_value(self._queries.lineage())
        return facts

    @property
    def api(self) -> None:
        return None


class FactsOfServer:
    def __init__(self, api: Api) -> None:
        self._api = api

    @property
    def api(self) -> Api:
        return self._api

    def history(self, table: TableName | None, limit: int) -> list[dict[str, Any]]:
        parts = (
            {}
            if table is None
            else {"workspace": table.workspace, "schema": table.schema, "table": table.table}
        )
        found = self._api.items("/history", limit=min(limit, LONGEST_PAGE), **parts)
        return list(islice(found, limit))

    def job(self, job_id: str) -> dict[str, Any]:
        facts: dict[str, Any] = self._api.get(f"/jobs/{job_id}")
        return facts

    def lineage(self) -> dict[str, Any]:
        facts: dict[str, Any] = self._api.get("/lineage")
        return facts


@contextmanager
def facts_of(lake: Path, url: str | None, token: str | None) -> Iterator[Facts]:
    """Without Spark either way."""
    with ExitStack() as stack:
        if url is not None:
            api = Api(url, token)
            stack.callback(api.close)
            yield FactsOfServer(api)
            return
        yield FactsOfLake(_open_facts(lake, stack))


def _open_facts(lake: Path, stack: ExitStack) -> LakeQueries:
    from headrace.commands.databases import open_catalog, open_store
    from headrace.lake.directory import existing_lake
    from headrace.lake.table.metadata_files import MetadataFiles
    from headrace.views.lake_queries import LakeQueries

    directory = existing_lake(lake)
    store = open_store(directory)
    stack.callback(store.close)
    heads = open_catalog(directory)
    stack.callback(heads.close)
    indexes = directory.key_indexes.directory
    return LakeQueries(store, heads, MetadataFiles(), directory.settings.zone, indexes)


def named(text: str) -> TableName:
    """A table by one, two or three names, seen from the default schema."""
    parts = dotted_parts(text)
    if parts is None or len(parts) > 3:
        raise SqlSyntaxError(f"{text} is not a valid table name", hint="names are workspace.schema.table")
    return TableName.resolve(parts, DEFAULT_WORKSPACE, DEFAULT_SCHEMA)
