"""Bulk ingestion up to the file that the cluster writes; what it does with it is tested on Spark."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pyarrow.flight as flight
import pytest

from headrace.model.names import TableName
from headrace.server.flight.commands import write_command
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.flight.storable_rows import for_new_table, for_table
from headrace.server.service import Service

from ...catalog.samples import table
from ...paper_catalog import PaperCatalog
from ..fake_cluster import FakeClusters
from ..served import until
from .adbc_client import cursor_at
from .raw_client import RawClient

ROWS = pa.table({"id": [1, 2], "name": ["a", None]})
ORDERS = TableName("lake", "public", "orders")


@pytest.fixture
def paper(service: Service) -> PaperCatalog:
    catalog = PaperCatalog(service.directory)
    catalog.create(ORDERS, {"id": "long!", "name": "string", "at": "timestamptz"})
    return catalog


@pytest.fixture
def cursor(address: str, paper: PaperCatalog) -> Iterator[Any]:
    with cursor_at(address) as found:
        yield found


@pytest.mark.parametrize(
    ("table_name", "mode", "write"),
    [
        ("new", "create", "CREATE TABLE `lake`.`public`.`new` AS"),
        ("new", "create_append", "CREATE TABLE `lake`.`public`.`new` AS"),
        ("new", "replace", "CREATE TABLE `lake`.`public`.`new` AS"),
        ("ORDERS", "append", "INSERT INTO `lake`.`public`.`orders` (`id`, `name`)"),
        ("orders", "create_append", "INSERT INTO `lake`.`public`.`orders` (`id`, `name`)"),
        ("orders", "replace", "CREATE OR REPLACE TABLE `lake`.`public`.`orders` AS"),
    ],
)
def test_modes(cursor: Any, clusters: FakeClusters, table_name: str, mode: str, write: str) -> None:
    assert cursor.adbc_ingest(table_name, ROWS, mode) == 2
    ((request, rows),) = clusters.last.ingested
    assert (request.write, request.columns) == (write, ("id", "name"))
    assert rows.to_pylist() == ROWS.to_pylist()


@pytest.mark.parametrize(
    ("table_name", "mode", "said"),
    [
        ("orders", "create", "table lake.public.orders already exists\nhint: use the mode append or replace"),
        ("nosuch", "append", "table lake.public.nosuch does not exist"),
    ],
)
def test_tables_that_do_not_suit(cursor: Any, table_name: str, mode: str, said: str) -> None:
    with pytest.raises(adbc.OperationalError, match=said):
        cursor.adbc_ingest(table_name, ROWS, mode)


def test_dynamic_tables_are_refused(cursor: Any, service: Service, paper: PaperCatalog) -> None:
    made = table("clean", reads=(ORDERS,))
    service.store.lifecycle.begin_create(made)
    service.store.lifecycle.finish_create(made.id)
    paper.create(made.name, {"id": "long"})
    for mode in ("append", "replace", "create"):
        with pytest.raises(adbc.ProgrammingError, match="is a dynamic table: only refreshes write to it"):
            cursor.adbc_ingest("clean", ROWS, mode)


def test_another_schema(cursor: Any, clusters: FakeClusters) -> None:
    cursor.adbc_ingest("t", ROWS, "create", catalog_name="lake", db_schema_name="ods")
    assert clusters.last.ingested[0][0].write == "CREATE TABLE `lake`.`ods`.`t` AS"


def test_temporary_tables(cursor: Any) -> None:
    with pytest.raises(adbc.OperationalError, match="temporary tables are not supported"):
        cursor.adbc_ingest("t", ROWS, "create", temporary=True)


def test_the_file_is_gone_afterwards(cursor: Any, clusters: FakeClusters, service: Service) -> None:
    cursor.adbc_ingest("t", ROWS, "create")
    with pytest.raises(adbc.OperationalError, match="the process has ended"):
        cursor.adbc_ingest("deadly", ROWS, "create")
    files = [request.file for process in clusters.processes for request, _ in process.ingested]
    assert len(files) == 2
    assert left_in(service) == []


def left_in(service: Service) -> list[Path]:
    staging = service.directory.staging
    return list(staging.iterdir()) if staging.exists() else []


def test_it_is_a_job(cursor: Any, service: Service) -> None:
    cursor.adbc_ingest("t", ROWS, "create")
    (job,) = service.store.jobs.history()
    assert job.statement == "CREATE TABLE `lake`.`public`.`t` AS /* 2 rows of a client */"
    assert job.rows == 2


def test_a_call_that_breaks_off_writes_nothing(
    raw: RawClient, service: Service, clusters: FakeClusters, paper: PaperCatalog
) -> None:
    options = sql.CommandStatementIngest.TableDefinitionOptions(
        if_not_exist=sql.CommandStatementIngest.TableDefinitionOptions.TABLE_NOT_EXIST_OPTION_CREATE
    )
    command = sql.CommandStatementIngest(table="t", table_definition_options=options)
    descriptor = flight.FlightDescriptor.for_command(write_command(command))
    raw.timeout = 1.0
    writer, _ = raw.client.do_put(descriptor, ROWS.schema, raw.options)
    writer.write_table(ROWS)
    until(lambda: left_in(service), 1, "the first rows")
    time.sleep(raw.timeout)  # more could come until the time is over
    until(lambda: not left_in(service), 20, "the end of the request")
    with pytest.raises(flight.FlightTimedOutError):
        writer.close()
    assert clusters.processes == []


def test_many_rows_take_little_memory(cursor: Any, clusters: FakeClusters) -> None:
    batch = pa.record_batch({"id": pa.array(range(100_000)), "name": ["x" * 100] * 100_000})
    reader = pa.RecordBatchReader.from_batches(batch.schema, (batch for _ in range(10)))
    assert cursor.adbc_ingest("t", reader, "create") == 1_000_000
    assert clusters.last.ingested[0][1].num_rows == 1_000_000


TARGET = pa.schema([pa.field("Id", pa.int64(), nullable=False), pa.field("at", pa.timestamp("us", "UTC"))])


def test_columns_go_by_name() -> None:
    given = pa.record_batch({"AT": pa.array([1], pa.timestamp("ms", "UTC")), "id": pa.array([7], pa.int32())})
    schema, convert = for_table(given.schema, TARGET)
    assert schema.names == ["at", "Id"]
    assert convert(given)["Id"].to_pylist() == [7]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (pa.record_batch({"nosuch": [1]}), "no column 'nosuch'\nhint: its columns are Id, at"),
        (pa.record_batch({"id": ["a"]}), "column Id is BIGINT"),
        (pa.record_batch({"id": pa.array([None], pa.int64())}), "column Id is NOT NULL"),
        (pa.record_batch([pa.array([1])] * 2, ["id", "ID"]), "column 'ID' is given twice"),
        (pa.record_batch([], schema=pa.schema([])), "the rows have no columns"),
    ],
)
def test_rows_that_do_not_fit(given: pa.RecordBatch, said: str) -> None:
    with pytest.raises(Exception, match=said):
        for_table(given.schema, TARGET)[1](given)


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (pa.uint32(), pa.int64()),
        (pa.uint64(), pa.decimal128(20, 0)),
        (pa.timestamp("ns"), pa.timestamp("us")),
        (pa.timestamp("s", "Europe/Berlin"), pa.timestamp("us", "UTC")),
        (pa.large_string(), pa.string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.null(), pa.string()),
        (pa.float16(), pa.float32()),
        (pa.date64(), pa.date32()),
        (pa.uuid(), pa.binary()),
        (pa.list_(pa.large_string()), pa.list_(pa.string())),
        (pa.struct([("a", pa.uint8())]), pa.struct([("a", pa.int16())])),
        (pa.map_(pa.string(), pa.uint8()), pa.map_(pa.string(), pa.int16())),
    ],
)
def test_types_of_a_new_table(kind: pa.DataType, stored: pa.DataType) -> None:
    batch = pa.record_batch([pa.nulls(1, kind)], ["a"])
    schema, convert = for_new_table(batch.schema)
    assert schema.field("a").type == stored
    assert convert(batch).schema == schema


@pytest.mark.parametrize("kind", [pa.time64("us"), pa.duration("s"), pa.decimal256(50, 0)])
def test_types_that_tables_cannot_have(kind: pa.DataType) -> None:
    with pytest.raises(Exception, match=r"column a is of Arrow's type .*, which tables cannot have"):
        for_new_table(pa.schema([("a", kind)]))


def test_times_that_would_lose_digits() -> None:
    batch = pa.record_batch({"t": pa.array([1_000], pa.timestamp("ns"))})
    uneven = pa.record_batch({"t": pa.array([1], pa.timestamp("ns"))})
    _, convert = for_new_table(batch.schema)
    assert convert(batch)["t"].cast(pa.int64()).to_pylist() == [1]
    with pytest.raises(Exception, match="column t does not fit into"):
        convert(uneven)
