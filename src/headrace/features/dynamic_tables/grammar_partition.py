"""``(column = literal, ...)`` after PARTITION."""

from __future__ import annotations

import re

from headrace.features.dynamic_tables.grammar_statements import PartitionValue
from headrace.sql.parsing.statements import Expression
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ")
_TYPE_SUFFIX = re.compile(r"(?:bd|[lsydf])$", re.IGNORECASE)


def read_partition(cursor: TokenReader) -> tuple[PartitionValue, ...]:
    cursor.expect("(")
    values: list[PartitionValue] = []
    while True:
        values.append(_partition_value(cursor, {each.column.text.lower() for each in values}))
        if cursor.take(")"):
            return tuple(values)
        if not cursor.take(","):
            raise cursor.error(f"expected , or ) after the value{cursor.found()}")


def _partition_value(cursor: TokenReader, taken: set[str]) -> PartitionValue:
    column = cursor.word("a partition column")
    if column.text.lower() in taken:
        raise cursor.error(f"column {column.text} is given twice", column.span)
    if not cursor.take("=="):
        cursor.expect("=")
    start = cursor.span
    value = _value(cursor)
    span = start.to(cursor.span_before)
    return PartitionValue(column, value, Expression(span.of(cursor.text), span))


def _value(cursor: TokenReader) -> str | None:
    if cursor.take("NULL"):
        return None
    if cursor.at_any("TRUE", "FALSE"):
        return cursor.next().text.lower()
    if cursor.at_any(*_TYPES):
        kind = cursor.next().upper
        return cursor.string(f"a value after {kind}")
    sign = "-" if cursor.take("-") else ""
    if cursor.token and cursor.token.kind is Kind.NUMBER:
        return sign + _TYPE_SUFFIX.sub("", cursor.next().text)
    if not sign and cursor.token and cursor.token.kind is Kind.STRING:
        return cursor.string("a value")
    raise cursor.error(f"expected a string, a number, a date, a boolean or NULL{cursor.found()}")
