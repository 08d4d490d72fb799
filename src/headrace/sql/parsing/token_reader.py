"""A position among the tokens of one statement, and the errors raised there."""

from __future__ import annotations

from headrace.errors import SqlSyntaxError
from headrace.sql.parsing.statements import Expression, Name, Word
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.sql.tokens.lexer import Kind, Token, Tokens
from headrace.sql.tokens.positions import Span, place_of

_NEVER_A_NAME = frozenset({"AS", "SELECT", "FROM", "WHERE", "LIKE", "LIMIT", "EXISTS"})
_OPENING = {"(": "parenthesis", "[": "bracket"}
_CLOSING = frozenset({")", "]"})
LARGEST_NUMBER = 2**63 - 1


class TokenReader:
    def __init__(self, text: str, tokens: Tokens) -> None:
        self.text = text
        self.hint: str | None = None
        """The expected form, shown with every error."""
        self._tokens = _without_trailing_semicolons(tokens)
        self._index = 0

    @property
    def token(self) -> Token | None:
        return self.ahead(0)

    @property
    def span(self) -> Span:
        """Of the current token, or of the place where one more was expected."""
        if self.token:
            return self.token.span
        end = self._tokens[-1].span.end if self._tokens else 0
        return Span(end, end)

    @property
    def span_before(self) -> Span:
        """Of the token stepped over last."""
        return self._tokens[self._index - 1].span

    @property
    def span_so_far(self) -> Span:
        """Of all tokens stepped over."""
        return self._tokens[0].span.to(self.span_before)

    @property
    def names_next(self) -> bool:
        """Whether a name comes next, and not the PARTITION (...) of a table named by the word before."""
        return self.token is not None and self.token.is_name and not self.at("PARTITION", "(")

    @property
    def done(self) -> bool:
        return self._index >= len(self._tokens)

    @property
    def upcoming(self) -> Tokens:
        return self._tokens[self._index :]

    def ahead(self, distance: int) -> Token | None:
        index = self._index + distance
        return self._tokens[index] if index < len(self._tokens) else None

    def at(self, *words: str) -> bool:
        """Whether the next tokens are exactly these keywords or symbols."""
        upcoming = self._tokens[self._index : self._index + len(words)]
        return tuple(token.upper for token in upcoming) == words

    def at_any(self, *words: str) -> bool:
        return self.token is not None and self.token.upper in words

    def take(self, *words: str) -> bool:
        """Steps over these keywords if they are next."""
        if not self.at(*words):
            return False
        self._index += len(words)
        return True

    def take_if_not_exists(self, or_replace: bool) -> bool:
        start = self.span
        taken = self.take("IF", "NOT", "EXISTS")
        if taken and or_replace:
            message = "OR REPLACE and IF NOT EXISTS cannot be used together"
            raise self.error(message, start, "remove one of them")
        return taken

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.take(word):
                raise self.error(f"expected {word}{self.found()}")

    def next(self) -> Token:
        token = self.token
        if token is None:
            raise self.error("unexpected end of the statement")
        self._index += 1
        return token

    def expect_end(self) -> None:
        if self.token:
            raise self.error(f"unexpected {self.token.text}")

    def found(self) -> str:
        return f", found {self.token.text}" if self.token else ", found the end of the statement"

    def error(self, message: str, span: Span | None = None, hint: str | None = None) -> SqlSyntaxError:
        return SqlSyntaxError(message, hint=hint or self.hint, place=place_of(self.text, span or self.span))

    def string(self, what: str) -> str:
        if self.token is None or self.token.kind is not Kind.STRING:
            raise self.error(f"expected {what} in quotes{self.found()}")
        value = ""
        while self.token and self.token.kind is Kind.STRING:
            value += self.next().value
        return value

    def quoted_word(self, what: str) -> Word:
        """The content of a string literal."""
        start = self.span
        value = self.string(what)
        return Word(value, start.to(self.span_before))

    def word(self, what: str) -> Word:
        """An identifier."""
        token = self.identifier(what)
        return Word(token.value, token.span)

    def identifier(self, what: str) -> Token:
        token = self.token
        if token is None or not token.is_name or token.upper in _NEVER_A_NAME:
            raise self.error(f"expected {what}{self.found()}")
        if not token.value:
            raise self.error(f"{what} cannot be empty")
        return self.next()

    def name(self, what: str, most_parts: int | None = 3) -> Name:
        """A dotted name, or ``IDENTIFIER('...')`` around one."""
        if self.at("IDENTIFIER", "("):
            name = self._identifier_clause()
        else:
            tokens = [self.identifier(what)]
            while self.take("."):
                tokens.append(self.identifier("a name after the dot"))
            name = Name(tuple(token.value for token in tokens), tokens[0].span.to(tokens[-1].span))
        self._check_name(name, most_parts)
        return name

    def whole_number(self, what: str) -> int:
        token = self.token
        if token is None or token.kind is not Kind.NUMBER or not token.text.isdigit():
            raise self.error(f"expected {what}{self.found()}")
        if len(token.text) > len(str(LARGEST_NUMBER)) or int(token.text) > LARGEST_NUMBER:
            raise self.error("this number is too large")
        return int(self.next().text)

    def parenthesized(self, what: str) -> list[Expression]:
        """Texts between the commas of ``( ... , ... )``."""
        opening = self.span
        self.expect("(")
        parts = []
        while True:
            parts.append(self.expression(what, ",", ")"))
            if self.take(")"):
                return parts
            if not self.take(","):
                raise self.error("this parenthesis is never closed", opening)

    def expression(self, what: str, *stops: str) -> Expression:
        """Text up to one of ``stops``, each a word or several, outside any bracket, or to the end."""
        tokens: list[Token] = []
        open_brackets: list[Token] = []
        while self.token and (open_brackets or not any(self.at(*stop.split()) for stop in stops)):
            if self.token.upper in _OPENING:
                open_brackets.append(self.token)
            elif self.token.upper in _CLOSING:
                if not open_brackets:
                    break
                open_brackets.pop()
            tokens.append(self.next())
        if open_brackets:
            unclosed = open_brackets[-1]
            raise self.error(f"this {_OPENING[unclosed.text]} is never closed", unclosed.span)
        if not tokens:
            raise self.error(f"expected {what}{self.found()}")
        span = tokens[0].span.to(tokens[-1].span)
        return Expression(span.of(self.text), span)

    def _identifier_clause(self) -> Name:
        opening = self.span
        self.expect("IDENTIFIER", "(")
        literal = self.span
        value = self.string("a table name")
        closing = self.span
        self.expect(")")
        parts = dotted_parts(value)
        if parts is None:
            raise self.error(f"{value!r} is not a name", literal)
        return Name(parts, opening.to(closing))

    def _check_name(self, name: Name, most_parts: int | None) -> None:
        if most_parts and len(name.parts) > most_parts:
            raise self.error(
                f"a name can have at most {most_parts} parts, but this one has {len(name.parts)}", name.span
            )
        if self.at("-"):
            hint = "enclose a name with characters other than letters, digits and _ in backticks: `a-b`"
            raise self.error("unexpected - in a name", hint=hint)


def _without_trailing_semicolons(tokens: Tokens) -> Tokens:
    end = len(tokens)
    while end and tokens[end - 1].upper == ";":
        end -= 1
    return tokens[:end]
