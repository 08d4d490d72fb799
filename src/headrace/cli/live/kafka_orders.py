"""Orders as messages of Kafka, which a pipe loads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import headrace
from headrace.cli.live.orders import Order, Write
from headrace.errors import NotSupportedError, OperationalError
from headrace.model.quoting import quote_string

if TYPE_CHECKING:
    from kafka import KafkaAdminClient, KafkaProducer

DEFAULT_SERVERS = "localhost:9092"
TOPIC = "headrace_demo_orders"
_WAIT_MILLISECONDS = 10_000
_DROP = "DROP PIPE IF EXISTS orders_pipe"
_CREATE = """CREATE PIPE orders_pipe BATCH_INTERVAL_IN_SECONDS = 1 AS COPY INTO ods_orders FROM (
  SELECT value:order_id::bigint, value:product_id::int, value:quantity::int, value:price::decimal(10, 2),
    value:status::string, value:order_time::timestamp
  FROM read_kafka({servers}, {topic}, value_format => 'json'))"""


class KafkaOrders:
    """The topic is the demo's own, and goes when the demo ends, if the servers permit it."""

    def __init__(self, servers: str) -> None:
        self._servers = servers

    def check(self) -> None:
        self._producer().close()

    def settings(self) -> dict[str, str | list[str]]:
        return {"features": ["kafka"], "allowed_brokers": self._servers.split(",")}

    def connect(self, lake: headrace.Connection) -> None:
        self._create_topic()
        servers, topic = quote_string(self._servers), quote_string(TOPIC)
        lake.run(_CREATE.format(servers=servers, topic=topic))

    def disconnect(self, lake: headrace.Connection) -> None:
        lake.run(_DROP)
        self._delete_topic()

    @contextmanager
    def writer(self, url: str) -> Iterator[Write]:
        producer = self._producer()

        def write(orders: Sequence[Order]) -> None:
            for order in orders:
                message = json.dumps(asdict(order), default=str).encode()
                producer.send(TOPIC, message, key=str(order.order_id).encode())
            producer.flush()

        try:
            yield write
        finally:
            producer.close()

    def _create_topic(self) -> None:
        """One that could not be deleted is used again, with the messages that it has."""
        from kafka.admin import NewTopic
        from kafka.errors import TopicAlreadyExistsError

        with self._admin() as admin, suppress(TopicAlreadyExistsError):
            admin.create_topics([NewTopic(TOPIC, num_partitions=2, replication_factor=1)])

    def _delete_topic(self) -> None:
        from kafka.errors import KafkaError

        with suppress(KafkaError), self._admin() as admin:
            admin.delete_topics([TOPIC])

    @contextmanager
    def _admin(self) -> Iterator[KafkaAdminClient]:
        from kafka import KafkaAdminClient

        admin = KafkaAdminClient(bootstrap_servers=self._servers.split(","))
        try:
            yield admin
        finally:
            admin.close()

    def _producer(self) -> KafkaProducer:
        try:
            from kafka.errors import KafkaError

            from kafka import KafkaProducer
        except ModuleNotFoundError as missing:
            raise NotSupportedError(
                "the demo writes to Kafka through the package kafka-python, which is not installed",
                hint="pip install 'headrace[kafka]'",
            ) from missing
        try:
            return KafkaProducer(
                bootstrap_servers=self._servers.split(","),
                acks="all",
                bootstrap_timeout_ms=_WAIT_MILLISECONDS,
            )
        except (KafkaError, OSError) as error:
            raise OperationalError(
                f"no Kafka broker answers at {self._servers}",
                hint="start one, or name its address: headrace demo --live --from kafka --address host:9092",
            ) from error
