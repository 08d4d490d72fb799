"""Values for the parameters of a statement, which come as rows of a column each."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from headrace.errors import InterfaceError, NotSupportedError
from headrace.model.parameters import Parameters
from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.functions import parameter_markers

MOST_ROWS = 1_000
"""Each is a statement of its own."""


def markers_of(parsed: ParsedStatement) -> tuple[str, ...]:
    """``?`` for each, or the names of named ones, each once."""
    texts = [span.of(parsed.text) for span in parameter_markers(parsed.tokens)]
    if all(text == "?" for text in texts):
        return tuple(texts)
    if "?" in texts:
        raise NotSupportedError(
            "parameters cannot be both ? and named in one statement", hint="use one of the two"
        )
    return tuple(dict.fromkeys(text.removeprefix(":") for text in texts))


def bound_rows(batches: list[pa.RecordBatch], markers: tuple[str, ...]) -> list[Parameters]:
    """The values of each row, by place for ``?``, by name for named parameters."""
    rows: list[Parameters] = []
    for batch in batches:
        _expect_columns(batch.schema, markers)
        columns = [_values(column) for column in batch.columns]
        rows += [_named(values, markers) for values in zip(*columns, strict=True)]
    return rows


def _expect_columns(schema: pa.Schema, markers: tuple[str, ...]) -> None:
    if len(schema) != len(markers):
        raise InterfaceError(
            f"the statement has {len(markers)} parameters, and {len(schema)} values were given",
            hint="give one value for each",
        )


def _named(values: tuple[Any, ...], markers: tuple[str, ...]) -> Parameters:
    if set(markers) == {"?"}:
        return list(values)
    return dict(zip(markers, values, strict=True))


def _values(column: pa.Array) -> list[Any]:
    """Times with nanoseconds are pandas' in Arrow, others Python's."""
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        column = column.cast(pa.timestamp("us", column.type.tz))
    listed: list[Any] = column.to_pylist()
    return listed
