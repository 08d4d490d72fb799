"""Statements about tasks as text, for programs that have no text of a user."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.features.tasks.grammar import TaskStep
from headrace.model.quoting import quote_identifier, quote_string


def alter_task_text(name: str, step: TaskStep) -> str:
    return f"ALTER TASK {quote_identifier(name)} {step}"


def execute_task_text(name: str, parameters: Mapping[str, str]) -> str:
    given = ", ".join(f"{quote_string(key)} = {quote_string(value)}" for key, value in parameters.items())
    return f"EXECUTE TASK {quote_identifier(name)}{f' PARAMETERS ({given})' if given else ''}"
