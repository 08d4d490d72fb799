"""Values that a statement is given for its parameter markers, as Spark takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from headrace.errors import InterfaceError, ProgrammingError
from headrace.model.parameters import Parameters
from headrace.sql.spark.functions import parameter_markers
from headrace.sql.tokens.lexer import tokenize
from headrace.sql.tokens.positions import Rewritten, Span

_LONG = 2**63
_DECIMAL_DIGITS = 38
_MISPLACED = 5
"""So many values for ``?`` Spark 4.1 binds in another order (SPARK-58341), unless they have names."""


def bound(sent: Rewritten, parameters: Parameters | None, zone: ZoneInfo) -> tuple[Rewritten, Any]:
    """A statement and its arguments as Spark takes them: a list for ``?``, a dict for ``:name``, or None."""
    arguments = spark_arguments(sent.original, parameters, zone)
    if not isinstance(arguments, list) or len(arguments) < _MISPLACED:
        return sent, arguments
    return _with_names(sent, arguments)


def _with_names(sent: Rewritten, arguments: list[Any]) -> tuple[Rewritten, dict[str, Any]]:
    text, named = sent.original, {f"hr_{place}": value for place, value in enumerate(arguments)}
    markers = [span for span in parameter_markers(tokenize(text)) if span.of(text) == "?"]
    edits = [(span, f" :{name} ") for span, name in zip(markers, named, strict=False)]
    outside = [edit for edit in edits if not any(_meets(edit[0], other) for other, _ in sent.edits)]
    return Rewritten(text, (*sent.edits, *outside)), named


def _meets(marker: Span, edited: Span) -> bool:
    """Within what is replaced as a whole there are no parameters any more."""
    return edited.start < marker.end and marker.start < edited.end


def spark_arguments(text: str, parameters: Parameters | None, zone: ZoneInfo) -> Any:
    """A list for ``?``, a dict for ``:name``, None for neither; times without a zone are of the lake's."""
    match parameters:
        case None:
            return None
        case Mapping():
            return {name: _value(value, zone) for name, value in parameters.items()} or None
        case str() | bytes() | bytearray():
            pass
        case Sequence():
            _check_count(text, len(parameters))
            return [_value(value, zone) for value in parameters] or None
    raise InterfaceError(
        f"parameters must be a list, a tuple or a dict, not {type(parameters).__name__}",
        hint="put a single value into a list: [value]",
    )


def _check_count(text: str, given: int) -> None:
    places = sum(span.of(text) == "?" for span in parameter_markers(tokenize(text)))
    if places < given:
        raise ProgrammingError(
            f"the number of parameters is {given}, but the number of placeholders is {places}"
        )


def _value(value: Any, zone: ZoneInfo) -> Any:
    match value:
        case datetime():
            return value if value.tzinfo else value.replace(tzinfo=zone)
        case bool() | float() | str() | bytes() | Decimal() | date() | time() | timedelta() | None:
            return value
        case int():
            return _number(value)
        case UUID():
            return str(value)
        case bytearray() | memoryview():
            return bytes(value)
        case list() | tuple() if value and None not in value:
            return [_value(item, zone) for item in value]
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        return _value(value.item(), zone)
    raise InterfaceError(
        f"{_described(value)} cannot be a parameter",
        hint="supported types: None, numbers, strings, bytes, dates, times, and lists of these",
    )


def _number(value: int) -> int | Decimal:
    if -_LONG <= value < _LONG:
        return int(value)
    if len(str(abs(value))) > _DECIMAL_DIGITS:
        raise InterfaceError(f"a number of more than {_DECIMAL_DIGITS} digits cannot be a parameter")
    return Decimal(value)


def _described(value: object) -> str:
    if isinstance(value, list | tuple):
        return "a list with None in it" if value else "an empty list"
    return f"a value of type {type(value).__name__}"
