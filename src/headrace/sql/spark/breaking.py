"""Which statements take away what others may read: a table, a view, some columns of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headrace.sql.spark.effects import Effect, EffectKind
from headrace.sql.tokens.lexer import Tokens, tokenize, words_of
from headrace.sql.tokens.positions import Span
from headrace.sql.tokens.targets import split_at_commas

_WHOLE = {
    EffectKind.DROP: "drops",
    EffectKind.RENAME: "renames",
    EffectKind.DROP_VIEW: "drops",
    EffectKind.REPLACE_VIEW: "changes",
    EffectKind.ALTER_VIEW: "changes",
}


@dataclass(frozen=True)
class Break:
    target: tuple[str, ...]
    span: Span
    verb: str
    columns: tuple[str, ...] | None = None
    """Those that go; None where it is the whole table or view."""


def breaks_in(effects: Iterable[Effect]) -> Iterator[Break]:
    for effect in effects:
        if effect.target is None:
            continue
        if effect.kind in _WHOLE:
            yield Break(effect.target, effect.span, _WHOLE[effect.kind])
        elif effect.kind is EffectKind.ALTER and (found := _columns(effect)) is not None:
            verb, columns = found
            yield Break(effect.target, effect.span, verb, columns)


def _columns(effect: Effect) -> tuple[str, tuple[str, ...]] | None:
    tokens = tokenize(effect.detail)
    match words_of(tokens[:2]):
        case ["DROP", "COLUMN" | "COLUMNS"]:
            return "drops", tuple(_listed(tokens[2:]))
        case ["RENAME", "COLUMN"]:
            return "renames", tuple(_listed(tokens[2:3]))
    return None


def _listed(tokens: Tokens) -> Iterator[str]:
    if words_of(tokens[:2]) == ["IF", "EXISTS"]:
        tokens = tokens[2:]
    if words_of(tokens[:1]) == ["("]:
        tokens = tokens[1:-1]
    for part in split_at_commas(tokens):
        if part:
            yield part[0].value
