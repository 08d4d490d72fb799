"""A topic of Kafka: a pipe, and one batch of Spark over the same offsets."""

from __future__ import annotations

import argparse
from functools import partial

from tests.kafka import Kafka, running_kafka

from bench.ingest.plain import append, expect_same, spark
from bench.measures import Measure, seconds
from headrace.connection import Connection

PARTITIONS = 2
FIELDS = "id BIGINT, device STRING, value DOUBLE"


def topic(lake: Connection, options: argparse.Namespace) -> list[Measure]:
    with running_kafka() as kafka:
        for name, messages in (("warm_up", 1_000), ("messages", options.messages)):
            _send(kafka, name, messages)
            lake.sql(f"CREATE TABLE {name} ({FIELDS}, partition INT, offset BIGINT)")
            source = f"read_kafka('{kafka.servers}', '{name}', '', 'g', value_format => 'text')"
            fields = ", ".join(f"from_json(value, '{FIELDS}').{field}" for field in ("id", "device", "value"))
            lake.sql(
                f"CREATE PIPE p_{name} BATCH_SIZE_PER_KAFKA_PARTITION = {options.messages}"
                f" AS COPY INTO {name} FROM (SELECT {fields}, partition, offset FROM {source})"
            )
            plain = seconds(partial(_read_plainly, lake, kafka, name))
            ours = seconds(partial(lake.run, f"EXECUTE PIPE p_{name}"))
            counted = lake.sql(f"SELECT count(*), count(DISTINCT id) FROM {name}").fetchall()
            expect_same(counted, [(messages, messages)])
    return [Measure(f"pipe: {options.messages:,} messages of Kafka", "s", ours, plain, "<= 1.2", 1.2)]


def _read_plainly(lake: Connection, kafka: Kafka, name: str) -> None:
    messages = (
        spark(lake)
        .read.format("kafka")
        .option("kafka.bootstrap.servers", kafka.servers)
        .option("subscribe", name)
        .load()
    )
    parsed = messages.selectExpr(f"from_json(string(value), '{FIELDS}') AS v", "partition", "offset")
    append(parsed.selectExpr("v.id", "v.device", "v.value", "partition", "offset"), "plain")


def _send(kafka: Kafka, name: str, count: int) -> None:
    kafka.create_topic(name, PARTITIONS)
    producer = kafka.producer()
    for number in range(count):
        text = f'{{"id": {number}, "device": "device-{number % 1000}", "value": {number / 7}}}'
        producer.send(name, text.encode(), partition=number % PARTITIONS)
    producer.flush()
    producer.close()
