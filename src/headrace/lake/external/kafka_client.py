"""Kafka through the client that Spark's own source uses: partitions and offsets of a topic, and messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError

from headrace.errors import NotFound, OperationalError
from headrace.lake.session import LakeSession
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.temporary_view import temporary_view

Offsets = dict[int, int]
"""By partition."""

_CLIENT = {
    "key.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
    "value.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
    "enable.auto.commit": "false",
    "allow.auto.create.topics": "false",
    "default.api.timeout.ms": "15000",
    "request.timeout.ms": "10000",
}


class KafkaTopic:
    """A topic of servers that are reached with the given properties of Kafka's client."""

    def __init__(self, topic: str, properties: Mapping[str, str], session: LakeSession) -> None:
        self.topic = topic
        self._properties = dict(properties)
        self._session = session
        self._servers = self._properties["bootstrap.servers"]

    def earliest(self) -> Offsets:
        return self._offsets("beginningOffsets")

    def latest(self) -> Offsets:
        """The offset after the last message of each partition."""
        return self._offsets("endOffsets")

    def at(self, milliseconds: int) -> Offsets:
        """The first messages that are not older; where there is none, the end."""
        with self._consumer() as consumer:
            partitions = self._partitions(consumer)
            wanted = self._jvm.java.util.HashMap()
            for partition in partitions:
                wanted.put(partition, self._jvm.java.lang.Long(milliseconds))
            found, ends = consumer.offsetsForTimes(wanted), consumer.endOffsets(partitions)
            return {
                int(each.partition()): int(found[each].offset() if found[each] is not None else ends[each])
                for each in partitions
            }

    def committed(self) -> Offsets:
        """Of the consumer group; partitions without one are left out."""
        with self._consumer() as consumer:
            partitions = self._jvm.java.util.HashSet(self._partitions(consumer))
            found = consumer.committed(partitions)
            return {
                int(each.partition()): int(found[each].offset()) for each in found if found[each] is not None
            }

    def commit(self, offsets: Offsets) -> None:
        """For people who look at the consumer group: what was read, the table says."""
        with self._consumer() as consumer:
            wanted = self._jvm.java.util.HashMap()
            for partition, offset in offsets.items():
                wanted.put(self._partition(partition), self._consumer_package.OffsetAndMetadata(offset))
            consumer.commitSync(wanted)

    @contextmanager
    def rows(self, start: Offsets, end: Offsets) -> Iterator[str]:
        """A view of the messages from ``start`` up to ``end``, without the last one."""
        options = {f"kafka.{key}": value for key, value in self._properties.items() if key != "group.id"}
        options |= {
            "assign": json.dumps({self.topic: sorted(end)}),
            "startingOffsets": json.dumps({self.topic: {str(each): start[each] for each in sorted(end)}}),
            "endingOffsets": json.dumps({self.topic: {str(each): end[each] for each in sorted(end)}}),
            "failOnDataLoss": "true",
        }
        with spark_errors():
            frame = self._session.spark.read.format("kafka").options(**options).load()
        with temporary_view(frame, self._session) as view:
            yield view

    def _offsets(self, method: str) -> Offsets:
        with self._consumer() as consumer:
            found = getattr(consumer, method)(self._partitions(consumer))
            return {int(each.partition()): int(found[each]) for each in found}

    def _partitions(self, consumer: Any) -> Any:
        infos = consumer.partitionsFor(self.topic)
        if infos is None or infos.isEmpty():
            raise NotFound(
                f"topic {self.topic} does not exist on {self._servers}", hint="create the topic first"
            )
        partitions = self._jvm.java.util.ArrayList()
        for info in infos:
            partitions.add(self._partition(info.partition()))
        return partitions

    def _partition(self, number: int) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(self.topic, number)

    @property
    def _jvm(self) -> Any:
        return self._session.spark._jvm

    @property
    def _consumer_package(self) -> Any:
        return self._jvm.org.apache.kafka.clients.consumer

    @contextmanager
    def _consumer(self) -> Iterator[Any]:
        """One that asks and commits, and reads nothing."""
        consumer = None
        try:
            properties = self._jvm.java.util.HashMap()
            for key, value in (_CLIENT | self._properties).items():
                properties.put(key, value)
            consumer = self._consumer_package.KafkaConsumer(properties)
            yield consumer
        except Py4JJavaError as error:
            raise self._translated(error) from None
        finally:
            if consumer is not None:
                consumer.close()

    def _translated(self, error: Py4JJavaError) -> OperationalError:
        """Kafka's own words; a configuration with a password in it is never among them."""
        text = str(error.java_exception.toString())
        cause = error.java_exception.getCause()
        reason = str(cause.getMessage()) if cause is not None and cause.getMessage() else text
        if re.search(r"SslAuthentication|SSL handshake", text + reason):
            return OperationalError(
                f"Kafka at {self._servers} cannot be reached by TLS: {_plain(reason)}",
                hint="check ssl.truststore.certificates: they must include who signed that of the server",
            )
        if re.search(r"Authentication|SaslAuth", text + reason):
            return OperationalError(
                f"Kafka at {self._servers} refused the credentials: {_plain(reason)}",
                hint="check security.protocol, sasl.mechanism, sasl.username and sasl.password",
            )
        if re.search(r"TimeoutException|No resolvable bootstrap", text + reason):
            return OperationalError(
                f"Kafka at {self._servers} cannot be reached: {_plain(reason)}",
                hint="check the address, and whether the servers run",
            )
        return OperationalError(f"Kafka at {self._servers} answered: {_plain(reason)}")


def _plain(text: str) -> str:
    return re.sub(r"[\w.]+(?:Exception|Error): ", "", text)
