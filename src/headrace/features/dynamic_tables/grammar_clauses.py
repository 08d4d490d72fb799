"""The clauses of CREATE DYNAMIC TABLE between its name and AS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from headrace.model.counted import counted
from headrace.model.dynamic_table import RequestedMode
from headrace.model.quoting import show_identifier
from headrace.sql.parsing.properties import read_properties
from headrace.sql.parsing.statements import ColumnSpec, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind, Token, tokenize
from headrace.sql.tokens.positions import Span, splice

REFRESH_INTERVAL = "REFRESH INTERVAL"
INTERVAL_FORM = f"{REFRESH_INTERVAL} 5 MINUTE"
LONGEST_INTERVAL = 100 * 365 * 86400
UNITS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400}


@dataclass
class Clauses:
    """What has been read so far."""

    columns: tuple[ColumnSpec, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    clustered_by: tuple[str, ...] = ()
    comment: str | None = None
    properties: dict[str, str] = field(default_factory=dict)
    interval_seconds: int | None = None
    start_at: str | None = None
    cluster: str | None = None
    mode: RequestedMode = RequestedMode.AUTO
    places: dict[str, Span] = field(default_factory=dict)
    """Of each clause seen, from its first word to its last."""

    @contextmanager
    def once(self, cursor: TokenReader, clause: str, start: Span) -> Iterator[None]:
        """Around the reading of a clause that starts at ``start``."""
        if clause in self.places:
            raise cursor.error(f"{clause} is given twice", start)
        self.places[clause] = start
        yield
        self.places[clause] = start.to(cursor.span_before)


def read_clauses(cursor: TokenReader) -> Clauses:
    clauses = Clauses()
    if cursor.at("("):
        with clauses.once(cursor, "COLUMNS", cursor.span):
            clauses.columns = _columns(cursor)
    while not cursor.done and not cursor.at("AS"):
        _read_clause(cursor, clauses)
    return clauses


def _read_clause(cursor: TokenReader, clauses: Clauses) -> None:
    start = cursor.span
    for words, clause, read in _CLAUSES:
        if cursor.take(*words):
            with clauses.once(cursor, clause, start):
                read(cursor, clauses)
            return
    if cursor.at("INTERVAL") or cursor.at("START", "WITH"):
        raise cursor.error(f"{cursor.next().upper} must directly follow REFRESH", start, INTERVAL_FORM)
    if cursor.at_any("SELECT", "WITH", "FROM", "VALUES"):
        raise cursor.error("expected AS before the query")
    raise cursor.error(f"unexpected {cursor.next().text}", start)


def _columns(cursor: TokenReader) -> tuple[ColumnSpec, ...]:
    cursor.expect("(")
    columns: list[ColumnSpec] = []
    while True:
        columns.append(_column(cursor, {column.name.lower() for column in columns}))
        if cursor.take(")"):
            return tuple(columns)
        if not cursor.take(","):
            raise cursor.error(f"expected , or ) after the column{cursor.found()}")


def _column(cursor: TokenReader, taken: set[str]) -> ColumnSpec:
    token = cursor.identifier("a column name")
    if token.value.lower() in taken:
        raise cursor.error(f"column {token.value} is given twice", token.span)
    type_span = None if cursor.at_any(",", ")", "COMMENT") else _column_type(cursor)
    column_type = type_span.of(cursor.text) if type_span else None
    comment = cursor.string("a comment") if cursor.take("COMMENT") else None
    return ColumnSpec(token.value, column_type, comment, token.span, type_span)


def _column_type(cursor: TokenReader) -> Span:
    start = last = cursor.span
    depth = 0
    while cursor.token and (depth or not cursor.at_any(",", ")", "COMMENT")):
        if cursor.at_any("NOT", "DEFAULT", "GENERATED", "PRIMARY", "CHECK"):
            raise cursor.error(f"{cursor.token.upper} is not supported here: the query determines the values")
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(cursor.token.upper, 0)
        last = cursor.next().span
    return start.to(last)


def _partitioned_by(cursor: TokenReader, clauses: Clauses) -> None:
    clauses.partitioned_by = tuple(part.text for part in cursor.parenthesized("a partition expression"))


def _clustered_by(cursor: TokenReader, clauses: Clauses) -> None:
    clauses.clustered_by = tuple(part.text for part in cursor.parenthesized("a column"))
    if cursor.at_any("INTO", "SORTED"):
        hint = "CLUSTERED BY (a, b); for hash buckets use PARTITIONED BY (bucket(16, a))"
        raise cursor.error("CLUSTERED BY accepts only columns, not buckets", hint=hint)


_ORDER_WORDS = frozenset({"ASC", "DESC", "NULLS", "FIRST", "LAST"})


def columns_in(text: str, clause: Span) -> list[tuple[str, Span]]:
    """Names of columns in a PARTITIONED BY or CLUSTERED BY clause of ``text``, with their places."""
    tokens = tokenize(clause.of(text))[3:]
    return [(token.value, token.span.shifted(clause.start)) for token in _column_tokens(tokens)]


def rename_column_in(part: str, old: str, new: str) -> str:
    """``part`` of a PARTITIONED BY or CLUSTERED BY clause, with a column under its new name."""
    places = [token.span for token in _column_tokens(tokenize(part)) if token.value.lower() == old.lower()]
    return splice(part, [(span, show_identifier(new)) for span in places])


def _column_tokens(tokens: Sequence[Token]) -> list[Token]:
    following = [*(token.text for token in tokens[1:]), ""]
    before = ["", *(token.text for token in tokens)]
    return [
        token
        for token, previous, after in zip(tokens, before, following, strict=False)
        if token.is_name and after != "(" and previous != "." and token.upper not in _ORDER_WORDS
    ]


def _comment(cursor: TokenReader, clauses: Clauses) -> None:
    clauses.comment = cursor.string("a comment")


def _properties(cursor: TokenReader, clauses: Clauses) -> None:
    clauses.properties = {each.name.text: each.value.text for each in read_properties(cursor)}


def _refresh(cursor: TokenReader, clauses: Clauses) -> None:
    before = len(clauses.places)
    while True:
        start = cursor.span
        if cursor.take("START", "WITH"):
            with clauses.once(cursor, "START WITH", start):
                clauses.start_at = _timestamp(cursor)
        elif cursor.take("INTERVAL"):
            with clauses.once(cursor, "INTERVAL", start):
                clauses.interval_seconds = read_interval(cursor)
        elif "REFRESH VCLUSTER" not in clauses.places and cursor.take("VCLUSTER"):
            with clauses.once(cursor, "REFRESH VCLUSTER", start):
                _set_cluster(cursor, clauses)
        else:
            break
    if len(clauses.places) == before:
        raise cursor.error(f"expected START WITH, INTERVAL or VCLUSTER after REFRESH{cursor.found()}")


def _vcluster(cursor: TokenReader, clauses: Clauses) -> None:
    _set_cluster(cursor, clauses)


def _set_cluster(cursor: TokenReader, clauses: Clauses) -> None:
    cluster = read_cluster(cursor)
    if clauses.cluster is not None and clauses.cluster.lower() != cluster.text.lower():
        message = f"two different clusters are given: {clauses.cluster} and {cluster.text}"
        raise cursor.error(message, cluster.span)
    clauses.cluster = cluster.text


def read_cluster(cursor: TokenReader) -> Word:
    if cursor.token and cursor.token.kind is Kind.STRING:
        return cursor.quoted_word("a cluster")
    return cursor.word("the name of a cluster")


def _timestamp(cursor: TokenReader) -> str:
    if not (cursor.take("TIMESTAMP") or cursor.take("TIMESTAMP_LTZ") or cursor.take("TIMESTAMP_NTZ")):
        cursor.take("DATE")
    if cursor.token is None or cursor.token.kind is not Kind.STRING:
        hint = "START WITH '2024-01-01 00:00:00'"
        raise cursor.error(f"START WITH requires a timestamp in quotes{cursor.found()}", hint=hint)
    return cursor.string("a timestamp")


def _refresh_mode(cursor: TokenReader, clauses: Clauses) -> None:
    clauses.mode = read_mode(cursor)


def read_mode(cursor: TokenReader) -> RequestedMode:
    """What follows REFRESH_MODE."""
    cursor.take("=")
    modes = ", ".join(RequestedMode)
    if not cursor.at_any(*RequestedMode):
        raise cursor.error(f"REFRESH_MODE must be one of {modes}{cursor.found()}")
    return RequestedMode(cursor.next().upper)


_CLAUSES: tuple[tuple[tuple[str, ...], str, Callable[[TokenReader, Clauses], None]], ...] = (
    (("PARTITIONED", "BY"), "PARTITIONED BY", _partitioned_by),
    (("CLUSTERED", "BY"), "CLUSTERED BY", _clustered_by),
    (("COMMENT",), "COMMENT", _comment),
    (("PROPERTIES",), "PROPERTIES", _properties),
    (("TBLPROPERTIES",), "PROPERTIES", _properties),
    (("REFRESH",), "REFRESH", _refresh),
    (("VCLUSTER",), "VCLUSTER", _vcluster),
    (("REFRESH_MODE",), "REFRESH_MODE", _refresh_mode),
)
"""First words, the name errors use, and the function that reads the rest."""

_QUANTITY = re.compile(r"\s*([+-]?[0-9]*\.?[0-9]*)\s*([A-Za-z_]*)\s*")


def read_interval(cursor: TokenReader, words: str = REFRESH_INTERVAL) -> int:
    """Seconds of what follows INTERVAL: ``5 MINUTE``, ``'5' MINUTE`` or ``'5 MINUTE'``."""
    start = cursor.span
    form = f"{words} 5 MINUTE"
    number, unit = _quantity(cursor, form)
    if not unit:
        token = cursor.token
        if token is None or token.kind is not Kind.WORD or token.upper == "AS":
            raise cursor.error(f"the interval requires a unit: {_unit_names()}", hint=form)
        unit_span, unit = token.span, cursor.next().upper
    else:
        unit_span = start
    seconds = UNITS.get(unit.removesuffix("S"))
    if seconds is None:
        message = f"{unit} is not a valid unit for a {words.lower()}: use {_unit_names()}"
        raise cursor.error(message, unit_span, form)
    if not number.isdigit() or not number.strip("0"):
        raise cursor.error(
            f"the interval must be a whole number greater than zero, not {number}", start, form
        )
    if cursor.token and cursor.token.kind in (Kind.NUMBER, Kind.STRING):
        raise cursor.error("an interval must have one number and one unit", hint=f"{words} 90 MINUTE")
    if len(number) > len(str(LONGEST_INTERVAL)) or int(number) * seconds > LONGEST_INTERVAL:
        raise cursor.error("the interval cannot be longer than 100 years", start, form)
    return int(number) * seconds


def _quantity(cursor: TokenReader, form: str) -> tuple[str, str]:
    """Number and, where it was in the same quotes, unit."""
    sign = cursor.next().text if cursor.at_any("-", "+") else ""
    token = cursor.token
    if token and token.kind is Kind.NUMBER:
        return sign.strip("+") + cursor.next().text, ""
    found = _QUANTITY.fullmatch(token.value) if token and token.kind is Kind.STRING else None
    if found is None or not found.group(1):
        raise cursor.error(f"the interval requires a number{cursor.found()}", hint=form)
    cursor.next()
    return sign.strip("+") + found.group(1).removeprefix("+"), found.group(2).upper()


def show_interval(seconds: int) -> str:
    """In the largest unit that divides it: ``1 minute``, ``90 seconds``."""
    unit, size = next((unit, size) for unit, size in reversed(UNITS.items()) if seconds % size == 0)
    return counted(seconds // size, unit.lower())


def _unit_names() -> str:
    *rest, last = UNITS
    return f"{', '.join(rest)} or {last}"
