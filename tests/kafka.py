"""A real Kafka for a test run: one broker in KRaft mode, from its Maven artifacts."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kafka.admin import NewPartitions, NewTopic

from headrace.install.jars import cache_directory, ivy_of_pyspark
from headrace.install.java import require_java
from kafka import KafkaAdminClient, KafkaProducer
from tests.certificates import certificate

VERSION = "4.3.0"
PASSWORD = "Tr0ub4dor&3"  # noqa: S105  (of the user etl, who lives as long as the tests)
_START_SECONDS = 240
_OPTIONS = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""A broker of the tests lives for a minute."""
_SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller},SASL_SSL://127.0.0.1:{secure}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{secure}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config={login} required user_etl="{password}";
ssl.keystore.type=PEM
ssl.keystore.certificate.chain={certificate}
ssl.keystore.key={key}
controller.listener.names=CONTROLLER
log.dirs={directory}/data
num.partitions=2
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
initial.broker.registration.timeout.ms=300000
broker.session.timeout.ms=60000
controller.quorum.fetch.timeout.ms=60000
controller.quorum.election.timeout.ms=10000
auto.create.topics.enable=false
log.retention.check.interval.ms=1000
log.segment.delete.delay.ms=0
log.cleaner.dedupe.buffer.size=4194304
log.cleaner.backoff.ms=100
"""


class Kafka:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.port, controller, secure = _free_port(), _free_port(), _free_port()
        self.servers, self.secure_servers = f"127.0.0.1:{self.port}", f"127.0.0.1:{secure}"
        self.certificate, key = certificate(directory, "127.0.0.1")
        settings = _SETTINGS.format(
            port=self.port,
            controller=controller,
            secure=secure,
            directory=directory,
            login="org.apache.kafka.common.security.plain.PlainLoginModule",
            password=PASSWORD,
            certificate=_in_one_line(self.certificate),
            key=_in_one_line(key),
        )
        (directory / "server.properties").write_text(settings)
        format_it = ("format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", "server.properties")
        self._started("kafka.tools.StorageTool", *format_it).wait()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = self._started("kafka.Kafka", "server.properties")
        until = time.monotonic() + _START_SECONDS
        while not self._answers():
            ended = self._process.poll()
            assert ended is None, f"Kafka ended with {ended}: {(self._directory / 'log').read_text()[-1000:]}"
            assert time.monotonic() < until, "Kafka did not start"
            time.sleep(0.2)
        self._admin().close()

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def create_topic(self, name: str, partitions: int = 2, **settings: str) -> None:
        admin = self._admin()
        configs = {key.replace("_", "."): value for key, value in settings.items()}
        admin.create_topics([NewTopic(name, partitions, 1, topic_configs=configs)])
        admin.close()

    def topics(self) -> list[str]:
        """But those of Kafka itself."""
        admin = self._admin()
        names = [name for name in admin.list_topics() if not name.startswith("__")]
        admin.close()
        return names

    def add_partitions(self, topic: str, total: int) -> None:
        admin = self._admin()
        admin.create_partitions({topic: NewPartitions(total)})
        admin.close()

    def delete_before(self, topic: str, partition: int, offset: int) -> None:
        """As retention does."""
        from kafka import TopicPartition

        admin = self._admin()
        admin.delete_records({TopicPartition(topic, partition): offset})
        admin.close()

    def producer(self) -> KafkaProducer:
        """Each message is in its topic once, also if the broker is killed meanwhile."""
        return KafkaProducer(bootstrap_servers=self.servers, acks="all", enable_idempotence=True)

    def send(self, topic: str, *values: str | bytes, partition: int | None = None) -> None:
        producer = self.producer()
        for value in values:
            content = value.encode() if isinstance(value, str) else value
            producer.send(topic, content, key=b"k", partition=partition)
        producer.flush()
        producer.close()

    def _admin(self) -> KafkaAdminClient:
        return KafkaAdminClient(bootstrap_servers=self.servers)

    def _started(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [str(require_java().path), *_OPTIONS, "-cp", f"{_libraries()}/*", *arguments]
        environment = {key: value for key, value in os.environ.items() if key != "JDK_JAVA_OPTIONS"}
        with (self._directory / "log").open("ab") as log:
            return subprocess.Popen(command, cwd=self._directory, stdout=log, stderr=log, env=environment)


@contextmanager
def running_kafka() -> Iterator[Kafka]:
    directory = Path(tempfile.mkdtemp(prefix="kafka-"))
    kafka = Kafka(directory)
    try:
        kafka.start()
        yield kafka
    finally:
        kafka.kill()
        shutil.rmtree(directory, ignore_errors=True)


def _libraries() -> Path:
    """Fetched once per user."""
    place = cache_directory() / f"kafka-{VERSION}"
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=cache_directory()) as workspace:
            command = [str(require_java().path), "-jar", str(ivy_of_pyspark())]
            command += ["-dependency", "org.apache.kafka", "kafka_2.13", VERSION, "-m2compatible"]
            command += ["-confs", "default", "-types", "jar", "bundle", "-cache", f"{workspace}/ivy"]
            command += ["-retrieve", f"{workspace}/lib/[artifact]-[revision].[ext]"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            (Path(workspace) / "lib").rename(place)
    return place


def _in_one_line(file: Path) -> str:
    return file.read_text().replace("\n", "\\n")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
