"""How often statements are read: calls of the lexer and of the search for effects."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from headrace.sql.spark.effects import effects_of
from headrace.sql.tokens.lexer import tokenize


@dataclass
class Calls:
    """The texts that each function was given."""

    tokenize: list[str] = field(default_factory=list)
    effects_of: list[str] = field(default_factory=list)


@contextmanager
def counted_calls() -> Iterator[Calls]:
    """Those made inside, by any module."""
    calls = Calls()
    with pytest.MonkeyPatch.context() as patch:
        _count(tokenize, calls.tokenize, patch)
        _count(effects_of, calls.effects_of, patch)
        yield calls


def _count(function: Any, texts: list[str], patch: pytest.MonkeyPatch) -> None:
    def counting(text: str, *rest: Any) -> Any:
        texts.append(text)
        return function(text, *rest)

    for module in list(sys.modules.values()):
        if module.__name__ != __name__ and vars(module).get(function.__name__) is function:
            patch.setattr(module, function.__name__, counting)
