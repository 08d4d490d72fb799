"""Which tables the script of a task reads and changes, by its text alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headrace.errors import SqlSyntaxError
from headrace.features.dynamic_tables.grammar_statements import RefreshDynamicTable
from headrace.model.names import TableName
from headrace.model.task import Task, TaskKind
from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.effects import EffectKind
from headrace.sql.tokens.split import split

_WRITES = {
    EffectKind.INSERT,
    EffectKind.OVERWRITE,
    EffectKind.UPDATE,
    EffectKind.DELETE,
    EffectKind.MERGE,
    EffectKind.TRUNCATE,
    EffectKind.CREATE,
    EffectKind.REPLACE,
}


@dataclass(frozen=True)
class ScriptTables:
    reads: frozenset[TableName]
    writes: frozenset[TableName]


def script_tables(task: Task) -> ScriptTables:
    """Nothing of a script that cannot be read, or that is not SQL."""
    if task.kind is not TaskKind.SQL:
        return ScriptTables(frozenset(), frozenset())
    try:
        statements = [ParsedStatement.of(each) for each in split(task.body)]
        reads = frozenset(name for each in statements for name in _reads(each, task))
        writes = frozenset(name for each in statements for name in _writes(each, task))
    except SqlSyntaxError:
        return ScriptTables(frozenset(), frozenset())
    return ScriptTables(reads - writes, writes)


def _reads(statement: ParsedStatement, task: Task) -> Iterator[TableName]:
    for reading in statement.relations:
        if reading.parts is not None:
            yield from _resolved(reading.parts, task)


def _writes(statement: ParsedStatement, task: Task) -> Iterator[TableName]:
    node = statement.node
    if isinstance(node, RefreshDynamicTable):
        yield from _resolved(node.name.parts, task)
    for effect in statement.effects:
        if effect.kind in _WRITES and effect.target is not None:
            yield from _resolved(effect.target, task)


def _resolved(parts: tuple[str, ...], task: Task) -> Iterator[TableName]:
    if 1 <= len(parts) <= 3:
        yield TableName.resolve(parts, task.workspace, task.schema)
