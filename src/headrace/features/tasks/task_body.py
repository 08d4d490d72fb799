"""The dynamic table that the statement of a task creates."""

from __future__ import annotations

from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.model.names import TableName
from headrace.model.task import Task
from headrace.sql.parsing.grammar import parse_statement


def table_statement(task: Task) -> CreateDynamicTable:
    """What the dynamic table of a task is created by."""
    statement = parse_statement(task.body)
    if not isinstance(statement, CreateDynamicTable):
        raise TypeError(f"task {task.name} creates no dynamic table")
    return statement


def table_of(task: Task) -> TableName:
    """The dynamic table of a task, by its full name."""
    return TableName.resolve(table_statement(task).name.parts, task.workspace, task.schema)
