"""Function calls of a query by the names that the user wrote."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from headrace.sql.tokens.lexer import Kind, Token, Tokens
from headrace.sql.tokens.positions import Span
from headrace.sql.tokens.targets import after_parentheses, literal_value, split_at_commas


@dataclass(frozen=True)
class FunctionCall:
    name: str
    """In lower case, with its schema if one was given."""
    span: Span
    """Of the name alone."""
    argument_count: int
    literals: tuple[str, ...] = ()
    """Values of the arguments that are string literals."""
    parenless: bool = False
    """Written without parentheses: a column of that name, if there is one, comes first."""
    ordered: bool = False
    """Has WITHIN GROUP (ORDER BY ...)."""


@dataclass(frozen=True)
class SessionConfig:
    """``SESSION_CONFIGS()['key']``."""

    key: str | None
    """None where it is not a string literal."""
    span: Span


PARENLESS = frozenset(
    {
        "current_date",
        "current_time",
        "current_timestamp",
        "localtimestamp",
        "current_user",
        "session_user",
        "user",
    }
)

_KEYWORDS_BEFORE_PARENTHESES = frozenset(
    """
    ALL AND ANTI AS BETWEEN BY CASE CROSS CUBE DISTINCT DIV ELSE ESCAPE EXCEPT EXCLUDE FOR FROM FULL GROUP
    HAVING IDENTIFIER ILIKE IN INCLUDE INNER INTERSECT INTERVAL IS JOIN LATERAL LIKE LIMIT MINUS NATURAL NOT
    NULLS OF OFFSET ON OR ORDER OUTER OVER PARTITION PIVOT RECURSIVE REGEXP REPEATABLE RLIKE ROLLUP SELECT
    SEMI SETS SORT TABLE TABLESAMPLE THEN UNION UNPIVOT USING VALUES VIEW WHEN WHERE WITH
    """.split()  # noqa: SIM905  (a table of words)
)

_SIZED_TYPES = frozenset({"CHAR", "CHARACTER", "DEC", "DECIMAL", "NUMERIC", "VARCHAR"})
_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "("})

ORDER_DEPENDENT = frozenset(
    """
    any_value array_agg collect_list collect_set first first_value last last_value listagg max_by min_by mode
    string_agg
    approx_percentile approx_top_k approx_top_k_accumulate histogram_numeric hll_sketch_agg hll_union_agg
    kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float percentile_approx theta_sketch_agg
    theta_union_agg
    row_number lag lead ntile nth_value
    """.split()  # noqa: SIM905  (a table of words)
)
"""Aggregates that see rows in no defined order, approximations that depend on it, and window functions that
ties make ambiguous."""

_ORDERED_WITHIN_GROUP = frozenset({"listagg", "string_agg", "mode"})


def function_calls(tokens: Tokens, names: Collection[int]) -> tuple[FunctionCall, ...]:
    """All calls in order; ``names`` are offsets of identifiers known to name a table, alias or column."""
    return tuple(_calls(tokens, frozenset(names)))


def order_dependent(calls: Collection[FunctionCall]) -> tuple[FunctionCall, ...]:
    """Calls whose result may differ between two runs on the same rows."""
    return tuple(
        call
        for call in calls
        if call.name in ORDER_DEPENDENT and not (call.ordered and call.name in _ORDERED_WITHIN_GROUP)
    )


def _calls(tokens: Tokens, names: frozenset[int]) -> Iterator[FunctionCall]:
    for index, token in enumerate(tokens):
        if not token.is_name or token.span.start in names:
            continue
        if literal := _clock_literal(tokens[index : index + 2]):
            yield literal
        if index + 1 < len(tokens) and tokens[index + 1].text == "(":
            if is_call(tokens, index):
                yield _call(tokens, index)
        elif token.kind is Kind.WORD and token.text.lower() in PARENLESS and _stands_alone(tokens, index):
            yield FunctionCall(token.text.lower(), token.span, 0, parenless=True)


CLOCK_TYPES = ("date", "timestamp", "timestamp_ltz", "timestamp_ntz")
CLOCK_WORDS = ("now", "today", "yesterday", "tomorrow")
_CLOCK_LITERAL = re.compile(rf"\s*({'|'.join(CLOCK_WORDS)})\b", re.IGNORECASE)


def _clock_literal(tokens: Tokens) -> FunctionCall | None:
    """``TIMESTAMP 'now'`` or ``DATE 'today'``, which read the clock: a call named by its text."""
    if len(tokens) < 2 or tokens[0].text.lower() not in CLOCK_TYPES or tokens[1].kind is not Kind.STRING:
        return None
    word = _CLOCK_LITERAL.match(tokens[1].value)
    if word is None:
        return None
    name = f"{tokens[0].text.lower()} '{word.group(1).lower()}'"
    return FunctionCall(name, tokens[0].span.to(tokens[1].span), 0)


def is_call(tokens: Tokens, index: int) -> bool:
    word = tokens[index].upper
    previous = tokens[index - 1].upper if index else ""
    if word in _KEYWORDS_BEFORE_PARENTHESES or previous in ("AS", "::", ")"):
        return False
    if word in _SIZED_TYPES and previous in ("<", ":"):
        return False
    return word != "EXISTS" or tokens[index + 2].upper not in _QUERY_STARTS


def _stands_alone(tokens: Tokens, index: int) -> bool:
    previous = tokens[index - 1].upper if index else ""
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    return previous not in (".", "AS", "LEVEL") and following not in (".", "->", "=>")


def _call(tokens: Tokens, index: int) -> FunctionCall:
    first = index
    while first >= 2 and tokens[first - 1].text == "." and tokens[first - 2].is_name:
        first -= 2
    end = after_parentheses(tokens, index + 1)
    inside = tokens[index + 2 : end - 1]
    arguments = list(split_at_commas(inside)) if inside else []
    return FunctionCall(
        name=".".join(token.value.lower() for token in tokens[first : index + 1 : 2]),
        span=tokens[first].span.to(tokens[index].span),
        argument_count=len(arguments),
        literals=tuple(value for value in map(literal_value, arguments) if value is not None),
        ordered=end < len(tokens) and tokens[end].upper == "WITHIN",
    )


def clock_strings(tokens: Tokens) -> tuple[Span, ...]:
    """Strings such as ``'now'``, which read the clock wherever Spark makes a date or timestamp of them."""
    return tuple(
        token.span
        for token in tokens
        if token.kind is Kind.STRING and _CLOCK_LITERAL.match(token.value) is not None
    )


_METADATA_COLUMNS = frozenset(
    """
    _file _pos _partition _spec_id _deleted _row_id _last_updated_sequence_number
    """.split()  # noqa: SIM905  (a table of words)
)


def metadata_columns(tokens: Tokens) -> tuple[Token, ...]:
    """Columns that Iceberg adds to every table, unless the query gives that name to one of its own."""
    found = [token for token in tokens if token.is_name and token.value.lower() in _METADATA_COLUMNS]
    own = {after.value.lower() for before, after in pairwise(tokens) if before.upper == "AS"}
    return tuple(token for token in found if token.value.lower() not in own)


def session_configs(tokens: Tokens) -> tuple[SessionConfig, ...]:
    return tuple(
        _session_config(tokens, index)
        for index, token in enumerate(tokens)
        if token.upper == "SESSION_CONFIGS" and [t.text for t in tokens[index + 1 : index + 3]] == ["(", ")"]
    )


def _session_config(tokens: Tokens, index: int) -> SessionConfig:
    subscript = tokens[index + 3 : index + 6]
    shape = [token.upper or token.kind.name for token in subscript]
    if shape == ["[", "STRING", "]"]:
        return SessionConfig(subscript[1].value, tokens[index].span.to(subscript[2].span))
    return SessionConfig(None, tokens[index].span.to(tokens[index + 2].span))


def parameter_markers(tokens: Tokens) -> tuple[Span, ...]:
    """``?`` and ``:name``."""
    spans = []
    for index, token in enumerate(tokens):
        if token.text == "?" and token.kind is Kind.SYMBOL:
            spans.append(token.span)
        elif token.text == ":" and token.kind is Kind.SYMBOL and _names_a_parameter(tokens, index):
            spans.append(token.span.to(tokens[index + 1].span))
    return tuple(spans)


def _names_a_parameter(tokens: Tokens, index: int) -> bool:
    """``:name`` touches what follows; the ``:`` of a path or a struct touches what comes before."""
    colon = tokens[index].span
    before, after = tokens[index - 1 : index], tokens[index + 1 : index + 2]
    touches_name = bool(after) and after[0].is_name and after[0].span.start == colon.end
    ends_operand = bool(before) and (before[0].kind is not Kind.SYMBOL or before[0].text in (")", "]"))
    return touches_name and not (ends_operand and before[0].span.end == colon.start)
