"""What a session is: the statements that made it so, to be said again to another process."""

from __future__ import annotations

from itertools import pairwise

from headrace.sql.lexer import Token, tokenize

_OF_SESSION = ("USE", "SET", "RESET", "DECLARE")
_TEMPORARY = ("TEMP", "TEMPORARY")


class Journal:
    """Of statements that succeeded; any thread may note one."""

    def __init__(self) -> None:
        self._statements: list[str] = []

    @property
    def statements(self) -> tuple[str, ...]:
        return tuple(self._statements)

    def note(self, text: str) -> None:
        """What was said before word by word is kept once, at its last; a view that went is not made again."""
        tokens = tokenize(text)
        words = [token.upper for token in tokens[:6]]
        if words[:2] == ["DROP", "VIEW"]:
            gone = _view(tokens)
            self._statements = [each for each in self._statements if _temporary_view(each) != gone]
        elif words and (words[0] in _OF_SESSION or _makes_temporary(words)):
            self._statements = [each for each in self._statements if each != text] + [text]


def _makes_temporary(words: list[str]) -> bool:
    pairs = pairwise(words)
    named = any(word in _TEMPORARY and what in ("VIEW", "FUNCTION", "TABLE") for word, what in pairs)
    return named and words[0] in ("CREATE", "DROP")


def _temporary_view(text: str) -> str | None:
    tokens = tokenize(text)
    return _view(tokens) if _makes_temporary([token.upper for token in tokens[:6]]) else None


def _view(tokens: tuple[Token, ...]) -> str | None:
    """The name after VIEW [IF [NOT] EXISTS]."""
    words = iter(tokens)
    if not any(token.upper == "VIEW" for token in words):
        return None
    name = next((token for token in words if token.upper not in ("IF", "NOT", "EXISTS")), None)
    return name.value.lower() if name else None
