"""Schemas from a registry over HTTP, and the options of ``read_kafka`` that name it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from headrace.errors import NotFound, OperationalError, Refused
from headrace.features.pipes.model import KafkaSource, MessageFormat, Secret
from headrace.ingest.kafka import schema_registry
from headrace.ingest.kafka.client_options import check_options, client_properties
from headrace.ingest.kafka.messages import schemas_by_id
from headrace.ingest.kafka.schema_options import AvroColumn, avro_columns
from headrace.ingest.kafka.schema_registry import Registry, fetch_schema, registry_address
from headrace.ingest.kafka.topic_source import expect_brokers
from headrace.lake.spark.sandbox import Sandbox
from tests.schema_registry import SchemaRegistry, running_registry

AVRO = KafkaSource("k:1", "t", value_format=MessageFormat.AVRO)


@pytest.fixture
def registry() -> Iterator[SchemaRegistry]:
    with running_registry() as registry:
        yield registry


def with_options(**options: str | Secret) -> KafkaSource:
    return replace(AVRO, options={name.replace("_", "."): value for name, value in options.items()})


def test_schemas_are_fetched_once(registry: SchemaRegistry) -> None:
    registry.register(7, "int")
    registry.register(8, "long", schemaType="AVRO")
    found = schemas_by_id(Registry(registry.url + "/base/"), [-1, 7, 8, 9])
    assert (found.schemas, list(found.missing)) == ({7: '"int"', 8: '"long"'}, [-1, 9])
    registry.register(9, "string")
    found = schemas_by_id(Registry(registry.url + "/base/"), [7, 8, 9])
    assert (found.schemas[9], found.missing) == ('"string"', {})
    assert registry.requests == [f"/base/schemas/ids/{each}" for each in (7, 8, 9, 9)]


def test_a_registry_with_a_password(registry: SchemaRegistry) -> None:
    registry.login = ("ann", "pä")
    registry.register(1, "int")
    with pytest.raises(OperationalError, match="status 401") as refused:
        fetch_schema(Registry(registry.url), 1)
    assert refused.value.hint == "check schema.registry.username and the secret of schema.registry.password"
    with_password = Registry(registry.url, "ann", "pä")
    assert fetch_schema(with_password, 1) == '"int"'
    assert "pä" not in repr(with_password)


def test_redirects_are_not_followed(registry: SchemaRegistry) -> None:
    with running_registry() as other:
        other.register(1, "int")
        registry.answer = (302, {"Location": f"{other.url}/schemas/ids/1"}, b"")
        with pytest.raises(OperationalError, match="with status 302") as refused:
            fetch_schema(Registry(registry.url), 1)
        assert refused.value.hint == "redirects are not followed: use the URL of the registry itself"
        assert other.requests == []


def test_what_is_no_schema_of_avro(registry: SchemaRegistry) -> None:
    registry.register(1, "syntax", schemaType="PROTOBUF")
    registry.register(2, "int", references=[{"name": "a", "subject": "b", "version": 1}])
    with pytest.raises(NotFound, match="is of the type PROTOBUF, not AVRO"):
        fetch_schema(Registry(registry.url), 1)
    with pytest.raises(OperationalError, match="refers to other schemas, which is not supported"):
        fetch_schema(Registry(registry.url), 2)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (404, b"<html>", "with status 404"),
        (404, b'{"error_code": 404, "message": "HTTP 404 Not Found"}', "with status 404: HTTP 404 Not Found"),
        (500, b'{"error_code": 50001, "message": "Error in the backend"}', "Error in the backend"),
        (200, b"[]", "without a schema"),
        (200, b"\xff", "without a schema"),
        (200, b" " * (5 << 20), "the response has more than 4 MB"),
    ],
)
def test_a_registry_that_fails(registry: SchemaRegistry, status: int, body: bytes, message: str) -> None:
    """Such an answer says nothing about the messages: none of them is put aside for it."""
    registry.answer = (status, {}, body)
    with pytest.raises(OperationalError, match=message):
        schemas_by_id(Registry(registry.url), [1])


def test_a_registry_that_does_not_answer(registry: SchemaRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OperationalError, match=r"http://127\.0\.0\.1:1 cannot be reached: "):
        fetch_schema(Registry("http://127.0.0.1:1"), 1)
    monkeypatch.setattr(schema_registry, "_SECONDS", 0.2)
    registry.shutdown()
    with pytest.raises(OperationalError, match="cannot be reached: timed out"):
        fetch_schema(Registry(registry.url), 1)


def test_addresses_of_registries() -> None:
    assert registry_address("http://registry:8081/base") == "registry:8081"
    assert registry_address("https://registry") == "registry:443"
    for url in ("registry:8081", "file:///etc/passwd", "http://", "http://a:b@c", "http://a:x", "http://a?b"):
        with pytest.raises(Refused, match="is not the URL of a schema registry"):
            registry_address(url)


def test_the_host_must_be_allowed() -> None:
    source = with_options(value_schema_registry="http://registry:8081")
    expect_brokers(source, Sandbox((), "", brokers=("k:1", "registry:8081")))
    with pytest.raises(Refused, match="the schema registry http://registry:8081 reaches outside the lake"):
        expect_brokers(source, Sandbox((), "", brokers=("k:1", "registry:8082")))


def test_options_say_where_schemas_are() -> None:
    source = with_options(
        value_schema_registry="http://r",
        schema_registry_username="ann",
        schema_registry_password=Secret("p"),
    )
    check_options(source)
    assert client_properties(source, str) == {"bootstrap.servers": "k:1"}
    assert list(avro_columns(source, {"p": "secret"}.__getitem__)) == [
        AvroColumn("value", Registry("http://r", "ann", "secret"))
    ]
    keys = replace(source, key_format=MessageFormat.AVRO, value_format=MessageFormat.RAW)
    keys = replace(keys, options={"key.avro.schema": '"int"'})
    check_options(keys)
    assert list(avro_columns(keys, str)) == [AvroColumn("key", '"int"')]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "requires the option value.avro.schema or value.schema.registry"),
        (
            {"value_avro_schema": "{}", "value_schema_registry": "http://r"},
            "the options value.avro.schema and value.schema.registry cannot be used together",
        ),
        ({"value_schema_registry": "r"}, "r is not the URL of a schema registry"),
        ({"value_schema_registry": Secret("r")}, "the option value.schema.registry cannot be a secret"),
        (
            {"value_avro_schema": "{}", "key_avro_schema": "{}"},
            "the option key.avro.schema requires key_format => 'avro'",
        ),
        (
            {"value_avro_schema": "{}", "schema_registry_username": "a"},
            "the option schema.registry.username requires the option value.schema.registry",
        ),
        (
            {"value_schema_registry": "http://r", "schema_registry_username": "a"},
            "the options schema.registry.username and schema.registry.password must be used together",
        ),
        (
            {"value_schema_registry": "http://r", "schema_registry_password": "a"},
            "the option schema.registry.password cannot be written into a statement",
        ),
    ],
)
def test_options_that_do_not_fit(options: dict[str, str | Secret], message: str) -> None:
    with pytest.raises(Refused) as refused:
        check_options(with_options(**options))
    assert refused.value.message.endswith(message) or refused.value.message.startswith(message)
