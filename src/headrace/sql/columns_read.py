"""Whether a query makes use of columns of a table that it reads."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from headrace.model.dynamic_table import Definition
from headrace.model.names import TableName
from headrace.sql.lexer import tokenize
from headrace.sql.qualify import UNREADABLE, qualified_tree


def may_read(definition: Definition, table: TableName, columns: Collection[str]) -> bool:
    """False where it is sure that none of ``columns`` (in lower case) of ``table`` matters."""
    known = {source.name: source.columns for source in definition.sources}
    try:
        tree = qualified_tree(definition.expanded, known)
    except UNREADABLE:
        return _mentions(definition.expanded, columns)
    if tree.find(exp.Pivot) or any(
        not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)
    ):
        return True
    aliases = {node.alias_or_name.lower() for node in tree.find_all(exp.Table) if _is(node, table)}
    return any(
        column.name.lower() in columns and column.table.lower() in (*aliases, "")
        for column in tree.find_all(exp.Column)
    )


def _is(node: exp.Table, table: TableName) -> bool:
    parts = tuple(part.name.lower() for part in node.parts)
    return parts == tuple(part.lower() for part in (table.workspace, table.schema, table.table))


def _mentions(text: str, columns: Collection[str]) -> bool:
    return any(
        token.text == "*" or (token.is_name and token.value.lower() in columns) for token in tokenize(text)
    )
