"""Pipes from Kafka, with a real broker; the statements run in a process that has the jars for it."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

import pytest
from click.testing import CliRunner

from headrace.cli.main import cli
from headrace.install.jars import JAR_SETS, JARS, Feature
from headrace.lake.directory import make_lake
from tests.certificates import certificate
from tests.ingest.avro_topics import assert_avro_is_read, assert_bad_avro_is_refused
from tests.ingest.killed_pipe import KILLS, LAYERS, run_and_kill
from tests.ingest.mistakes.kafka import KAFKA_MISTAKES, Fails, Sends
from tests.kafka import PASSWORD, Kafka, running_kafka
from tests.sampling import fresh_seeds
from tests.schema_registry import running_registry
from tests.server.served import until


@pytest.fixture(scope="module")
def kafka() -> Iterator[Kafka]:
    with running_kafka() as kafka:
        yield kafka


class Child:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, statement: str) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(statement), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def rows(self, statement: str) -> list[list[str]]:
        answer = self.ask(statement)
        assert "rows" in answer, answer
        rows: list[list[str]] = answer["rows"]
        return rows


@contextmanager
def child(lake: Path) -> Iterator[Child]:
    command = [sys.executable, "-m", "tests.ingest.kafka_child", str(lake)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        yield Child(process)
        process.stdin.close()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    path = tmp_path / "lake"
    make_lake(path)
    with (path / "lake.toml").open("a") as settings:
        settings.write('features = ["kafka"]\n')
    return path


@pytest.mark.timeout(900)
def test_a_topic_from_nothing_to_a_table(kafka: Kafka, lake: Path) -> None:
    kafka.create_topic("orders", 2)
    for partition in (0, 1):
        kafka.send(
            "orders", *(f'{{"id": {n * 2 + partition}, "v": 1}}' for n in range(10)), partition=partition
        )
    source = f"read_kafka('{kafka.servers}', 'orders', '', 'group', '', '', '', '', 'raw', 'text', 0, map())"
    query = f"SELECT get_json_object(value, '$.id')::int AS id, offset FROM {source}"
    with child(lake) as run:
        _assert_class_archive_fits(run)
        assert run.rows(f"SELECT count(*), count(DISTINCT partition), min(timestamp_type) FROM {source}") == [
            ["20", "2", "CreateTime"]
        ]
        explained = run.ask(f"EXPLAIN CREATE PIPE p AS COPY INTO t FROM ({query})")
        assert len(explained["rows"]) == 10
        created = run.ask(f"CREATE PIPE p BATCH_SIZE_PER_KAFKA_PARTITION = 4 AS COPY INTO t FROM ({query})")
        assert created["notices"][0] == "created the table lake.public.t (id int, offset bigint)"
        assert run.rows("EXECUTE PIPE p") == [["3", "20", "20", "0"]]
        assert run.rows("EXECUTE PIPE p") == [["0", "0", "0", "0"]]

        kafka.add_partitions("orders", 3)
        kafka.send("orders", '{"id": 20}', partition=2)
        kafka.send("orders", '{"id": 21}', '{"id": "x"}', '{"id": 22}', partition=0)
        assert run.rows("EXECUTE PIPE p")[0][2:] == ["3", "1"]
        assert run.rows("SELECT count(*), count(DISTINCT id), max(id) FROM t") == [["23", "23", "22"]]
        (rejected,) = run.rows("SELECT source, place, raw FROM t__rejected")
        assert rejected == ["orders", "0:11", '{"id": "x"}']

        kafka.send("orders", *(f'{{"id": {n}}}' for n in range(30, 34)), partition=1)
        kafka.delete_before("orders", 1, 12)
        lost = run.ask("EXECUTE PIPE p")
        assert lost["message"] == "messages 10 to 11 of partition 1 were deleted before they were read"
        run.ask("ALTER PIPE p SET RESET_KAFKA_GROUP_OFFSETS = 'valid'")
        assert run.rows("EXECUTE PIPE p")[0][2] == "2"
        described = dict(run.rows("DESC PIPE EXTENDED p"))
        assert '"offsetLag": 0' in described["pipe_latency"]

        kafka.kill()
        out_of_reach = run.ask("EXECUTE PIPE p")
        assert out_of_reach["message"].startswith(f"Kafka at {kafka.servers} cannot be reached")
        kafka.start()
        kafka.send("orders", '{"id": 40}', partition=0)
        assert run.rows("EXECUTE PIPE p")[0][2] == "1"

        _assert_compacted(run, kafka)
        _assert_secure(run, kafka, lake)
        _assert_refused(run, kafka)
        _assert_mended(run, kafka)
        with running_registry() as registry:
            assert_avro_is_read(run, kafka, registry)
            assert_bad_avro_is_refused(run, kafka, registry)


def _assert_class_archive_fits(run: Child) -> None:
    """It is made for a class path without the jars for Kafka, with which this one must begin."""
    ((path,),) = run.rows("SELECT reflect('java.lang.System', 'getProperty', 'java.class.path')")
    names = [PurePath(jar).name for jar in path.split(":")]
    assert names[1:4] == [jar.file_name for jar in JARS]
    assert names[-4:] == [jar.file_name for jar in JAR_SETS[Feature.KAFKA]]


def _assert_compacted(run: Child, kafka: Kafka) -> None:
    """Kafka keeps the last messages of a key, so that offsets have gaps; also where a batch ends."""
    kafka.create_topic(
        "states", 1, cleanup_policy="compact", segment_ms="50", min_cleanable_dirty_ratio="0.01"
    )
    count = f"SELECT count(*), min(offset) FROM read_kafka('{kafka.servers}', 'states')"
    for number in range(8):
        kafka.send("states", str(number))
    until(lambda: int(run.rows(count)[0][0]) < 5, 60, "compaction")
    source = f"read_kafka('{kafka.servers}', 'states', value_format => 'text')"
    query = f"SELECT CAST(value AS INT) AS id FROM {source}"
    run.rows("CREATE TABLE states (id INT)")
    run.rows(f"CREATE PIPE states BATCH_SIZE_PER_KAFKA_PARTITION = 2 AS COPY INTO states FROM ({query})")
    run.rows("EXECUTE PIPE states")
    kafka.send("states", "8")
    run.rows("EXECUTE PIPE states")
    found = [int(row[0]) for row in run.rows("SELECT id FROM states ORDER BY id")]
    assert len(found) < 6 and found[-2:] == [7, 8] and len(set(found)) == len(found)


def _assert_secure(run: Child, kafka: Kafka, lake: Path) -> None:
    """By TLS, with a password; both are secrets."""
    other, _ = certificate(lake.parent, "127.0.0.2")
    kafka.create_topic("secure", 1)
    kafka.send("secure", "1")
    options = (
        "'security.protocol', 'SASL_SSL', 'sasl.mechanism', 'PLAIN', 'sasl.username', 'etl',"
        " 'sasl.password', secret('etl'), 'ssl.truststore.certificates', secret('signer')"
    )
    source = (
        f"read_kafka('{kafka.secure_servers}', 'secure', value_format => 'text', options => map({options}))"
    )
    create = f"CREATE PIPE secure AS COPY INTO secure FROM (SELECT CAST(value AS INT) AS id FROM {source})"
    for password, signer, message in (
        (PASSWORD, other, f"Kafka at {kafka.secure_servers} cannot be reached by TLS: PKIX path"),
        ("wrong", kafka.certificate, f"Kafka at {kafka.secure_servers} refused the credentials: "),
        (PASSWORD, kafka.certificate, None),
    ):
        _set_secrets(lake, etl=password, signer=signer.read_text())
        answer = run.ask(create)
        assert answer.get("message", "").startswith(message or ""), answer
        assert ("error" in answer) == (message is not None), answer
        assert "wrong" not in str(answer)
    assert run.rows("EXECUTE PIPE secure")[0][2] == "1"
    _set_secrets(lake, etl="changed")
    kafka.send("secure", "2")
    assert "refused the credentials" in run.ask("EXECUTE PIPE secure")["message"]
    _set_secrets(lake, etl=PASSWORD)
    run.rows("EXECUTE PIPE secure")
    assert run.rows("SELECT id FROM secure ORDER BY id") == [["1"], ["2"]]


def _set_secrets(lake: Path, **values: str) -> None:
    for name, value in values.items():
        done = CliRunner().invoke(cli, ["secret", "set", "--lake", str(lake), name, "--value", value])
        assert done.exit_code == 0, done.output


def _assert_refused(run: Child, kafka: Kafka) -> None:
    """Wrong uses, each with its message."""
    for arguments, message in (
        (f"'{kafka.servers}', 'missing'", f"topic missing does not exist on {kafka.servers}"),
        ("'127.0.0.1:1', 'orders'", "Kafka at 127.0.0.1:1 cannot be reached"),
        ("'', 'orders'", "read_kafka requires bootstrap_servers"),
        (f"'{kafka.servers}'", "read_kafka requires topic"),
        (f"'{kafka.servers}', 'orders', 'o.*'", "the argument topic_pattern is not supported"),
        (f"bootstrap_servers => '{kafka.servers}', topics => 'a'", "read_kafka has no argument topics"),
        (f"'{kafka.servers}', 'orders', options => map('a.b', 'c')", "read_kafka has no option a.b"),
        (
            f"'{kafka.servers}', 'orders', options => map('sasl.password', 'p')",
            "the option sasl.password cannot be written into a statement",
        ),
        (
            f"'{kafka.servers}', 'orders', options => map('sasl.mechanism', 'PLAIN', 'sasl.username', 'u',"
            " 'sasl.password', secret('nothing'))",
            "secret nothing does not exist",
        ),
        (
            f"'{kafka.servers}', 'orders', value_format => 'xml'",
            "expected one of raw, text, json, avro, found xml",
        ),
    ):
        answer = run.ask(f"SELECT * FROM read_kafka({arguments}) LIMIT 1")
        assert answer.get("message", "").startswith(message), answer
    refused = run.ask(f"COPY INTO t FROM (SELECT * FROM read_kafka('{kafka.servers}', 'orders'))")
    assert refused["message"] == "a topic of Kafka is loaded by a pipe"


def _assert_mended(run: Child, kafka: Kafka) -> None:
    """What interrupts a pipe: its message, and all messages once it is mended."""
    for number, mistake in enumerate(KAFKA_MISTAKES):
        topic = f"m{number}"
        names = {"t": topic, "servers": kafka.servers}
        run.rows(f"CREATE TABLE {topic} (id INT)")
        for step in mistake.steps:
            if isinstance(step, Sends):
                if topic not in kafka.topics():
                    kafka.create_topic(topic, 1)
                kafka.send(topic, *step.messages)
                continue
            statement = step.statement if isinstance(step, Fails) else step
            answer = run.ask(_filled(statement, names))
            if isinstance(step, Fails):
                wanted = _filled(step.message, names)
                assert re.search(wanted, answer.get("message", "")), (mistake.what, answer)
            else:
                assert "error" not in answer, (mistake.what, answer)
        found = run.rows(f"SELECT id FROM {topic} ORDER BY id")
        assert found == [[str(each)] for each in mistake.ids], mistake.what


def _filled(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


class MessageWriter(threading.Thread):
    """Sends messages until it is stopped."""

    def __init__(self, kafka: Kafka, topic: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.written: dict[int, tuple[int, int]] = {}
        self._kafka = kafka
        self._topic = topic
        self._chance = random.Random(seed)
        self._stopping = threading.Event()

    def run(self) -> None:
        producer = self._kafka.producer()
        while not self._stopping.wait(0.02):
            number, k, v = len(self.written), self._chance.randrange(5), self._chance.randrange(-2, 100)
            message = json.dumps({"id": number, "k": k, "v": v})
            producer.send(self._topic, message.encode(), partition=number % 2).get(120)
            self.written[number] = (k, v)
        producer.close()

    def stop(self) -> None:
        self._stopping.set()
        self.join()


@pytest.mark.kills
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", fresh_seeds("ingest/Kafka pipes killed", 10, share=0.1))
def test_every_message_once(kafka: Kafka, lake: Path, seed: int) -> None:
    topic, chance = f"killed-{seed}", random.Random(seed)
    kafka.create_topic(topic, 2)
    with child(lake) as run:
        for statement in ("CREATE TABLE t (id INT, k INT, v INT)", *LAYERS.strip().split(";\n")):
            assert "error" not in run.ask(statement)
        source = f"read_kafka('{kafka.servers}', '{topic}', '', 'g', value_format => 'text')"
        struct = "from_json(value, 'id INT, k INT, v INT')"
        created = run.ask(
            f"CREATE PIPE p BATCH_SIZE_PER_KAFKA_PARTITION = 50 AS COPY INTO t FROM"
            f" (SELECT m.id, m.k, m.v FROM (SELECT {struct} AS m FROM {source}))"
        )
        assert "error" in created, "a source within another query is not found"
        created = run.ask(
            f"CREATE PIPE p BATCH_SIZE_PER_KAFKA_PARTITION = 50 AS COPY INTO t FROM"
            f" (SELECT {struct}.id, {struct}.k, {struct}.v FROM {source})"
        )
        assert "error" not in created, created
    writer = MessageWriter(kafka, topic, seed)
    writer.start()
    for _ in range(KILLS):
        run_and_kill(lake, chance)
    writer.stop()
    with child(lake) as run:
        run.rows("EXECUTE PIPE p")
        found = {int(key): (int(k), int(v)) for key, k, v in run.rows("SELECT id, k, v FROM t")}
        assert run.rows("SELECT count(*) FROM t") == [[str(len(writer.written))]]
        assert found == writer.written
        for layer in ("layer_1", "layer_2"):
            run.rows(f"REFRESH DYNAMIC TABLE {layer}")
            assert "exact" in run.rows(f"VERIFY DYNAMIC TABLE {layer}")[0]
