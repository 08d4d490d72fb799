"""Topics with Avro messages, read with their schemas from a registry or from the statement."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from tests.avro_bytes import decimal, number, text, with_id

if TYPE_CHECKING:
    from tests.ingest.test_kafka_pipes import Child
    from tests.kafka import Kafka
    from tests.schema_registry import SchemaRegistry

_AMOUNT = {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}
_AT = {"type": "long", "logicalType": "timestamp-micros"}
_ORDER = {
    "type": "record",
    "name": "orders",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "amount", "type": _AMOUNT},
        {"name": "at", "type": _AT},
    ],
}
_BUYER = {"type": "record", "name": "buyer", "fields": [{"name": "name", "type": ["null", "string"]}]}
_NEWER_ORDER = {**_ORDER, "fields": [{"name": "buyer", "type": _BUYER}, *_ORDER["fields"]]}
_NOON = 1_714_564_800_000_001
_COLUMNS = (
    "value:id::bigint AS id, value:amount::decimal(20,2) AS amount, value:at::timestamp AS at,"
    " value:buyer.name::string AS buyer"
)


def _order(each: int) -> bytes:
    return number(each) + decimal(each * 10**15 + 1) + number(_NOON)


def _newer_order(each: int, name: str | None) -> bytes:
    return (number(0) if name is None else number(1) + text(name)) + _order(each)


def assert_avro_is_read(run: Child, kafka: Kafka, registry: SchemaRegistry) -> None:
    kafka.create_topic("avro", 1)
    registry.register(7, _ORDER)
    registry.register(300, _NEWER_ORDER)
    kafka.send("avro", with_id(7, _order(1)), with_id(300, _newer_order(2, "Ann")))
    source = (
        f"read_kafka('{kafka.servers}', 'avro', value_format => 'avro',"
        f" options => map('value.schema.registry', '{registry.url}'))"
    )
    copy = f"COPY INTO avro_orders FROM (SELECT {_COLUMNS} FROM {source}) ON_ERROR = QUARANTINE"
    created = run.ask(f"CREATE PIPE avro AS {copy}")
    types = "(id bigint, amount decimal(20,2), at timestamp, buyer string)"
    assert created["notices"][0] == f"created the table lake.public.avro_orders {types}"
    assert run.rows("EXECUTE PIPE avro") == [["1", "2", "2", "0"]]
    assert run.rows("SELECT id, amount, unix_micros(at), buyer FROM avro_orders ORDER BY id") == [
        ["1", "10000000000000.01", str(_NOON), "None"],
        ["2", "20000000000000.01", str(_NOON), "Ann"],
    ]
    _assert_bad_messages_are_put_aside(run, kafka)
    _assert_no_batch_is_lost(run, kafka, registry)


def _assert_bad_messages_are_put_aside(run: Child, kafka: Kafka) -> None:
    bad = [b"{}", with_id(7, _order(3)[:-1]), with_id(9, _order(3))]
    kafka.send("avro", *bad, with_id(300, _newer_order(3, None)))
    assert run.rows("EXECUTE PIPE avro") == [["1", "4", "1", "3"]]
    rejected = run.rows("SELECT place, reason, raw FROM avro_orders__rejected ORDER BY place")
    assert [base64.b64decode(raw) for _, _, raw in rejected] == bad
    assert [(place, reason.split(" http")[0]) for place, reason, _ in rejected] == [
        ("0:2", "the message does not begin with byte 0 and the id of a schema"),
        ("0:3", "the message ends within a value"),
        ("0:4", "schema 9 does not exist in the registry"),
    ]


def _assert_no_batch_is_lost(run: Child, kafka: Kafka, registry: SchemaRegistry) -> None:
    """While the registry fails, the pipe fails; the messages are loaded when it answers again."""
    registry.register(8, _ORDER)
    registry.answer = (503, {}, b"")
    kafka.send("avro", with_id(8, _order(4)))
    failed = run.ask("EXECUTE PIPE avro")
    assert failed["message"] == (
        f"the schema registry {registry.url} answered the request for schema 8 with status 503"
    )
    registry.answer = None
    assert run.rows("EXECUTE PIPE avro") == [["1", "1", "1", "0"]]
    assert run.rows("SELECT count(*), max(id) FROM avro_orders") == [["4", "4"]]
    assert registry.requests.count("/schemas/ids/7") == 1


def assert_bad_avro_is_refused(run: Child, kafka: Kafka, registry: SchemaRegistry) -> None:
    inline = f"'value.avro.schema', '{json.dumps(_ORDER)}'"
    kafka.create_topic("plain_avro", 1)
    kafka.send("plain_avro", _order(5))
    assert _asked(run, kafka, inline)["rows"] == [['{"amount":50000000000000.01,"id":5}']]
    by_registry = f"'value.schema.registry', '{registry.url}'"
    for options, message in (
        ("", "value_format => 'avro' requires the option value.avro.schema or value.schema.registry"),
        (
            f"{inline}, {by_registry}",
            "the options value.avro.schema and value.schema.registry cannot be used together",
        ),
        ("'value.avro.schema', '{}'", "the Avro schema is not valid: "),
        ("'value.schema.registry', 'ftp://a'", "ftp://a is not the URL of a schema registry"),
        (f"{inline}, 'key.avro.schema', '\"int\"'", "the option key.avro.schema requires key_format"),
    ):
        answer = _asked(run, kafka, options)
        assert answer.get("message", "").startswith(message), answer
    unreachable = "'value.schema.registry', 'http://127.0.0.1:1'"
    refused = run.ask(
        f"SELECT value FROM read_kafka('{kafka.servers}', 'avro', value_format => 'avro',"
        f" options => map({unreachable}))"
    )
    assert refused["message"].startswith("the schema registry http://127.0.0.1:1 cannot be reached: ")


def _asked(run: Child, kafka: Kafka, options: str) -> dict[str, object]:
    source = f"read_kafka('{kafka.servers}', 'plain_avro', value_format => 'avro', options => map({options}))"
    return run.ask(f"SELECT to_json(named_struct('amount', value:amount, 'id', value:id)) FROM {source}")
