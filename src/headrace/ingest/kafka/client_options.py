"""Options of ``read_kafka`` as properties of Kafka's client: only those that name no class and no file."""

from __future__ import annotations

from collections.abc import Callable

from headrace.errors import NotSupportedError, Refused
from headrace.features.pipes.model import KafkaSource, Secret
from headrace.ingest.kafka.schema_options import PASSWORD, SCHEMA_OPTIONS, USERNAME, check_schema_options

_KNOWN = (
    *("security.protocol", "sasl.mechanism", "sasl.username", "sasl.password"),
    *(
        "ssl.truststore.certificates",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.key.password",
    ),
    *("ssl.endpoint.identification.algorithm", "client.id", "isolation.level"),
    *("request.timeout.ms", "default.api.timeout.ms", "fetch.max.bytes", "max.partition.fetch.bytes"),
    *SCHEMA_OPTIONS,
)
_NAMED = 5
"""Options that a message lists."""
_SECRET = ("sasl.password", "ssl.keystore.key", "ssl.key.password", PASSWORD)
_MAY_BE_SECRET = (
    *_SECRET,
    *("sasl.username", USERNAME),
    "ssl.truststore.certificates",
    "ssl.keystore.certificate.chain",
)
"""Kafka never shows the values of these. Of others it does, in errors that reach the user."""
_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}

SecretValue = Callable[[str], str]


def client_properties(source: KafkaSource, secret_value: SecretValue) -> dict[str, str]:
    """``secret_value`` gives what is stored under a name."""
    check_options(source)
    given = {
        key: secret_value(value.name) if isinstance(value, Secret) else value
        for key, value in source.options.items()
        if key not in SCHEMA_OPTIONS
    }
    properties = {"bootstrap.servers": source.servers, **given}
    if source.group:
        properties["group.id"] = source.group
    if "ssl.truststore.certificates" in given:
        properties["ssl.truststore.type"] = "PEM"
    if "ssl.keystore.key" in given:
        properties["ssl.keystore.type"] = "PEM"
    username, password = properties.pop("sasl.username", None), properties.pop("sasl.password", None)
    if username is not None or password is not None:
        properties["sasl.jaas.config"] = _login(
            given.get("sasl.mechanism", ""), username or "", password or ""
        )
    return properties


def check_options(source: KafkaSource) -> None:
    for key, value in source.options.items():
        if key not in _KNOWN:
            raise NotSupportedError(
                f"read_kafka has no option {key}", hint=f"options are {', '.join(_KNOWN[:_NAMED])} and others"
            )
        if key in _SECRET and not isinstance(value, Secret):
            raise Refused(
                f"the option {key} cannot be written into a statement",
                hint=f"store it with `headrace secret set NAME`, and write '{key}', secret('NAME')",
            )
        if isinstance(value, Secret) and key not in _MAY_BE_SECRET:
            raise Refused(f"the option {key} cannot be a secret", hint="write its value into the statement")
    check_schema_options(source)


def _login(mechanism: str, username: str, password: str) -> str:
    module = _MODULES.get(mechanism.upper())
    if module is None:
        raise NotSupportedError(
            f"sasl.mechanism {mechanism or '(none)'} is not supported", hint=f"use {', '.join(_MODULES)}"
        )
    return f"{module} required username={_quoted(username)} password={_quoted(password)};"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
