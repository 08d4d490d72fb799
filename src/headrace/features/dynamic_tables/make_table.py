"""The Iceberg table of a dynamic table that is being created."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from headrace.commands.statement_context import StatementContext
from headrace.errors import Error, NotSupportedError, Place, ProgrammingError
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.lake.commit.sync_schema import QUERY, iceberg_properties
from headrace.lake.table.tables import TABLE_ID
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.quoting import quote_identifier, quote_string
from headrace.refresh.layout import Layout, NoLayout
from headrace.sql.tokens.positions import place_of


def make_table(
    table: DynamicTable,
    layout: Layout | NoLayout,
    statement: CreateDynamicTable,
    text: str,
    context: StatementContext,
) -> None:
    """Announced, made, confirmed: what dies between is undone when the lake is next opened."""
    hidden = layout.hidden if isinstance(layout, Layout) else ()
    store = context.lake.store
    with context.lake.alone_with(table):
        store.lifecycle.begin_create(table)
        try:
            with context.lake.borrow_session() as session:
                for clause, ddl in (
                    ("PARTITIONED BY", _ddl(table, hidden)),
                    ("CLUSTERED BY", _order_ddl(table)),
                ):
                    span = statement.places.get(clause)
                    with _blaming(place_of(text, span) if span else None):
                        if ddl is not None:
                            session.run(ddl)
        except BaseException:
            context.session.catalog.drop_if_owned(table.name, table.id)
            store.lifecycle.abandon_create(table.id)
            raise
        store.lifecycle.finish_create(table.id)


@contextmanager
def _blaming(place: Place | None) -> Iterator[None]:
    """Around SQL of our own: what is wrong with it is what the user wrote at ``place``."""
    try:
        yield
    except Error as error:
        error.place = place if isinstance(error, ProgrammingError | NotSupportedError) else None
        raise


def _ddl(table: DynamicTable, hidden: tuple[Column, ...]) -> str:
    columns = ", ".join(_column_ddl(column) for column in (*table.columns, *hidden))
    clauses = [f"CREATE TABLE {table.name.sql} ({columns}) USING iceberg"]
    if table.partitioned_by:
        clauses.append(f"PARTITIONED BY ({', '.join(table.partitioned_by)})")
    if table.comment is not None:
        clauses.append(f"COMMENT {quote_string(table.comment)}")
    properties = iceberg_properties(table.properties) | {TABLE_ID: table.id, QUERY: table.definition.query}
    return " ".join([*clauses, f"TBLPROPERTIES ({_listed(properties)})"])


def _order_ddl(table: DynamicTable) -> str | None:
    if not table.clustered_by:
        return None
    return f"ALTER TABLE {table.name.sql} WRITE ORDERED BY {', '.join(table.clustered_by)}"


def _listed(properties: Mapping[str, str]) -> str:
    return ", ".join(f"{quote_string(key)} = {quote_string(value)}" for key, value in properties.items())


def _column_ddl(column: Column) -> str:
    comment = f" COMMENT {quote_string(column.comment)}" if column.comment is not None else ""
    return f"{quote_identifier(column.name)} {column.type}{comment}"
