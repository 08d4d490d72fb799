"""A query for reading: every column with its table, every star written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from headrace.errors import SqlSyntaxError
from headrace.model.names import TableName
from headrace.model.quoting import show_identifier
from headrace.sql.queries.dialect import HeadraceSpark, parse_query, quiet_sqlglot

_WRITTEN = "headrace.written"
_Columns = dict[str, str]

UNREADABLE = (SqlglotError, SqlSyntaxError, RecursionError, ValueError, KeyError, TypeError, AttributeError)
"""What comes out of sqlglot for a query that is beyond it."""


def qualify_columns(text: str, columns_of: Mapping[TableName, tuple[str, ...]]) -> str | None:
    """The query, whose tables are all given by three parts, qualified; None where sqlglot cannot."""
    try:
        qualified = qualified_tree(text, columns_of)
        for identifier in qualified.find_all(exp.Identifier):
            if show_identifier(identifier.name) != identifier.name:
                identifier.set("quoted", True)
            elif isinstance(identifier.parent, exp.Table):
                identifier.set("quoted", False)
        with quiet_sqlglot():
            return qualified.sql(dialect=HeadraceSpark)
    except UNREADABLE:
        return None


def qualified_tree(text: str, columns_of: Mapping[TableName, tuple[str, ...]]) -> exp.Expr:
    """The same as a tree; raises one of UNREADABLE where sqlglot cannot."""
    tree = parse_query(text)
    for written in tree.find_all(exp.Coalesce):
        written.meta[_WRITTEN] = True
    left_is_kept = not any(join.side in ("RIGHT", "FULL") for join in tree.find_all(exp.Join))
    with quiet_sqlglot():
        qualified = qualify(
            tree,
            dialect=HeadraceSpark,
            schema=_schema(columns_of),
            quote_identifiers=False,
            identify=False,
        )
    _restore_case(qualified, columns_of)
    return qualified.transform(_left_column) if left_is_kept else qualified


def _restore_case(tree: exp.Expr, names: Iterable[TableName]) -> None:
    """sqlglot writes all names in lower case, which those of columns may be, and those of tables not."""
    written = {tuple(part.lower() for part in _parts(name)): _parts(name) for name in names}
    for table in tree.find_all(exp.Table):
        identifiers = table.parts
        known = written.get(tuple(identifier.name.lower() for identifier in identifiers), ())
        for identifier, part in zip(identifiers, known, strict=False):
            identifier.set("this", part)


def _parts(name: TableName) -> tuple[str, str, str]:
    return name.workspace, name.schema, name.table


def _left_column(node: exp.Expr) -> exp.Expr:
    """What sqlglot makes of a column of USING: for Spark it is the left one, unless that may be missing."""
    return node.this if isinstance(node, exp.Coalesce) and _WRITTEN not in node.meta else node


def _schema(columns_of: Mapping[TableName, tuple[str, ...]]) -> dict[str, object]:
    alike = {tuple(part.lower() for part in _parts(name)) for name in columns_of}
    if len(alike) < len(columns_of):
        raise ValueError("names of tables differ in upper and lower case alone")
    workspaces: dict[str, dict[str, dict[str, _Columns]]] = {}
    for name, columns in columns_of.items():
        tables = workspaces.setdefault(name.workspace, {}).setdefault(name.schema, {})
        tables[name.table] = dict.fromkeys(columns, "UNKNOWN")
    return dict(workspaces)
