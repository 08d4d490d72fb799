"""Of pipes from Kafka: what is done, in order.

``{t}`` is the table, its topic and its pipe; ``{servers}`` are the brokers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fails:
    statement: str
    message: str


@dataclass(frozen=True)
class Sends:
    """To the one partition of the topic, which is made by the first of these."""

    messages: tuple[str, ...]


Step = str | Fails | Sends
"""A text is a statement that succeeds."""


@dataclass(frozen=True)
class KafkaMistake:
    what: str
    steps: tuple[Step, ...]
    ids: tuple[int, ...] = (1,)
    """In the table at the end."""


_ID = "CAST(get_json_object(value, '$.id') AS INT)"
_RUN = "EXECUTE PIPE {t}"
_PAUSE_AT_FIRST = "MAX_SKIP_BATCH_COUNT_ON_ERROR = 0"


def _pipe(
    arguments: str = "'{servers}', '{t}', value_format => 'text'",
    options: str = "",
    select: str = _ID,
) -> str:
    return (
        f"CREATE PIPE {{t}} {options} AS COPY INTO {{t}} FROM (SELECT {select} FROM read_kafka({arguments}))"
    )


def _sends(*messages: str) -> Sends:
    return Sends(messages)


_GOOD = _sends('{"id": 1}')

KAFKA_MISTAKES = (
    KafkaMistake(
        "a broker that does not answer",
        (
            _GOOD,
            Fails(
                _pipe("'127.0.0.1:1', '{t}', options => map('default.api.timeout.ms', '1000')"),
                "^Kafka at 127.0.0.1:1 cannot be reached",
            ),
            *(_pipe(), _RUN),
        ),
    ),
    KafkaMistake(
        "a host without a port",
        (_GOOD, Fails(_pipe("'localhost', '{t}'"), "localhost"), _pipe(), _RUN),
    ),
    KafkaMistake(
        "a topic that is created later",
        (Fails(_pipe(), "^topic {t} does not exist on {servers}"), _GOOD, _pipe(), _RUN),
    ),
    KafkaMistake(
        "a topic without messages",
        (_sends(), _pipe(), _RUN, _GOOD, _RUN),
    ),
    KafkaMistake(
        "a secret that is not stored",
        (
            _GOOD,
            Fails(
                _pipe(
                    "'{servers}', '{t}', options => map('sasl.username', 'u', 'sasl.mechanism', 'PLAIN',"
                    " 'sasl.password', secret('none'))"
                ),
                "^secret none does not exist",
            ),
            *(_pipe(), _RUN),
        ),
    ),
    KafkaMistake(
        "a mechanism that is not supported",
        (
            _GOOD,
            Fails(
                _pipe("'{servers}', '{t}', options => map('sasl.username', 'u', 'sasl.mechanism', 'GSSAPI')"),
                "^sasl.mechanism GSSAPI is not supported",
            ),
            *(_pipe(), _RUN),
        ),
    ),
    KafkaMistake(
        "a column that messages do not have",
        (_GOOD, Fails(_pipe(select="payload"), "^column payload does not exist"), _pipe(), _RUN),
    ),
    KafkaMistake(
        "a message that the query fails for",
        (
            _sends('{"id": 1}', '{"id": "x"}', '{"id": 2}'),
            _pipe(options=_PAUSE_AT_FIRST),
            Fails(_RUN, "^message 1 of partition 0 cannot be read: "),
            "ALTER PIPE {t} SET MAX_SKIP_BATCH_COUNT_ON_ERROR = 1",
            _RUN,
        ),
        ids=(1, 2),
    ),
    KafkaMistake(
        "a number that is too large for the column",
        (
            _sends('{"id": 3000000000}'),
            _pipe(select="CAST(get_json_object(value, '$.id') AS BIGINT)", options=_PAUSE_AT_FIRST),
            Fails(_RUN, "^message 0 of partition 0 cannot be read: .* out of the range of int"),
            "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT",
            _RUN,
        ),
        ids=(3000000000,),
    ),
    KafkaMistake(
        "NULL for a column that is NOT NULL",
        (
            "CREATE OR REPLACE TABLE {t} (id INT NOT NULL)",
            _sends('{"number": 7}', '{"id": 1}'),
            _pipe(options=_PAUSE_AT_FIRST),
            Fails(_RUN, "^message 0 of partition 0 cannot be read: column id cannot be NULL"),
            "ALTER PIPE {t} SET MAX_SKIP_BATCH_COUNT_ON_ERROR = 1",
            _RUN,
        ),
    ),
    KafkaMistake(
        "a table that was dropped",
        (
            *(_GOOD, _pipe(), "DROP TABLE {t}"),
            Fails(_RUN, "^table lake.public.{t} does not exist"),
            *("UNDROP TABLE {t}", _RUN),
        ),
    ),
    KafkaMistake(
        "a column that was dropped",
        (
            *(_GOOD, "ALTER TABLE {t} ADD COLUMN extra INT", _pipe(select=f"{_ID}, 0")),
            *("ALTER TABLE {t} DROP COLUMN extra", Fails(_RUN, "column")),
            *("ALTER TABLE {t} ADD COLUMN extra INT", _RUN),
        ),
    ),
)
