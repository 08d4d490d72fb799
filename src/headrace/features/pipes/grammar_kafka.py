"""``read_kafka(servers, topic, ...)``: arguments by position or by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.features.pipes.model import KafkaSource, MessageFormat, Secret
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind
from headrace.sql.tokens.positions import Span

READ_KAFKA_FORM = (
    "read_kafka('servers', 'topic', '', 'group', '', '', '', '', 'raw', 'raw', 0, map('option', 'value')),"
    " or by name: read_kafka(bootstrap_servers => 'servers', topic => 'topic', group_id => 'group', ...)"
)
_ARGUMENTS = (
    *("bootstrap_servers", "topic", "topic_pattern", "group_id", "starting_offsets", "ending_offsets"),
    *("starting_offsets_timestamp", "ending_offsets_timestamp", "key_format", "value_format", "max_errors"),
    "options",
)
_FIELDS = {
    "bootstrap_servers": "servers",
    "topic": "topic",
    "group_id": "group",
    "starting_offsets": "starting_offsets",
    "key_format": "key_format",
    "value_format": "value_format",
    "options": "options",
}
_UNUSED = (
    "topic_pattern",
    "ending_offsets",
    "starting_offsets_timestamp",
    "ending_offsets_timestamp",
    "max_errors",
)
"""They can only be empty: a pipe reads one topic, from where it was, without an end."""


def read_kafka(cursor: TokenReader, start: Span) -> KafkaSource:
    """Behind ``read_kafka (``, which begins at ``start``, up to the closing parenthesis."""
    hint = cursor.hint
    cursor.hint = READ_KAFKA_FORM
    given: dict[str, Any] = {}
    while not cursor.take(")"):
        name = _name(cursor, len(given))
        if name in given:
            raise cursor.error(f"the argument {name} is given twice", cursor.span_before)
        given[name] = _READERS.get(name, _text)(cursor)
        if name in _UNUSED and given[name] not in ("", "0"):
            raise cursor.error(f"the argument {name} is not supported", cursor.span_before, "leave it empty")
        if not cursor.take(",") and not cursor.at(")"):
            raise cursor.error(f"expected , or ) after an argument of read_kafka{cursor.found()}")
    span = start.to(cursor.span_before)
    for needed in ("bootstrap_servers", "topic"):
        if not given.get(needed):
            raise cursor.error(f"read_kafka requires {needed}", span)
    cursor.hint = hint
    return KafkaSource(**{_FIELDS[name]: given[name] for name in given if name in _FIELDS}, span=span)


def _name(cursor: TokenReader, number: int) -> str:
    following = cursor.ahead(1)
    if following is not None and following.upper == "=>":
        word = cursor.word("the name of an argument")
        cursor.expect("=>")
        if word.text.lower() not in _ARGUMENTS:
            raise cursor.error(f"read_kafka has no argument {word.text}", word.span)
        return word.text.lower()
    if number >= len(_ARGUMENTS):
        raise cursor.error(f"read_kafka has at most {len(_ARGUMENTS)} arguments")
    return _ARGUMENTS[number]


def _text(cursor: TokenReader) -> str:
    if cursor.token is not None and cursor.token.kind is Kind.NUMBER:
        return cursor.next().text
    return cursor.string("an argument")


def _format(cursor: TokenReader) -> MessageFormat:
    return MessageFormat(_one_of(cursor, tuple(MessageFormat)) or MessageFormat.RAW)


def _start(cursor: TokenReader) -> str:
    return _one_of(cursor, ("EARLIEST", "LATEST")).lower()


def _one_of(cursor: TokenReader, choices: Sequence[str]) -> str:
    """In capitals; empty if nothing is given."""
    start = cursor.span
    text = cursor.string("an argument")
    if text and text.upper() not in choices:
        listed = ", ".join(each.lower() for each in choices)
        raise cursor.error(f"expected one of {listed}, found {text}", start)
    return text.upper()


def _options(cursor: TokenReader) -> dict[str, str | Secret]:
    cursor.expect("MAP", "(")
    found: dict[str, str | Secret] = {}
    while not cursor.take(")"):
        key = cursor.string("the name of an option").removeprefix("kafka.")
        cursor.expect(",")
        found[key] = _value(cursor)
        if not cursor.take(",") and not cursor.at(")"):
            raise cursor.error(f"expected , or ) after an option{cursor.found()}")
    return found


def _value(cursor: TokenReader) -> str | Secret:
    if cursor.take("SECRET", "("):
        name = cursor.string("the name of a secret")
        cursor.expect(")")
        return Secret(name)
    return _text(cursor)


_READERS: dict[str, Callable[[TokenReader], Any]] = {
    "key_format": _format,
    "value_format": _format,
    "starting_offsets": _start,
    "options": _options,
}
