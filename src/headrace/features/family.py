"""A statement family: the rules that read its statements, and the commands that execute them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headrace.sql.rules import Rule, Rules
from headrace.sql.statements import Statement


@dataclass(frozen=True)
class Command:
    function: str
    """``module:function``, imported when first executed: parsing needs neither Spark nor a database."""
    accepts_parameters: bool = False


@dataclass(frozen=True)
class Family:
    rules: tuple[Rule, ...]
    commands: Mapping[type[Statement], Command]


class StatementTable:
    """What the parser and the execution look up; no two families have a rule or a statement in common."""

    def __init__(self, families: Iterable[Family]) -> None:
        rules: dict[str, Rule] = {}
        self.commands: dict[type[Statement], Command] = {}
        for family in families:
            for rule in family.rules:
                if rules.setdefault(rule.first_words, rule) is not rule:
                    raise ValueError(f"two rules begin with {rule.first_words}")
            for statement, command in family.commands.items():
                if self.commands.setdefault(statement, command) is not command:
                    raise ValueError(f"two commands execute {statement.__name__}")
        self.rules = Rules(rules.values())
