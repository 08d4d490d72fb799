"""Statements known by name that this version cannot run."""

from __future__ import annotations

from functools import partial

from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import NotYet
from headrace.sql.parsing.token_reader import TokenReader


def _not_yet(feature: str, cursor: TokenReader) -> NotYet | None:
    is_named = cursor.token is not None and cursor.token.is_name
    return NotYet(feature, cursor.span_so_far) if is_named else None


def _rule(first_words: str) -> Rule:
    return Rule(first_words, None, partial(_not_yet, first_words))


RULES = (_rule("CREATE OR REPLACE PIPE"),)
