"""Options of ``read_kafka`` that say where the schemas of Avro are: in the statement, or in a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headrace.errors import Refused
from headrace.features.pipes.model import KafkaSource, MessageFormat, Secret
from headrace.ingest.kafka.schema_registry import Registry, registry_address

USERNAME = "schema.registry.username"
PASSWORD = "schema.registry.password"  # noqa: S105  (the name of an option)
_COLUMNS = ("key", "value")
_SCHEMA = "avro.schema"
_REGISTRY = "schema.registry"
SCHEMA_OPTIONS = (
    *(f"{column}.{name}" for column in _COLUMNS for name in (_SCHEMA, _REGISTRY)),
    *(USERNAME, PASSWORD),
)


@dataclass(frozen=True)
class AvroColumn:
    name: str
    schema: str | Registry
    """Of all messages, or where the schema of each message is."""


def avro_columns(source: KafkaSource, secret_value: Callable[[str], str]) -> Iterator[AvroColumn]:
    for column in _avro(source):
        if f"{column}.{_SCHEMA}" in source.options:
            yield AvroColumn(column, _text(source, f"{column}.{_SCHEMA}"))
        else:
            url = _text(source, f"{column}.{_REGISTRY}")
            username, password = (_login(source, option, secret_value) for option in (USERNAME, PASSWORD))
            yield AvroColumn(column, Registry(url, username, password))


def registry_urls(source: KafkaSource) -> list[str]:
    names = (f"{column}.{_REGISTRY}" for column in _COLUMNS)
    return [_text(source, name) for name in names if name in source.options]


def check_schema_options(source: KafkaSource) -> None:
    avro = _avro(source)
    for column in _COLUMNS:
        given = [each for each in (f"{column}.{_SCHEMA}", f"{column}.{_REGISTRY}") if each in source.options]
        if given and column not in avro:
            raise Refused(f"the option {given[0]} requires {column}_format => 'avro'")
        if column in avro:
            _expect_one(column, given)
    for url in registry_urls(source):
        registry_address(url)
    _check_login(source)


def _expect_one(column: str, given: list[str]) -> None:
    options = f"{column}.{_SCHEMA} or {column}.{_REGISTRY}"
    if not given:
        raise Refused(
            f"{column}_format => 'avro' requires the option {options}",
            hint=f"options => map('{column}.{_REGISTRY}', 'http://registry:8081')",
        )
    if len(given) > 1:
        raise Refused(f"the options {' and '.join(given)} cannot be used together", hint="remove one of them")


def _check_login(source: KafkaSource) -> None:
    given = [each for each in (USERNAME, PASSWORD) if each in source.options]
    if given and not registry_urls(source):
        raise Refused(f"the option {given[0]} requires the option value.{_REGISTRY} or key.{_REGISTRY}")
    if len(given) == 1:
        raise Refused(f"the options {USERNAME} and {PASSWORD} must be used together")


def _avro(source: KafkaSource) -> list[str]:
    formats = zip(_COLUMNS, (source.key_format, source.value_format), strict=True)
    return [column for column, message_format in formats if message_format is MessageFormat.AVRO]


def _text(source: KafkaSource, option: str) -> str:
    value = source.options[option]
    if isinstance(value, Secret):
        raise Refused(f"the option {option} cannot be a secret", hint="write it as a string")
    return value


def _login(source: KafkaSource, option: str, secret_value: Callable[[str], str]) -> str:
    value = source.options.get(option, "")
    return secret_value(value.name) if isinstance(value, Secret) else value
