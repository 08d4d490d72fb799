"""``('key' = 'value', a.b = 1, ...)``, and the same without values."""

from __future__ import annotations

from headrace.sql.parsing.statements import Property, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

RETENTION = "data_retention_days"
"""A property that Headrace has to check before Spark stores it."""


def read_properties(cursor: TokenReader) -> tuple[Property, ...]:
    cursor.expect("(")
    properties: list[Property] = []
    while True:
        name = _new_name(cursor, [each.name for each in properties])
        if not cursor.take("="):
            cursor.take("==")
        properties.append(Property(name, _value(cursor, name)))
        if cursor.take(")"):
            return tuple(properties)
        if not cursor.take(","):
            raise cursor.error(f"expected , or ) after the property{cursor.found()}")


def read_property_names(cursor: TokenReader) -> tuple[Word, ...]:
    cursor.expect("(")
    names: list[Word] = []
    while True:
        names.append(_new_name(cursor, names))
        if cursor.take(")"):
            return tuple(names)
        if not cursor.take(","):
            raise cursor.error(f"expected , or ) after the name of a property{cursor.found()}")


def _new_name(cursor: TokenReader, taken: list[Word]) -> Word:
    name = _name(cursor)
    if any(name.text == other.text for other in taken):
        raise cursor.error(f"property {name.text} is given twice", name.span)
    return name


def _name(cursor: TokenReader) -> Word:
    if cursor.token and cursor.token.kind is Kind.STRING:
        return cursor.quoted_word("a property name")
    name = cursor.name("a property name", most_parts=None)
    return Word(".".join(name.parts), name.span)


def _value(cursor: TokenReader, name: Word) -> Word:
    start = cursor.span
    sign = "-" if cursor.take("-") else ""
    token = cursor.token
    if token and token.kind is Kind.NUMBER:
        return Word(sign + cursor.next().text, start.to(token.span))
    if not sign and token and cursor.at_any("TRUE", "FALSE"):
        return Word(cursor.next().text.lower(), token.span)
    if not sign and token and token.kind is Kind.STRING:
        return cursor.quoted_word("a value")
    raise cursor.error(f"property {name.text} requires a string, a number or a boolean{cursor.found()}")
