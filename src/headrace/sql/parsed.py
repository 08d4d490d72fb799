"""One statement and what is read off its text, each fact once, for everything that handles the statement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from headrace.sql.parsing.grammar import parse_tokens
from headrace.sql.parsing.kind import statement_kind
from headrace.sql.parsing.statements import Statement
from headrace.sql.spark.effects import Effect, effects_of
from headrace.sql.spark.relations import Executed, TableReading, executed_strings, relations
from headrace.sql.tokens.lexer import Tokens, tokenize, words_of
from headrace.sql.tokens.split import StatementText, opens_block


@dataclass(frozen=True, eq=False)
class ParsedStatement:
    """Built where a statement enters the process; a text that cannot be read is an error at first use."""

    text: str
    known_tokens: Tokens | None = None
    """Of the text, where splitting the script has found them."""

    @classmethod
    def of(cls, statement: StatementText) -> ParsedStatement:
        return cls(statement.text, statement.tokens)

    def with_text(self, text: str) -> ParsedStatement:
        """The statement as it was rewritten: itself if nothing changed."""
        return self if text == self.text else ParsedStatement(text)

    @cached_property
    def tokens(self) -> Tokens:
        return tokenize(self.text) if self.known_tokens is None else self.known_tokens

    @cached_property
    def node(self) -> Statement:
        """SqlSyntaxError where it is one of Headrace's statements and cannot be read."""
        return parse_tokens(self.text, self.tokens)

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        return effects_of(self.text, self.tokens)

    @cached_property
    def relations(self) -> tuple[TableReading, ...]:
        return relations(self.tokens)

    @cached_property
    def executed_strings(self) -> tuple[Executed, ...]:
        return executed_strings(self.tokens)

    @property
    def kind(self) -> str:
        """The first keyword, for logs."""
        return statement_kind(self.text)

    @property
    def is_explain(self) -> bool:
        return self.starts_with("EXPLAIN")

    @property
    def is_block(self) -> bool:
        return opens_block(self.tokens)

    def starts_with(self, *words: str) -> bool:
        return tuple(words_of(self.tokens[: len(words)])) == words
