"""Rows that Headrace has made, under a name that Spark SQL can read."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from headrace.commands.error_location import pointing_into
from headrace.commands.hidden import without_hidden
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.lake.session import LakeSession
from headrace.result import LocalRows, Result
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.statements import Expression


@contextmanager
def local_view(rows: pa.Table, session: LakeSession) -> Iterator[str]:
    """A temporary view; a query planned inside can be fetched later."""
    name = f"__hr_{secrets.token_hex(4)}"
    session.spark.createDataFrame(rows).createOrReplaceTempView(name)
    try:
        yield name
    finally:
        session.spark.catalog.dropTempView(name)


def filtered(rows: pa.Table, where: Expression, given: StatementInput, context: StatementContext) -> pa.Table:
    """``rows`` for which the condition holds; errors point into the text of the statement, where it stands.

    It is read twice: as it is, so that what is wrong is found where the user wrote it, and between
    parentheses, so that it is a condition and nothing more.
    """
    with local_view(rows, context.session) as view:
        select = f"SELECT * FROM {view} AS {view} WHERE "
        alone, enclosed = f"{select} {where.text}", f"{select}({where.text}\n)"
        for query in (alone, enclosed):
            with pointing_into(given.text, query, where.span.start - len(select) - 1):
                sent = without_hidden(ParsedStatement(query), given.parameters, context)
                filtered_rows = context.session.run(sent, given.parameters)
        return filtered_rows.arrow()


def selected(
    rows: pa.Table,
    where: Expression | None,
    limit: int | None,
    given: StatementInput,
    context: StatementContext,
) -> Result:
    """What WHERE and LIMIT of a SHOW leave."""
    if where is not None:
        rows = filtered(rows, where, given, context)
    return Result(LocalRows(rows if limit is None else rows.slice(0, limit)))
