"""The types of parameters, for drivers that convert values before they send them.

Spark knows the type of a value only when it has it. So the type is read off the text: that of the column that
a parameter is compared with or written to, or of the CAST around it; else text. Drivers that send a value in
its own type are not bound by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from headrace.lake.table.object_metadata import MetadataColumn
from headrace.model.names import TableName
from headrace.server.flight.arrow_types import arrow_type, type_of
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.dialect import HeadraceSpark, quiet_sqlglot
from headrace.sql.spark.functions import parameter_markers
from headrace.sql.tokens.positions import splice

LakeColumns = Callable[[], Mapping[TableName, Sequence[MetadataColumn]]]
"""Those of all tables."""
_COUNTS = (exp.Limit, exp.Offset)
_COMPARED = (exp.Binary, exp.Between, exp.In)


def parameter_schema(parsed: ParsedStatement, markers: tuple[str, ...], columns: LakeColumns) -> pa.Schema:
    """A field for each, in the order of the text."""
    if not markers:
        return pa.schema([])
    names = [f"parameter_{place}" for place in range(1, len(markers) + 1)]
    types = _types(parsed, columns) if set(markers) == {"?"} else {}
    return pa.schema([pa.field(name, _as_driver_has(types.get(name, pa.string()))) for name in names])


def _types(parsed: ParsedStatement, columns: LakeColumns) -> dict[str, pa.DataType]:
    spans = parameter_markers(parsed.tokens)
    named = [(span, f":parameter_{place}") for place, span in enumerate(spans, 1)]
    try:
        with quiet_sqlglot():
            tree = sqlglot.parse_one(splice(parsed.text, named), read=HeadraceSpark)
    except (SqlglotError, RecursionError):
        return {}
    known = _Columns(tree, columns())
    found = {place.name: known.expected(place) for place in tree.find_all(exp.Placeholder)}
    return {name: kind for name, kind in found.items() if kind is not None}


class _Columns:
    """Those of the tables that a statement names."""

    def __init__(self, tree: exp.Expr, columns: Mapping[TableName, Sequence[MetadataColumn]]) -> None:
        named = {table.name.lower() for table in tree.find_all(exp.Table)}
        self._tables = {
            name.table.lower(): [(column.name.lower(), column.type) for column in listed]
            for name, listed in columns.items()
            if name.table.lower() in named
        }

    def expected(self, place: exp.Placeholder) -> pa.DataType | None:
        parent = place.parent
        match parent:
            case exp.Cast() if isinstance(parent.to, exp.DataType):
                return type_of(parent.to)
            case exp.Tuple():
                return self._inserted(place, parent)
        if isinstance(parent, _COUNTS):
            return pa.int64()
        if isinstance(parent, _COMPARED):
            columns = (each for each in parent.iter_expressions() if isinstance(each, exp.Column))
            column = next(columns, None)
            return None if column is None else self._type(column.name)
        return None

    def _inserted(self, place: exp.Placeholder, row: exp.Tuple) -> pa.DataType | None:
        insert = row.find_ancestor(exp.Insert)
        if insert is None:
            return None
        at = next(number for number, each in enumerate(row.expressions) if each is place)
        target = insert.this
        if isinstance(target, exp.Schema):
            chosen = [each.name for each in target.expressions]
            return self._type(chosen[at]) if at < len(chosen) else None
        listed = self._tables.get(target.name.lower(), [])
        return arrow_type(listed[at][1]) if at < len(listed) else None

    def _type(self, column: str) -> pa.DataType | None:
        """None where columns of that name differ."""
        kinds = {kind for listed in self._tables.values() for name, kind in listed if name == column.lower()}
        return arrow_type(kinds.pop()) if len(kinds) == 1 else None


def _as_driver_has(kind: pa.DataType) -> pa.DataType:
    """The widest of its kind; times in the milliseconds that JDBC's driver writes whatever the unit."""
    types = pa.types
    if types.is_integer(kind):
        return pa.int64()
    if types.is_floating(kind):
        return pa.float64()
    if types.is_timestamp(kind):
        return pa.timestamp("ms")
    return pa.string() if types.is_nested(kind) else kind
