"""A script as the statements it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.lexer import Token, Tokens, tokenize, words_of


@dataclass(frozen=True)
class StatementText:
    """One statement from its first to its last token, without the closing semicolon."""

    text: str
    offset: int
    """Where it starts in the script."""
    in_script: Tokens | None = field(default=None, compare=False, repr=False)
    """Its tokens, with their places in the script; None if no script was split."""

    @cached_property
    def tokens(self) -> Tokens | None:
        """With their places in the statement."""
        if self.in_script is None or self.offset == 0:
            return self.in_script
        return tuple(token.shifted(-self.offset) for token in self.in_script)


def split(script: str) -> list[StatementText]:
    """The statements in order; empty ones and those that are only comments are left out."""
    return split_tokens(script, tokenize(script))


def split_tokens(script: str, tokens: Tokens) -> list[StatementText]:
    """The same of a script whose tokens are known."""
    return [_statement_text(script, each) for each, _ in _statements(tokens) if each]


def is_complete(text: str) -> bool:
    """Whether the text ends with the semicolon of a statement, so that a prompt may send it."""
    try:
        tokens = tokenize(text)
    except SqlSyntaxError:
        return False
    closed = [closed for _, closed in _statements(tokens)]
    return bool(closed) and closed[-1]


def opens_block(tokens: Tokens) -> bool:
    """Whether a statement is a scripting block, ``BEGIN ... END``, with or without a label."""
    words = words_of(tokens[:3])
    return words[:1] == ["BEGIN"] or words[1:] == [":", "BEGIN"]


def _statement_text(script: str, tokens: Tokens) -> StatementText:
    span = tokens[0].span.to(tokens[-1].span)
    return StatementText(span.of(script), span.start, tokens)


def _statements(tokens: Tokens) -> Iterator[tuple[Tokens, bool]]:
    """Tokens of each statement, and whether a semicolon closed it."""
    start = 0
    blocks = _Blocks()
    for index, token in enumerate(tokens):
        if token.upper == ";" and not blocks.open:
            yield tokens[start:index], True
            start, blocks = index + 1, _Blocks()
        elif blocks.open or opens_block(tokens[start : start + 3]):
            blocks.see(token)
    if start < len(tokens):
        yield tokens[start:], False


STATEMENT_STARTS = frozenset({";", ":", "BEGIN", "ATOMIC", "THEN", "ELSE", "DO", "LOOP", "REPEAT"})
"""Inside a block a statement follows one of these."""

_NO_DEPTH = frozenset({"IF", "WHILE", "LOOP", "REPEAT", "FOR"})


class _Blocks:
    """How many BEGIN and CASE wait for their END; other constructs always lie inside a BEGIN."""

    def __init__(self) -> None:
        self.open = 0
        self._previous = ";"
        self._in_handler = False

    def see(self, token: Token) -> None:
        word, previous = token.upper, self._previous
        self._previous = word
        if word == ";":
            self._in_handler = False
        elif word == "HANDLER":
            self._in_handler = True
        if previous in (".", "AS"):
            return
        match word:
            case "BEGIN" if previous in STATEMENT_STARTS or self._in_handler:
                self.open += 1
            case "CASE" if previous != "END":
                self.open += 1
            case "END":
                self.open -= 1
            case _ if previous == "END" and word in _NO_DEPTH:
                self.open += 1
