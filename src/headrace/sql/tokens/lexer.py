"""Words, literals and symbols of Spark SQL, each with its exact place in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.positions import Span, place_of

DEEPEST_COMMENT = 20
"""Spark takes 0.1 s to read 20 nested comments, and 4 s to read 160."""


class Kind(Enum):
    WORD = auto()
    """Keyword or plain identifier."""
    QUOTED = auto()
    """Identifier in backticks."""
    STRING = auto()
    NUMBER = auto()
    HINT = auto()
    """``/*+ ... */`` as a whole."""
    SYMBOL = auto()


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str
    """As typed."""
    span: Span

    @cached_property
    def upper(self) -> str:
        """The keyword this could be; empty for anything but a plain word or a symbol."""
        return self.text.upper() if self.kind in (Kind.WORD, Kind.SYMBOL) else ""

    @cached_property
    def value(self) -> str:
        """What it stands for, without quotes and escapes."""
        match self.kind:
            case Kind.QUOTED:
                return self.text[1:-1].replace("``", "`")
            case Kind.STRING:
                return _string_value(self.text)
            case _:
                return self.text

    @property
    def is_name(self) -> bool:
        return self.kind in (Kind.WORD, Kind.QUOTED)

    def shifted(self, offset: int) -> Token:
        return Token(self.kind, self.text, self.span.shifted(offset))


Tokens = tuple[Token, ...]


def words_of(tokens: Tokens) -> list[str]:
    return [token.upper for token in tokens]


def tokenize(text: str) -> Tokens:
    """All tokens; comments and white space are dropped."""
    tokens = []
    position = 0
    while position < len(text):
        kind, end = _next(text, position)
        if kind is not None:
            tokens.append(Token(kind, text[position:end], Span(position, end)))
        position = end
    return tuple(tokens)


_SPACE = re.compile(r"[\s\ufeff]+")
_LINE_COMMENT = re.compile(r"--(?:\\\n|[^\r\n])*")
_COMMENT_MARK = re.compile(r"/\*|\*/")
_RAW_STRING = re.compile(r"r'[^']*'|r\"[^\"]*\"", re.IGNORECASE)
_STRING = re.compile(r"'(?:[^'\\]++|\\.|'')*+'|\"(?:[^\"\\]++|\\.|\"\")*+\"", re.DOTALL)
_QUOTED = re.compile(r"`(?:[^`]++|``)*+`")
_DOLLAR_STRING = re.compile(r"(\$[A-Za-z]*\$).*?\1", re.DOTALL)
_NUMBER = re.compile(
    r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:e[+-]?[0-9]+)?(?:bd|[lsydf])?(?!\w)", re.IGNORECASE
)
_URI = re.compile(r"[^\W\d_]\w*://[\w/\-.?=&#%]+")
_WORD = re.compile(r"\w+")
_SYMBOL = re.compile(r"<=>|=>|->|::|\|\||\|>|<=|>=|<>|!=|==|.", re.DOTALL)

_UNTERMINATED = {
    "'": ("this string has no closing quote", "close it with '"),
    '"': ("this string has no closing quote", 'close it with "'),
    "`": ("this quoted name has no closing backtick", "close it with `"),
}


def _next(text: str, at: int) -> tuple[Kind | None, int]:
    if skipped := _SPACE.match(text, at) or _LINE_COMMENT.match(text, at):
        return None, skipped.end()
    if text.startswith("/*", at):
        kind = Kind.HINT if text.startswith("/*+", at) else None
        return kind, end_of_comment(text, at)
    for kind, pattern in _PATTERNS:
        if found := pattern.match(text, at):
            return kind, found.end()
        if kind is Kind.QUOTED and text[at] in _UNTERMINATED:
            message, hint = _UNTERMINATED[text[at]]
            raise SqlSyntaxError(message, hint=hint, place=place_of(text, Span(at, at + 1)))
    raise AssertionError("the last pattern matches any character")


_PATTERNS = (
    (Kind.STRING, _RAW_STRING),
    (Kind.STRING, _STRING),
    (Kind.QUOTED, _QUOTED),
    (Kind.STRING, _DOLLAR_STRING),
    (Kind.NUMBER, _NUMBER),
    (Kind.WORD, _URI),
    (Kind.WORD, _WORD),
    (Kind.SYMBOL, _SYMBOL),
)


def end_of_comment(text: str, start: int) -> int:
    depth = 0
    for mark in _COMMENT_MARK.finditer(text, start):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
        if depth > DEEPEST_COMMENT:
            raise SqlSyntaxError(
                f"comments are nested more than {DEEPEST_COMMENT} levels deep",
                hint="close a comment before the next one starts",
                place=place_of(text, Span(*mark.span())),
            )
    place = place_of(text, Span(start, start + 2))
    raise SqlSyntaxError("this comment has no end", hint="close it with */; comments nest", place=place)


_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-3][0-7]{2}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def _string_value(text: str) -> str:
    if text[0] in "rR":
        return text[2:-1]
    if text[0] == "$":
        tag = text[: text.index("$", 1) + 1]
        return text[len(tag) : -len(tag)]
    quote = text[0]
    doubled = text[1:-1].split(quote * 2)
    return quote.join(_ESCAPE.sub(_unescape, part) for part in doubled)


def _unescape(escape: re.Match[str]) -> str:
    body = escape.group(1)
    if len(body) == 1:
        return _SIMPLE_ESCAPES.get(body, body)
    code = int(body, 8) if body[0] not in "uU" else int(body[1:], 16)
    return chr(code) if code <= 0x10FFFF else escape.group()
