"""Which tables a statement of Spark's would change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.lexer import Tokens, tokenize, words_of
from headrace.sql.tokens.positions import Span
from headrace.sql.tokens.split import STATEMENT_STARTS, opens_block
from headrace.sql.tokens.targets import (
    after_explain,
    after_parentheses,
    executed_expression,
    literal_value,
    read_target,
    split_at_commas,
)


class EffectKind(StrEnum):
    INSERT = "INSERT"
    OVERWRITE = "INSERT OVERWRITE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    MERGE = "MERGE"
    TRUNCATE = "TRUNCATE TABLE"
    LOAD = "LOAD DATA"
    CREATE = "CREATE TABLE"
    REPLACE = "CREATE OR REPLACE TABLE"
    CREATE_VIEW = "CREATE VIEW"
    REPLACE_VIEW = "CREATE OR REPLACE VIEW"
    CREATE_TEMPORARY_VIEW = "CREATE TEMPORARY VIEW"
    ALTER = "ALTER TABLE"
    ALTER_VIEW = "ALTER VIEW"
    CREATE_SCHEMA = "CREATE SCHEMA"
    ALTER_SCHEMA = "ALTER SCHEMA"
    RENAME = "RENAME"
    COMMENT = "COMMENT ON TABLE"
    REPAIR = "REPAIR TABLE"
    DROP = "DROP TABLE"
    DROP_VIEW = "DROP VIEW"
    DROP_SCHEMA = "DROP SCHEMA"
    CALL = "CALL"
    EXECUTE_IMMEDIATE = "EXECUTE IMMEDIATE"
    USE = "USE"
    """Inside a block only: what it means for the names after it cannot be told."""


@dataclass(frozen=True)
class Argument:
    """Of CALL."""

    name: str | None
    value: str | None
    """Of a string literal; None for any other expression."""
    text: str


@dataclass(frozen=True)
class Effect:
    kind: EffectKind
    target: tuple[str, ...] | None
    """A table, view, schema or procedure; None where only running the statement would tell."""
    span: Span
    """Of the target in the text."""
    cascade: bool = False
    renamed_to: tuple[str, ...] | None = None
    arguments: tuple[Argument, ...] = ()
    detail: str = ""
    """What follows the target of ALTER, CREATE or DROP TABLE, or what EXECUTE IMMEDIATE would run."""


def effects_of(text: str, tokens: Tokens) -> tuple[Effect, ...]:
    """All effects in the order of the text; none for a query, ANALYZE or CACHE.

    EXPLAIN of a statement has its effects: what is refused has no plan.
    """
    tokens = after_explain(tokens)
    if not opens_block(tokens):
        return tuple(_of_statement(text, tokens))
    return tuple(effect for inner in _inner_statements(tokens) for effect in _in_block(text, inner))


def _in_block(text: str, tokens: Tokens) -> Iterator[Effect]:
    if _moves(tokens):
        yield Effect(EffectKind.USE, None, tokens[0].span)
    for effect in _of_statement(text, tokens):
        if effect.kind is EffectKind.EXECUTE_IMMEDIATE:
            yield replace(effect, detail="")  # only the block knows its variables
        else:
            yield effect


def _moves(tokens: Tokens) -> bool:
    """Whether a statement, or a literal that it executes, goes to another schema."""
    words = words_of(tokens[:2])
    if words == ["EXECUTE", "IMMEDIATE"] and (literal := literal_value(tokens[2:3])) is not None:
        return _moves(tokenize(literal))
    return words[:1] == ["USE"] or words == ["SET", "CATALOG"]


def _inner_statements(tokens: Tokens) -> Iterator[Tokens]:
    """Of a scripting block: from wherever a statement can start to the next semicolon."""
    ends = [index for index, token in enumerate(tokens) if token.upper == ";"] + [len(tokens)]
    in_handler = False
    for index, token in enumerate(tokens[1:], 1):
        previous = tokens[index - 1].upper
        in_handler = previous != ";" and (in_handler or previous == "HANDLER")
        starts_handled = in_handler and token.upper in _HANDLED
        if previous in STATEMENT_STARTS or starts_handled:
            yield tokens[index : ends[bisect_left(ends, index)]]


def _of_statement(text: str, tokens: Tokens) -> Iterator[Effect]:
    body = _after_ctes(tokens)
    words = words_of(body)
    if words[:1] == ["FROM"]:
        yield from _multi_insert(text, body)
    elif words[:2] == ["EXECUTE", "IMMEDIATE"]:
        yield from _execute_immediate(text, body[2:])
    elif words[:1] == ["CALL"]:
        yield _call(text, body)
    else:
        yield from _by_prefix(text, body)


def _after_ctes(tokens: Tokens) -> Tokens:
    """The statement without the WITH list in front of it."""
    if not tokens or tokens[0].upper != "WITH":
        return tokens
    index = 1
    while index < len(tokens):
        while index < len(tokens) and tokens[index].upper != "(":
            index += 1
        index = after_parentheses(tokens, index)
        if index < len(tokens) and tokens[index].upper in ("AS", "(", "MAX"):
            continue
        if index >= len(tokens) or tokens[index].upper != ",":
            break
    return tokens[index:]


def _multi_insert(text: str, tokens: Tokens) -> Iterator[Effect]:
    depth, starts = 0, list[int]()
    for index, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.upper, 0)
        if depth == 0 and token.upper == "INSERT" and tokens[index - 1].upper != ".":
            starts.append(index)
    for start, end in pairwise([*starts, len(tokens)]):
        yield from _by_prefix(text, tokens[start:end])


_TEMPORARY = (("GLOBAL", "TEMPORARY"), ("GLOBAL", "TEMP"), ("TEMPORARY",), ("TEMP",))
_SCHEMA = ("SCHEMA", "DATABASE", "NAMESPACE")
_NOT_EXISTS = ("IF", "NOT", "EXISTS")

_PREFIXES: tuple[tuple[tuple[str, ...], EffectKind], ...] = (
    (("INSERT", "OVERWRITE", "TABLE"), EffectKind.OVERWRITE),
    (("INSERT", "OVERWRITE"), EffectKind.OVERWRITE),
    (("INSERT", "INTO", "TABLE"), EffectKind.INSERT),
    (("INSERT", "INTO"), EffectKind.INSERT),
    (("UPDATE",), EffectKind.UPDATE),
    (("DELETE", "FROM"), EffectKind.DELETE),
    (("MERGE", "INTO"), EffectKind.MERGE),
    (("TRUNCATE", "TABLE"), EffectKind.TRUNCATE),
    (("CREATE", "OR", "REPLACE", "TABLE"), EffectKind.REPLACE),
    (("REPLACE", "TABLE"), EffectKind.REPLACE),
    (("CREATE", "TABLE"), EffectKind.CREATE),
    (("CREATE", "EXTERNAL", "TABLE"), EffectKind.CREATE),
    *((("CREATE", *words, "VIEW"), EffectKind.CREATE_TEMPORARY_VIEW) for words in _TEMPORARY),
    *(
        (("CREATE", "OR", "REPLACE", *words, "VIEW"), EffectKind.CREATE_TEMPORARY_VIEW)
        for words in _TEMPORARY
    ),
    (("CREATE", "OR", "REPLACE", "VIEW"), EffectKind.REPLACE_VIEW),
    (("CREATE", "VIEW"), EffectKind.CREATE_VIEW),
    (("ALTER", "TABLE"), EffectKind.ALTER),
    (("ALTER", "VIEW"), EffectKind.ALTER_VIEW),
    *((("CREATE", word), EffectKind.CREATE_SCHEMA) for word in _SCHEMA),
    *((("ALTER", word), EffectKind.ALTER_SCHEMA) for word in _SCHEMA),
    (("COMMENT", "ON", "TABLE"), EffectKind.COMMENT),
    (("MSCK", "REPAIR", "TABLE"), EffectKind.REPAIR),
    (("REPAIR", "TABLE"), EffectKind.REPAIR),
    (("DROP", "TABLE"), EffectKind.DROP),
    (("DROP", "VIEW"), EffectKind.DROP_VIEW),
    *((("DROP", word), EffectKind.DROP_SCHEMA) for word in _SCHEMA),
)
"""First words of a statement; the name of the target follows, after IF [NOT] EXISTS if given."""


_HANDLED = frozenset({words[0] for words, _ in _PREFIXES} | {"LOAD", "CALL", "EXECUTE", "WITH", "FROM"})
"""A handler's statement follows its condition without a keyword between."""


def _by_prefix(text: str, tokens: Tokens) -> Iterator[Effect]:
    tokens = _without_schema_evolution(tokens)
    words = words_of(tokens)
    if words[:2] == ["LOAD", "DATA"]:
        yield from _load(text, tokens, words)
        return
    for prefix, kind in _PREFIXES:
        if tuple(words[: len(prefix)]) == prefix:
            if not (_writes_directory(words) or _updates_merged_row(words)):
                yield _finish(text, kind, _after_condition(tokens[len(prefix) :]), tokens)
            return


def _without_schema_evolution(tokens: Tokens) -> Tokens:
    if words_of(tokens[1:4]) == ["WITH", "SCHEMA", "EVOLUTION"]:
        return tokens[:1] + tokens[4:]
    return tokens


def _writes_directory(words: list[str]) -> bool:
    follows = words[2:] if words[:2] == ["INSERT", "OVERWRITE"] else []
    return follows[:1] == ["DIRECTORY"] or follows[:2] == ["LOCAL", "DIRECTORY"]


def _updates_merged_row(words: list[str]) -> bool:
    """Whether this is the UPDATE SET of a MERGE, not the UPDATE of a table called set."""
    return words[:2] == ["UPDATE", "SET"] and (words[2:3] != ["SET"] or words[3:4] in (["="], ["."]))


def _load(text: str, tokens: Tokens, words: list[str]) -> Iterator[Effect]:
    for index in range(2, len(words) - 1):
        if words[index : index + 2] == ["INTO", "TABLE"]:
            yield _finish(text, EffectKind.LOAD, tokens[index + 2 :], tokens)
            return


def _after_condition(tokens: Tokens) -> Tokens:
    words = words_of(tokens[:3])
    if words == list(_NOT_EXISTS):
        return tokens[3:]
    return tokens[2:] if words[:2] == ["IF", "EXISTS"] else tokens


def _finish(text: str, kind: EffectKind, tokens: Tokens, statement: Tokens) -> Effect:
    target, span, rest = read_target(tokens, statement[-1].span)
    effect = Effect(kind, target, span)
    words = words_of(rest)
    match kind:
        case EffectKind.INSERT if words[:1] == ["REPLACE"]:
            return replace(effect, kind=EffectKind.OVERWRITE)
        case EffectKind.DROP_SCHEMA:
            return replace(effect, cascade="CASCADE" in words)
        case EffectKind.ALTER | EffectKind.ALTER_VIEW if words[:2] == ["RENAME", "TO"]:
            renamed_to, _, _ = read_target(rest[2:], span)
            return replace(effect, kind=EffectKind.RENAME, renamed_to=renamed_to, detail=_text(text, rest))
        case (
            EffectKind.ALTER
            | EffectKind.ALTER_VIEW
            | EffectKind.ALTER_SCHEMA
            | EffectKind.CREATE
            | EffectKind.DROP
        ):
            return replace(effect, detail=_text(text, rest))
        case _:
            return effect


def _text(text: str, tokens: Tokens) -> str:
    return tokens[0].span.to(tokens[-1].span).of(text) if tokens else ""


def _call(text: str, tokens: Tokens) -> Effect:
    target, span, rest = read_target(tokens[1:], tokens[0].span)
    inside = rest[1 : after_parentheses(rest, 0) - 1] if words_of(rest[:1]) == ["("] else ()
    arguments = tuple(_argument(text, part) for part in split_at_commas(inside) if part)
    return Effect(EffectKind.CALL, target, span, arguments=arguments)


def _argument(text: str, tokens: Tokens) -> Argument:
    is_named = len(tokens) > 1 and tokens[1].upper in ("=>", ":=")
    value = tokens[2:] if is_named else tokens
    return Argument(tokens[0].value if is_named else None, literal_value(value), _text(text, value))


def _execute_immediate(text: str, tokens: Tokens) -> Iterator[Effect]:
    expression = executed_expression(tokens)
    if not expression:
        return
    span = expression[0].span.to(expression[-1].span)
    unknown = Effect(EffectKind.EXECUTE_IMMEDIATE, None, span, detail=_text(text, expression))
    literal = literal_value(expression)
    if literal is None:
        yield unknown
        return
    try:
        yield from (replace(effect, span=span) for effect in effects_of(literal, tokenize(literal)))
    except SqlSyntaxError:
        yield unknown
