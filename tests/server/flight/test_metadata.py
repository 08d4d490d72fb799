"""What clients ask about the lake when they connect."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from headrace.server.flight.arrow_types import arrow_type
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.flight.metadata_commands import metadata_schema
from headrace.server.service import Service

from ...catalog.samples import name, table
from ...paper_catalog import PaperCatalog
from .adbc_client import connected
from .raw_client import RawClient


@pytest.fixture
def filled(service: Service, raw: RawClient) -> RawClient:
    paper = PaperCatalog(service.directory)
    paper.create(name("orders"), {"id": "long!", "amount": "decimal(10, 2)", "tags": "string"})
    made = table("clean", reads=(name("orders"),))
    service.store.lifecycle.begin_create(made)
    service.store.lifecycle.finish_create(made.id)
    paper.create(made.name, {"id": "long", "__hr_row_id": "string"})
    return raw


def tables(client: RawClient, **asked: Any) -> list[tuple[str, str]]:
    found = client.metadata(sql.CommandGetTables(**asked)).to_pylist()
    return [(each["table_name"], each["table_type"]) for each in found]


def test_catalogs_and_schemas(filled: RawClient) -> None:
    assert filled.metadata(sql.CommandGetCatalogs()).to_pylist() == [{"catalog_name": "lake"}]
    found = filled.metadata(sql.CommandGetDbSchemas()).to_pylist()
    assert found == [{"catalog_name": "lake", "db_schema_name": "public"}]
    assert filled.metadata(sql.CommandGetDbSchemas(catalog="other")).num_rows == 0
    assert filled.metadata(sql.CommandGetDbSchemas(db_schema_filter_pattern="PUB%")).num_rows == 1


def test_tables_with_their_types(filled: RawClient) -> None:
    orders, clean = ("orders", "TABLE"), ("clean", "DYNAMIC TABLE")
    assert tables(filled) == [clean, orders]
    assert tables(filled, table_types=["TABLE", "VIEW"]) == [orders]
    assert tables(filled, table_name_filter_pattern="c_ean") == [clean]
    assert tables(filled, table_name_filter_pattern="o%") == [orders]
    assert tables(filled, table_name_filter_pattern=r"c\_ean") == []
    assert tables(filled, catalog="lake", db_schema_filter_pattern="public") == [clean, orders]
    assert tables(filled, catalog="other") == []
    kinds = filled.metadata(sql.CommandGetTableTypes())["table_type"].to_pylist()
    assert kinds == ["TABLE", "DYNAMIC TABLE", "VIEW"]


def test_columns(filled: RawClient) -> None:
    """Without those that Headrace adds to dynamic tables."""
    found = filled.metadata(sql.CommandGetTables(include_schema=True)).to_pylist()
    clean, orders = (pa.ipc.read_schema(pa.py_buffer(each["table_schema"])) for each in found)
    assert clean.names == ["id"]
    assert orders.names == ["id", "amount", "tags"]
    assert [each.nullable for each in orders] == [False, True, True]
    assert orders.types == [pa.int64(), pa.decimal128(10, 2), pa.string()]
    facts = {key.decode(): value.decode() for key, value in orders.field("amount").metadata.items()}
    assert facts["ARROW:FLIGHT:SQL:TYPE_NAME"] == "DECIMAL(10,2)"
    assert facts["ARROW:FLIGHT:SQL:PRECISION"] == "10"


def test_tables_have_no_keys(filled: RawClient) -> None:
    assert filled.metadata(sql.CommandGetPrimaryKeys(table="orders")).num_rows == 0
    for command in (
        sql.CommandGetImportedKeys(table="orders"),
        sql.CommandGetExportedKeys(table="orders"),
        sql.CommandGetCrossReference(pk_table="orders", fk_table="clean"),
    ):
        assert filled.metadata(command).num_rows == 0


def test_facts_about_the_server(raw: RawClient) -> None:
    found = raw.metadata(sql.CommandGetSqlInfo())
    facts = dict(zip(found["info_name"].to_pylist(), found["value"].to_pylist(), strict=True))
    assert facts[sql.FLIGHT_SQL_SERVER_NAME] == "Headrace"
    assert facts[sql.SQL_IDENTIFIER_QUOTE_CHAR] == "`"
    assert facts[sql.FLIGHT_SQL_SERVER_TRANSACTION] == sql.SQL_SUPPORTED_TRANSACTION_NONE
    assert "SELECT" in facts[sql.SQL_KEYWORDS]
    unknown = set(sql.SqlInfo.values()) - facts.keys()
    assert {sql.SqlInfo.Name(each) for each in unknown} == {
        "FLIGHT_SQL_SERVER_SUBSTRAIT_MIN_VERSION",
        "FLIGHT_SQL_SERVER_SUBSTRAIT_MAX_VERSION",
    }
    asked = raw.metadata(sql.CommandGetSqlInfo(info=[sql.FLIGHT_SQL_SERVER_NAME, 9_999]))
    assert asked["value"].to_pylist() == ["Headrace"]


def test_types(raw: RawClient) -> None:
    found = raw.metadata(sql.CommandGetXdbcTypeInfo()).to_pylist()
    numbers = [each["data_type"] for each in found]
    assert numbers == sorted(numbers)
    decimal = next(each for each in found if each["type_name"] == "DECIMAL")
    assert (decimal["column_size"], decimal["create_params"]) == (38, ["precision", "scale"])
    only = raw.metadata(sql.CommandGetXdbcTypeInfo(data_type=sql.XDBC_TIMESTAMP))
    assert only["type_name"].to_pylist() == ["TIMESTAMP", "TIMESTAMP_NTZ"]


def test_answers_have_the_columns_that_were_announced(filled: RawClient) -> None:
    for kind in (sql.CommandGetCatalogs, sql.CommandGetSqlInfo, sql.CommandGetXdbcTypeInfo):
        info = filled.info(kind())
        assert info.schema == metadata_schema(kind())
        assert filled.rows(info.endpoints[0].ticket).schema == info.schema


def test_a_driver_lists_all_objects(filled: RawClient, address: str) -> None:
    with connected(address) as connection:
        (catalog,) = connection.adbc_get_objects().read_all().to_pylist()
        assert connection.adbc_get_table_types() == ["TABLE", "DYNAMIC TABLE", "VIEW"]
        schema = connection.adbc_get_table_schema("orders", db_schema_filter="public")
    assert schema.names == ["id", "amount", "tags"]
    (found,) = catalog["catalog_db_schemas"]
    listed = {each["table_name"]: each for each in found["db_schema_tables"]}
    assert listed["clean"]["table_type"] == "DYNAMIC TABLE"
    assert [each["column_name"] for each in listed["orders"]["table_columns"]] == ["id", "amount", "tags"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("bigint", pa.int64()),
        ("tinyint", pa.int8()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("timestamp_ntz", pa.timestamp("us")),
        ("decimal(38,3)", pa.decimal128(38, 3)),
        ("array<array<int>>", pa.list_(pa.field("element", pa.list_(pa.field("element", pa.int32()))))),
        ("map<string,date>", pa.map_(pa.string(), pa.date32())),
        ("struct<a:int,`b c`:struct<d:double>>", None),
        ("variant", pa.string()),
        ("no type", pa.string()),
    ],
)
def test_types_in_arrow(text: str, kind: pa.DataType | None) -> None:
    inner = pa.struct([("d", pa.float64())])
    assert arrow_type(text) == (kind or pa.struct([("a", pa.int32()), ("b c", inner)]))
