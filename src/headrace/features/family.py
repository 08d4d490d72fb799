"""A statement family: the rules that read its statements, and the commands that execute them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from headrace.model.role import Privilege
from headrace.sql.parsing.rules import Rule, Rules
from headrace.sql.parsing.statements import Statement


@dataclass(frozen=True)
class Command:
    function: str
    """``module:function`` of the family's package, imported when first executed: parsing needs no Spark."""
    accepts_parameters: bool = False
    requires: Privilege | Callable[[Any], Privilege] = Privilege.MODIFY
    """Of whoever sends the statement; where its parts decide, a function of it."""

    def privilege(self, statement: Statement) -> Privilege:
        return self.requires(statement) if callable(self.requires) else self.requires


@dataclass(frozen=True)
class Family:
    package: str
    """That of the commands."""
    rules: tuple[Rule, ...]
    commands: Mapping[type[Statement], Command]


class StatementTable:
    """What the parser and the execution look up; no two families have a rule or a statement in common."""

    def __init__(self, families: Iterable[Family]) -> None:
        rules: dict[str, Rule] = {}
        self.commands: dict[type[Statement], Command] = {}
        """Each with the whole path of its function."""
        for family in families:
            for rule in family.rules:
                if rule.first_words in rules:
                    raise ValueError(f"two rules begin with {rule.first_words}")
                rules[rule.first_words] = rule
            for statement, command in family.commands.items():
                if statement in self.commands:
                    raise ValueError(f"two commands execute {statement.__name__}")
                path = f"{family.package}.{command.function}"
                self.commands[statement] = replace(command, function=path)
        self.rules = Rules(rules.values())
