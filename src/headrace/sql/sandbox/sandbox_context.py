"""What the checks of a statement's text know before they look at its single tokens, found in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headrace.sql.sandbox.sandbox_paths import is_inside
from headrace.sql.tokens.lexer import Token, Tokens
from headrace.sql.tokens.split import opens_block

_MAKING = frozenset({"CREATE", "REPLACE", "ALTER"})
_SCRIPTS = frozenset({"TRANSFORM", "MAP", "REDUCE"})
_NAME_FOLLOWS = frozenset({".", "VIEW", "TABLE", "EXISTS", "FUNCTION", "SCHEMA", "DATABASE", "STORED"})


@dataclass(frozen=True)
class Grounds:
    """What counts as the lake."""

    warehouse: str
    directories: tuple[str, ...] = ()
    """Files below these are for everybody."""
    brokers: tuple[str, ...] = ()
    """Servers of Kafka that are for everybody."""
    databases: tuple[str, ...] = ()
    """Servers of databases, and URLs of JDBC, that are for everybody."""

    def holds_brokers(self, servers: str) -> bool:
        return all(server.strip() in self.brokers for server in servers.split(","))

    def holds_file(self, path: str) -> bool:
        return is_inside(path, self.directories)

    def holds_table(self, path: str) -> bool:
        return is_inside(path, (self.warehouse, *self.directories))


@dataclass(frozen=True)
class SandboxContext:
    grounds: Grounds
    is_block: bool
    made_at: int
    """The first word that makes or changes something; the number of tokens if there is none."""
    script: Token | None
    """The first word that can run a program."""
    script_at: int
    in_query: Sequence[bool]
    """By token: whether it comes after the AS of its statement, where USING and LOCATION are names."""
    closing: Sequence[int]
    """By token: of an opening parenthesis, the place behind its closing one."""

    def makes(self, index: int) -> bool:
        return self.made_at < index


def context_of(tokens: Tokens, grounds: Grounds) -> SandboxContext:
    made_at = next((at for at, token in enumerate(tokens) if token.upper in _MAKING), len(tokens))
    script_at = next((at for at, token in enumerate(tokens) if token.upper in _SCRIPTS), len(tokens))
    return SandboxContext(
        grounds,
        opens_block(tokens),
        made_at,
        tokens[script_at] if script_at < len(tokens) else None,
        script_at,
        _in_query(tokens),
        closing_parentheses(tokens),
    )


def closing_parentheses(tokens: Tokens) -> list[int]:
    closing, opened = [len(tokens)] * len(tokens), list[int]()
    for index, token in enumerate(tokens):
        if token.upper == "(":
            opened.append(index)
        elif token.upper == ")" and opened:
            closing[opened.pop()] = index + 1
    return closing


def _in_query(tokens: Tokens) -> list[bool]:
    """An AS counts for what follows it in its own parentheses; as a part of a name it is none."""
    found, levels, previous = [], [False], ""
    for token in tokens:
        found.append(levels[-1])
        match token.upper:
            case ";":
                levels = [False]
            case "(":
                levels.append(levels[-1])
            case ")" if len(levels) > 1:
                levels.pop()
            case "AS" if previous not in _NAME_FOLLOWS:
                levels[-1] = True
        previous = token.upper
    return found
