"""Rules of the grammar: the first words of a statement, and the function that reads the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from headrace.sql.parsing.statements import Statement
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Tokens


@dataclass(frozen=True)
class Rule:
    first_words: str
    form: str | None
    """The hint of every error in the rest."""
    read: Callable[[TokenReader], Statement | None]
    """Of a cursor after the first words. None: by these words the statement is Spark's, or another rule's."""

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.first_words.split())


class Rules:
    """The rule with the most first words comes first; the order in which rules are listed has no meaning."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._by_word: dict[str, list[tuple[tuple[str, ...], Rule]]] = {}
        for rule in sorted(rules, key=lambda rule: -len(rule.words)):
            self._by_word.setdefault(rule.words[0], []).append((rule.words, rule))

    @property
    def words(self) -> frozenset[str]:
        """By which statements begin."""
        return frozenset(self._by_word)

    def read(self, text: str, tokens: Tokens) -> Statement | None:
        """The statement, or SqlSyntaxError where a rule fits and the rest cannot be read."""
        for words, rule in self._by_word.get(tokens[0].upper, ()) if tokens else ():
            cursor = TokenReader(text, tokens)
            if cursor.take(*words):
                cursor.hint = rule.form
                statement = rule.read(cursor)
                if statement is not None:
                    return statement
        return None
