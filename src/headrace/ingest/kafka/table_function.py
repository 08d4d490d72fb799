"""``SELECT ... FROM read_kafka(...)``: some messages of a topic, to try a definition with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.commands.statement_context import StatementContext
from headrace.features.pipes import grammar_kafka
from headrace.features.pipes.model import KafkaSource
from headrace.ingest.kafka.client_options import check_options, client_properties
from headrace.ingest.kafka.messages import message_view
from headrace.ingest.kafka.offsets import Offsets
from headrace.ingest.kafka.topic_source import expect_brokers
from headrace.install.jars import Feature
from headrace.lake.external.kafka_client import KafkaTopic
from headrace.lake.spark.engine import expect_feature
from headrace.sql.parsing.token_reader import TokenReader

MOST_SELECTED = 10_000
"""Messages of each partition that a SELECT reads."""


@contextmanager
def read_kafka(cursor: TokenReader, context: StatementContext) -> Iterator[str]:
    source = grammar_kafka.read_kafka(cursor, cursor.span)
    expect_feature(Feature.KAFKA, "read_kafka")
    check_options(source)
    if context.session.sandbox is not None:
        expect_brokers(source, context.session.sandbox)
    topic = KafkaTopic(source.topic, client_properties(source, context.lake.secret_value), context.session)
    start, end = _range(source, topic)
    with (
        topic.rows(start, end) as raw,
        message_view(source, raw, (), context.session, context.lake.secret_value) as view,
    ):
        yield view


def _range(source: KafkaSource, topic: KafkaTopic) -> tuple[Offsets, Offsets]:
    """The first messages, or with ``latest`` the last ones."""
    first, last = topic.earliest(), topic.latest()
    if source.starting_offsets == "latest":
        return {each: max(first[each], last[each] - MOST_SELECTED) for each in last}, last
    return first, {each: min(last[each], first[each] + MOST_SELECTED) for each in last}
