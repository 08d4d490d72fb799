"""Dynamic tables made from their statements alone."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlglot import exp

from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.model.dynamic_table import Column, Definition, DynamicTable, Source
from headrace.model.names import TableName
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.queries.dialect import parse_query
from headrace.sql.queries.qualify import UNREADABLE, qualified_tree
from headrace.sql.queries.query import read_query
from headrace.sql.tokens.positions import splice

Schema = dict[TableName, dict[str, str]]
"""Types by table and column."""

TABLES: Schema = {
    TableName("lake", "p", "o"): {
        "id": "BIGINT",
        "k": "INT",
        "v": "INT",
        "d": "DECIMAL(10,2)",
        "s": "STRING",
        "tags": "ARRAY<STRING>",
    },
    TableName("lake", "p", "p"): {"k": "INT", "name": "STRING", "w": "INT"},
}
VIEWS = {
    "big": (("id", "v", "shout"), "SELECT id, v, upper(s) AS shout FROM o WHERE v > 1"),
    "totals": (("k", "n"), "SELECT k, count(*) AS n FROM o GROUP BY k"),
}
MOMENT = datetime(2024, 6, 1, tzinfo=UTC)


def dynamic_table(text: str, schema: Schema = TABLES) -> DynamicTable:
    """``text`` is a query, or what follows the name in CREATE DYNAMIC TABLE."""
    try:
        parse_query(text)
        clauses = f"AS {text}"
    except UNREADABLE:
        clauses = text
    statement = parse_statement(f"CREATE OR REPLACE DYNAMIC TABLE d {clauses}")
    assert isinstance(statement, CreateDynamicTable)
    return defined(_expanded(statement.query), statement, schema)


def defined(expanded: str, statement: CreateDynamicTable | None, schema: Schema) -> DynamicTable:
    read = {TableName(*reference.parts) for reference in read_query(expanded).tables}
    columns = _columns(expanded, schema)
    listed = statement.columns if statement else ()
    return DynamicTable(
        id="1",
        name=TableName("lake", "p", "d"),
        definition=Definition(
            expanded, expanded, expanded, tuple(Source(name, tuple(schema[name])) for name in sorted(read))
        ),
        columns=tuple(Column(s.name, c.type) for s, c in zip(listed, columns, strict=True))
        if listed
        else columns,
        creator="someone",
        created_at=MOMENT,
        modified_at=MOMENT,
        partitioned_by=statement.partitioned_by if statement else (),
        clustered_by=statement.clustered_by if statement else (),
    )


def _expanded(query: str) -> str:
    facts = read_query(query)
    names = [
        (reference.span, _replacement(reference.parts[-1], reference.alias)) for reference in facts.tables
    ]
    return splice(query, [*names, *((span, "SELECT * FROM") for span in facts.table_queries)])


def _replacement(name: str, alias: str | None) -> str:
    if name not in VIEWS:
        return TableName("lake", "p", name).sql
    columns, query = VIEWS[name]
    listed = ", ".join(f"`{column}`" for column in columns)
    subquery = f"(SELECT {listed} FROM (\n{_expanded(query)}\n) AS `{name}`({listed}))"
    return subquery if alias is not None else f"{subquery} AS `{name}`"


def _columns(query: str, schema: Schema) -> tuple[Column, ...]:
    try:
        tree = qualified_tree(query, {name: tuple(columns) for name, columns in schema.items()})
    except UNREADABLE:
        outputs = read_query(query).outputs
        return tuple(Column(output.name or f"c{n}", "UNKNOWN") for n, output in enumerate(outputs))
    types = {name: kind for columns in schema.values() for name, kind in columns.items()}
    return tuple(
        Column(name, _type(item.unalias().unnest(), types)) for item in tree.selects for name in _names(item)
    )


def _names(item: exp.Expr) -> list[str]:
    return [a.name for a in item.aliases] if isinstance(item, exp.Aliases) else [item.alias_or_name]


def _type(value: exp.Expr, types: dict[str, str]) -> str:
    match value:
        case exp.Column():
            return types.get(value.name, "UNKNOWN")
        case exp.Coalesce():
            return _type(value.this, types)
        case exp.Cast():
            return str(value.to.sql("spark"))
    return "COMPUTED"
