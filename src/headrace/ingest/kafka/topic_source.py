"""A topic of Kafka as a source: ranges of offsets, and the messages in them that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from headrace.errors import DataError, Refused
from headrace.features.pipes.model import Copy, KafkaSource, OnError, PipeSettings
from headrace.ingest.kafka.client_options import SecretValue, check_options, client_properties
from headrace.ingest.kafka.messages import BadMessage, message_view, raw_text
from headrace.ingest.kafka.offsets import Offsets, TopicPosition, halves, next_range, read_position
from headrace.ingest.kafka.schema_options import registry_urls
from headrace.ingest.kafka.schema_registry import registry_address
from headrace.ingest.protocol import Batch, Lag, WriteStatement
from headrace.ingest.quarantine import quarantine
from headrace.install.jars import Feature
from headrace.lake.external.kafka_client import KafkaTopic
from headrace.lake.session import LakeSession
from headrace.lake.spark.engine import expect_feature
from headrace.lake.spark.sandbox import Sandbox
from headrace.lake.table.pin import Field, sql_type
from headrace.lake.table.tables import Table
from headrace.model.clock import Clock
from headrace.model.dynamic_table import Column
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, quote_string
from headrace.sql.sandbox.sandbox_rules import OUTSIDE_HINT

_PREVIEWED = 100
"""Messages of each partition that are looked at to show what a source brings."""


@dataclass
class TopicBatch:
    source: TopicSource
    start: Offsets
    stop: Offsets
    skipped_before: int
    has_more: bool
    bad: list[BadMessage] = field(default_factory=list)

    @property
    def end(self) -> str:
        skipped = self.skipped_before + len(self.bad)
        return TopicPosition(self.source.topic.topic, self.stop, skipped).text()

    @property
    def records(self) -> int:
        return sum(self.stop[each] - self.start[each] for each in self.stop)

    @property
    def rejected(self) -> int:
        return len(self.bad)

    def isolate(self) -> bool:
        return self.source.isolate(self)

    @contextmanager
    def statement(self) -> Iterator[WriteStatement]:
        with self.source.selection(self.start, self.stop, self.bad) as query:
            self.source.quarantine(self)
            yield lambda target: f"INSERT INTO {target}{self.source.columns} {query}"


class TopicSource:
    def __init__(
        self,
        copy: Copy,
        source: KafkaSource,
        target: TableName,
        session: LakeSession,
        clock: Clock,
        pipe: str,
        settings: PipeSettings,
        secret_value: SecretValue,
    ) -> None:
        expect_feature(Feature.KAFKA, "read_kafka")
        check_options(source)
        self._copy = copy
        self._source = source
        self._target = target
        self._session = session
        self._clock = clock
        self._settings = settings
        self._secret_value = secret_value
        self._key = f"headrace.ingest.kafka.{pipe}"
        self.topic = KafkaTopic(source.topic, client_properties(source, secret_value), session)

    @property
    def key(self) -> str:
        return self._key

    @property
    def columns(self) -> str:
        names = ", ".join(quote_identifier(each.text) for each in self._copy.columns)
        return f" ({names})" if names else ""

    def discover(self) -> Sequence[Column]:
        latest = self.topic.latest()
        with self.selection(latest, latest, ()) as query:
            return self._session.analyze(query).columns

    def snapshot(self) -> TopicBatch | None:
        return self._batch(TopicPosition(self._source.topic, self._first_offsets()))

    def changes(self, position: str) -> TopicBatch | None:
        found = read_position(position, self._source.topic)
        return self.snapshot() if found is None else self._batch(found)

    def acknowledge(self, batch: Batch) -> None:
        """The consumer group shows how far the pipe is."""
        if not isinstance(batch, TopicBatch):
            raise TypeError(batch)
        if self._source.group:
            self.topic.commit(batch.stop)

    def lag(self, position: str | None) -> Lag:
        latest, found = self.topic.latest(), read_position(position, self._source.topic)
        at = found.offsets if found is not None else self.topic.earliest()
        waiting = {each: (at.get(each, 0), end) for each, end in latest.items() if end > at.get(each, 0)}
        if not waiting:
            return Lag(0, None, 0.0)
        start = {each: first for each, (first, _) in waiting.items()}
        with self.topic.rows(start, {each: first + 1 for each, first in start.items()}) as view:
            oldest = (
                self._session.run(f"SELECT unix_millis(min(timestamp)) FROM {view}")
                .arrow()
                .column(0)[0]
                .as_py()
            )
        seconds = None if oldest is None else max(0.0, self._clock().timestamp() - oldest / 1000)
        return Lag(sum(end - first for first, end in waiting.values()), None, seconds)

    def resume(self, position: str | None) -> None:
        """Nothing is left undone: Kafka keeps what was read."""

    @contextmanager
    def preview(self) -> Iterator[str | None]:
        earliest, latest = self.topic.earliest(), self.topic.latest()
        start = {each: max(earliest[each], latest[each] - _PREVIEWED) for each in latest}
        if start == latest:
            yield None
            return
        with self.selection(start, latest, ()) as query:
            yield query

    @contextmanager
    def selection(self, start: Offsets, end: Offsets, without: Sequence[BadMessage]) -> Iterator[str]:
        """The query of the pipe over messages in a range, but some."""
        with (
            self.topic.rows(start, end) as raw,
            message_view(self._source, raw, without, self._session, self._secret_value) as view,
        ):
            query = self._copy.query
            yield f"SELECT * FROM {view}" if query is None else query.reading(view).text

    def isolate(self, batch: TopicBatch) -> bool:
        """Whether there are messages for which the query fails: the batch leaves them out from now on."""
        found = list(self._failing(batch.start, batch.stop, batch.bad))
        batch.bad += found
        skipped = batch.skipped_before + len(batch.bad)
        if self._copy.on_error is OnError.ABORT and skipped > self._settings.most_skipped_batches:
            first = batch.bad[0]
            raise DataError(
                f"message {first.offset} of partition {first.partition} cannot be read: {first.reason}",
                hint="mend the query of the pipe; ON_ERROR = QUARANTINE puts such messages aside",
            )
        return bool(found)

    def quarantine(self, batch: TopicBatch) -> None:
        """The messages that are left out, as they are; each of them once."""
        if batch.bad and self._copy.on_error is not OnError.CONTINUE:
            quarantine(
                self._target,
                self._key,
                lambda start, table: self._after_rejected(start, table, batch),
                lambda start: self._rejected_rows(start, batch),
                self._session,
            )

    def _first_offsets(self) -> Offsets:
        """Where a pipe begins: as its settings say, else where its consumer group was, else at the start."""
        match self._settings.reset_offsets:
            case "earliest":
                return self.topic.earliest()
            case "latest":
                return self.topic.latest()
            case "none" | "valid":
                committed = self.topic.committed() if self._source.group else {}
                return self.topic.earliest() | committed
            case milliseconds:
                return self.topic.at(int(milliseconds))

    def _batch(self, position: TopicPosition) -> TopicBatch | None:
        start, end = next_range(
            position.offsets,
            self.topic.earliest(),
            latest := self.topic.latest(),
            self._settings.batch_size_per_partition,
            may_lose=self._settings.reset_offsets in ("valid", "earliest"),
        )
        if start == end:
            return None
        return TopicBatch(self, start, end, position.skipped, end != latest)

    def _failing(self, start: Offsets, end: Offsets, known: Sequence[BadMessage]) -> Iterator[BadMessage]:
        """By halving the range again and again."""
        try:
            with self.selection(start, end, known) as query:
                self._session.compute(self._as_written(query), "")
        except DataError as error:
            parts = halves(start, end)
            if len(parts) == 1:
                (partition,) = (each for each in start if end[each] > start[each])
                yield BadMessage(partition, start[partition], error.message)
                return
            for part in parts:
                yield from self._failing(*part, known)

    def _as_written(self, query: str) -> str:
        """It fails for the values that the table does not take, too."""
        fields = {field.name.lower(): field for field in self._table.fields}
        wanted = [each.text.lower() for each in self._copy.columns] or list(fields)
        written = ", ".join(_as_written(fields[each], f"c{place}") for place, each in enumerate(wanted))
        given = ", ".join(f"c{place}" for place in range(len(wanted)))
        return f"SELECT {written} FROM ({query}) AS given({given})"

    @property
    def _table(self) -> Table:
        return self._session.catalog.existing_table(self._target)

    def _after_rejected(self, start: str | None, table: Table, batch: TopicBatch) -> str | None:
        return batch.end if self._not_rejected_before(start, batch) else None

    def _not_rejected_before(self, start: str | None, batch: TopicBatch) -> list[BadMessage]:
        known = read_position(start, self._source.topic)
        reached = known.offsets if known is not None else {}
        return [each for each in batch.bad if each.offset >= reached.get(each.partition, 0)]

    def _rejected_rows(self, start: str | None, batch: TopicBatch) -> str:
        """Read one by one, as they are few."""
        parts = []
        now = int(self._clock().timestamp() * 1_000_000)
        for each in self._not_rejected_before(start, batch):
            raw = self._raw_value(each)
            parts.append(
                f"SELECT timestamp_micros({now}), {quote_string(self._source.topic)},"
                f" '{each.partition}:{each.offset}', {quote_string(each.reason)}, {raw}"
            )
        return " UNION ALL ".join(parts)

    def _raw_value(self, message: BadMessage) -> str:
        start = {message.partition: message.offset}
        with self.topic.rows(start, {message.partition: message.offset + 1}) as raw:
            text = raw_text(self._source.value_format)
            found = self._session.run(f"SELECT {text} FROM {raw}").arrow().column(0).to_pylist()
        return "CAST(NULL AS STRING)" if not found or found[0] is None else quote_string(found[0])


def _as_written(field: Field, value: str) -> str:
    written = f"CAST({value} AS {sql_type(field.type)})"
    if not field.is_required:
        return written
    reason = quote_string(f"column {field.name} cannot be NULL")
    return f"CASE WHEN {value} IS NULL THEN raise_error({reason}) ELSE {written} END"


def expect_brokers(source: KafkaSource, sandbox: Sandbox) -> None:
    if not all(server.strip() in sandbox.brokers for server in source.servers.split(",")):
        raise Refused(f"read_kafka('{source.servers}') reaches outside the lake", hint=OUTSIDE_HINT)
    for url in registry_urls(source):
        if registry_address(url) not in sandbox.brokers:
            raise Refused(f"the schema registry {url} reaches outside the lake", hint=OUTSIDE_HINT)
