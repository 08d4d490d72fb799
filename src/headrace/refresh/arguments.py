"""The values that a refresh puts in the place of a definition's parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from headrace.errors import NotFound, Refused
from headrace.model.dynamic_table import DynamicTable
from headrace.model.quoting import quote_string
from headrace.sql.query_parameters import argument_key, bind, parameter_names
from headrace.sql.spark.functions import CLOCK_WORDS

_PLACEHOLDERS = ("1970-01-01", "1970")
"""Values that most queries can be planned with: a date, and what can be a year and a number."""
_CLOCK_VALUE = re.compile(rf"\s*(?:{'|'.join(CLOCK_WORDS)})\b.*", re.IGNORECASE)


def arguments_for(table: DynamicTable, given: Mapping[str, str]) -> dict[str, str]:
    """By parameter: what was given, else the table's default."""
    found = {}
    for name in parameter_names(table.definition.expanded):
        value = given.get(name, default_of(table, name))
        if value is None:
            key = argument_key(name)
            raise NotFound(
                f"parameter {name} has no value",
                hint=f"use SET {key} = ..., or set a default with PROPERTIES('{key}'='...')",
            )
        found[name] = _fixed(name, value)
    return found


def default_of(table: DynamicTable, name: str) -> str | None:
    return table.properties.get(argument_key(name))


def _fixed(name: str, value: str) -> str:
    """Spark would read the clock for some words where it makes a date of them."""
    if _CLOCK_VALUE.fullmatch(value):
        raise Refused(
            f"parameter {name} is {quote_string(value)}, which is a different day every day",
            hint="use a fixed date, such as 2024-06-01",
        )
    return value


def bound(table: DynamicTable, arguments: Mapping[str, str]) -> DynamicTable:
    """The table as a refresh computes it; its definition has no parameters, and another fingerprint."""
    expanded = bind(table.definition.expanded, arguments)
    return replace(table, definition=replace(table.definition, expanded=expanded))


def presumed(table: DynamicTable, given: Mapping[str, str]) -> list[DynamicTable]:
    """The table with one value or another for each parameter, for what hardly depends on the values."""
    names = parameter_names(table.definition.expanded)
    known = {name: given.get(name, default_of(table, name)) for name in names}
    supposed = [
        {name: made_up if value is None else value for name, value in known.items()}
        for made_up in _PLACEHOLDERS
    ]
    return [bound(table, values) for values in supposed[: 2 if None in known.values() else 1]]


def with_some_values(query: str, given: Mapping[str, str]) -> str:
    return bind(query, {name: given.get(name, _PLACEHOLDERS[0]) for name in parameter_names(query)})
