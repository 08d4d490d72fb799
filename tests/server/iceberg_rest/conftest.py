"""A lake whose tables PyIceberg has made in the lake's catalog, served by a server without a JVM."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog

from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service

from ...catalog.backend_conformance import CREATE, CREATE_SCHEMAS
from ..test_api import listening
from .hidden_key import catalog_of

RestClient = Callable[..., RestCatalog]
NO_TOKEN = {"type": "noop"}
"""Of a client on the machine of the server; without it PyIceberg sends a token that is none."""


@pytest.fixture
def tables(service: Service) -> Iterator[SqlCatalog]:
    """Iceberg's catalog of the lake, past the server."""
    with closing(sqlite3.connect(service.directory.catalog_db)) as database:
        database.execute(CREATE)
        database.execute(CREATE_SCHEMAS)
        database.commit()
    catalog = catalog_of(service.directory.path)
    catalog.create_namespace("public")
    yield catalog
    catalog.close()


@pytest.fixture
def port(service: Service, tables: SqlCatalog) -> Iterator[int]:
    with listening(make_app(service, Access("127.0.0.1", service.holder_of))) as port:
        yield port


@pytest.fixture
def rest(port: int) -> Iterator[RestClient]:
    opened: list[RestCatalog] = []

    def connect(**properties: Any) -> RestCatalog:
        if not properties.keys() & {"token", "credential"}:
            properties["auth"] = NO_TOKEN
        opened.append(RestCatalog("rest", uri=f"http://127.0.0.1:{port}/iceberg", **properties))
        return opened[-1]

    yield connect
    for catalog in opened:
        catalog.close()


@pytest.fixture
def dynamic_table(tables: SqlCatalog) -> str:
    """It looks like one: hidden columns, one of them a key of its rows, and the property of all of them."""
    rows = pa.table({"a": [1, 2], "__hr_id": ["x", "y"], "b": ["one", "two"]})
    table = tables.create_table("public.d", rows.schema, properties={"headrace.id": "d1"})
    table.append(rows, snapshot_properties={"headrace.refresh": "{}"})
    table.append(rows.slice(1))
    with table.update_schema() as update:
        update.rename_column("b", "c")
    return "public.d"
