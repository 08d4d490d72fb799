"""What a session is: the statements that made it so, to be said again to another process."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from headrace.sql.parsed import ParsedStatement
from headrace.sql.tokens.lexer import Tokens, words_of

_OF_SESSION = ("USE", "SET", "RESET", "DECLARE")
_TEMPORARY = ("TEMP", "TEMPORARY")


@dataclass(frozen=True)
class _Entry:
    text: str
    view: str | None
    """The temporary view that it creates."""


class Journal:
    """Of statements that succeeded; any thread may note one."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    @property
    def statements(self) -> tuple[str, ...]:
        return tuple(entry.text for entry in self._entries)

    def note(self, statement: ParsedStatement) -> None:
        """What was said before word by word is kept once, at its last; a view that went is not made again."""
        words = words_of(statement.tokens[:6])
        if words[:2] == ["DROP", "VIEW"]:
            gone = _view(statement.tokens)
            self._entries = [entry for entry in self._entries if entry.view != gone]
        elif changes_session(statement):
            entry = _Entry(statement.text, _view(statement.tokens) if _makes_temporary(words) else None)
            self._entries = [each for each in self._entries if each.text != entry.text] + [entry]


def changes_session(statement: ParsedStatement) -> bool:
    """Whether it does nothing else than to make the session what it is for later statements."""
    words = words_of(statement.tokens[:6])
    return bool(words) and (words[0] in _OF_SESSION or _makes_temporary(words))


def _makes_temporary(words: list[str]) -> bool:
    pairs = pairwise(words)
    named = any(word in _TEMPORARY and what in ("VIEW", "FUNCTION", "TABLE") for word, what in pairs)
    return named and words[0] in ("CREATE", "DROP")


def _view(tokens: Tokens) -> str | None:
    """The name after VIEW [IF [NOT] EXISTS]."""
    words = iter(tokens)
    if not any(token.upper == "VIEW" for token in words):
        return None
    name = next((token for token in words if token.upper not in ("IF", "NOT", "EXISTS")), None)
    return name.value.lower() if name else None
