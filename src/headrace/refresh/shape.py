"""Whether a query still gives the columns that its table holds, after a source was altered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import zip_longest

from headrace.errors import NotFound, Refused, SqlSyntaxError
from headrace.lake.session import LakeSession
from headrace.lake.table.pin import lost_columns
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.names import TableName
from headrace.model.stored_types import stored_type

_DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")


def check_shape(
    table: DynamicTable, query: str, sources: Mapping[TableName, Table], session: LakeSession
) -> None:
    """Refuses to write what would be cut off, converted or put into the wrong column.

    A source that has none of its columns left makes a query that cannot even be read.
    """
    lost = _lost(table, sources)
    try:
        given = session.analyze(query).columns
    except (NotFound, SqlSyntaxError) as error:
        raise lost or error from None
    if len(given) != len(table.columns) and lost is not None:
        raise lost
    for after, before in zip_longest(given, table.columns):
        if after is None or before is None or not fits(after.type, before.type):
            raise Refused(_misfit(after, before), hint=_recreate(table))


def fits(given: str, held: str) -> bool:
    """Whether each value of type ``given`` is stored unchanged as ``held``, or its writing fails."""
    given, held = stored_type(given), stored_type(held)
    scales = [_DECIMAL.fullmatch(kind) for kind in (given, held)]
    if scales[0] and scales[1]:
        return scales[0][1] == scales[1][1]
    return given == held or {given, held} == {"int", "bigint"}


def _misfit(given: Column | None, held: Column | None) -> str:
    if held is None:
        return "the query returns more columns than the table has"
    if given is None:
        return f"the query no longer returns column {held.name}"
    return f"column {held.name} of the query is now {given.type}, but the table has {held.type}"


def _lost(table: DynamicTable, sources: Mapping[TableName, Table]) -> Refused | None:
    for source in table.definition.sources:
        if lost := lost_columns(sources[source.name].fields, source.columns):
            columns = f"column{'s' if len(lost) > 1 else ''} {', '.join(lost)}"
            return Refused(
                f"{source.name} no longer has {columns}, dropped or renamed since the last refresh",
                hint=f"restore what the query needs with ALTER TABLE {source.name}, or {_recreate(table)}",
            )
    return None


def _recreate(table: DynamicTable) -> str:
    return f"DROP DYNAMIC TABLE {table.name} and create it again"
