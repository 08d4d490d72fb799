"""Messages as the columns that ``read_kafka`` gives, with key and value in the formats of the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from headrace.errors import NotFound, OperationalError
from headrace.features.pipes.model import KafkaSource, MessageFormat
from headrace.ingest.kafka.client_options import SecretValue
from headrace.ingest.kafka.schema_options import AvroColumn, avro_columns
from headrace.ingest.kafka.schema_registry import Registry, fetch_schema
from headrace.lake.external.avro_messages import SchemasById, avro_view
from headrace.lake.external.file_frames import query_view
from headrace.lake.session import LakeSession

_COLUMNS = ("topic", "partition", "offset", "timestamp")
_TIMESTAMP_TYPE = "CASE timestampType WHEN 0 THEN 'CreateTime' WHEN 1 THEN 'LogAppendTime' END"
_MOST_SCHEMAS = 1000
"""Of one batch."""


@dataclass
class BadMessage:
    partition: int
    offset: int
    reason: str


@contextmanager
def message_view(
    source: KafkaSource,
    raw: str,
    without: Sequence[BadMessage],
    session: LakeSession,
    secret_value: SecretValue,
) -> Iterator[str]:
    """A view over the one that Spark's source gives."""
    with ExitStack() as stack:
        view = stack.enter_context(query_view(_messages(source, raw, without), session))
        for column in avro_columns(source, secret_value):
            schema = _schema(column, view, session)
            view = stack.enter_context(avro_view(view, column.name, schema, session))
        yield view


def schemas_by_id(registry: Registry, ids: Iterable[int]) -> SchemasById:
    """An id that the registry does not know makes a message bad; a registry that fails stops the batch."""
    schemas, missing = {}, {}
    for number in ids:
        try:
            schemas[number] = fetch_schema(registry, number)
        except NotFound as error:
            missing[number] = error.message
    return SchemasById(schemas, missing)


def raw_text(message_format: MessageFormat) -> str:
    """The value of a message that cannot be read, as text."""
    return "base64(value)" if message_format is MessageFormat.AVRO else "CAST(value AS STRING)"


def _schema(column: AvroColumn, view: str, session: LakeSession) -> str | SchemasById:
    match column.schema:
        case Registry():
            return schemas_by_id(column.schema, _ids(column.name, view, session))
        case str():
            return column.schema


def _ids(column: str, view: str, session: LakeSession) -> list[int]:
    """The ids of schemas that messages name."""
    found = session.run(
        f"SELECT DISTINCT substring({column}, 2, 4) FROM {view}"
        f" WHERE octet_length({column}) >= 5 AND substring({column}, 1, 1) = X'00' LIMIT {_MOST_SCHEMAS + 1}"
    )
    ids = [int.from_bytes(each, "big", signed=True) for each in found.arrow().column(0).to_pylist()]
    if len(ids) > _MOST_SCHEMAS:
        raise OperationalError(
            f"the messages name more than {_MOST_SCHEMAS} schemas",
            hint=f"if they do not begin with byte 0 and the id of a schema, use {column}.avro.schema",
        )
    return ids


def _messages(source: KafkaSource, raw: str, without: Sequence[BadMessage]) -> str:
    columns = [
        _decoded("key", source.key_format),
        _decoded("value", source.value_format),
        *_COLUMNS,
        f"{_TIMESTAMP_TYPE} AS timestamp_type",
    ]
    left_out = " OR ".join(f"(partition = {each.partition} AND offset = {each.offset})" for each in without)
    condition = f" WHERE NOT ({left_out})" if left_out else ""
    return f"SELECT {', '.join(columns)} FROM {raw}{condition}"


def _decoded(column: str, message_format: MessageFormat) -> str:
    match message_format:
        case MessageFormat.RAW | MessageFormat.AVRO:
            return column
        case MessageFormat.TEXT:
            return f"CAST({column} AS STRING) AS {column}"
        case MessageFormat.JSON:
            return f"parse_json(CAST({column} AS STRING)) AS {column}"
