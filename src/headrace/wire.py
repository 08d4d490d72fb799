"""Values and errors as JSON, between a server and its clients."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from headrace import errors
from headrace.errors import Error, InterfaceError, Place
from headrace.model.json_value import json_value
from headrace.model.parameters import Parameters

ARROW_STREAM = "application/vnd.apache.arrow.stream"


def encode_parameters(parameters: Parameters | None) -> Any:
    match parameters:
        case None:
            return None
        case Mapping():
            return {name: encode_value(value) for name, value in parameters.items()}
        case Sequence() if not isinstance(parameters, str | bytes | bytearray):
            return [encode_value(value) for value in parameters]
    raise InterfaceError(
        f"parameters must be a list, a tuple or a dict, not {type(parameters).__name__}",
        hint="put a single value into a list: [value]",
    )


def decode_parameters(encoded: Any) -> Parameters | None:
    match encoded:
        case None:
            return None
        case dict():
            return {name: decode_value(value) for name, value in encoded.items()}
        case list():
            return [decode_value(value) for value in encoded]
    raise InterfaceError("parameters must be a list or an object")


def encode_value(value: Any) -> Any:
    """What JSON has no word for is an object with its type as the only key."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"double": str(value)}
        case Decimal():
            return {"decimal": str(value)}
        case datetime():
            return {"timestamp": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case time():
            return {"time": value.isoformat()}
        case timedelta():
            return {"microseconds": value // timedelta(microseconds=1)}
        case bytes() | bytearray() | memoryview():
            return {"base64": base64.b64encode(bytes(value)).decode()}
        case UUID():
            return str(value)
        case list() | tuple():
            return [encode_value(item) for item in value]
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        return encode_value(value.item())
    raise InterfaceError(
        f"a value of type {type(value).__name__} cannot be a parameter",
        hint="supported types: None, numbers, strings, bytes, dates, times, and lists of these",
    )


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "double": float,
    "decimal": Decimal,
    "timestamp": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "microseconds": lambda count: timedelta(microseconds=count),
    "base64": lambda text: base64.b64decode(text, validate=True),
}


def decode_value(encoded: Any) -> Any:
    match encoded:
        case None | bool() | int() | float() | str():
            return encoded
        case list():
            return [decode_value(item) for item in encoded]
        case dict() if len(encoded) == 1 and (kind := next(iter(encoded))) in _DECODERS:
            try:
                return _DECODERS[kind](encoded[kind])
            except (ValueError, TypeError, ArithmeticError) as error:
                raise InterfaceError(f"{encoded[kind]!r} is not a valid {kind}") from error
    raise InterfaceError(
        f"{encoded!r} is not a valid parameter value", hint=f"known types: {', '.join(_DECODERS)}"
    )


@dataclass(frozen=True)
class ErrorView:
    kind: str
    """The class of the error in Python."""
    message: str
    hint: str | None
    place: Place | None


def error_view(error: Error) -> ErrorView:
    return ErrorView(type(error).__name__, error.message, error.hint, error.place)


def encode_error(error: Error) -> Any:
    return json_value(error_view(error))


def decode_error(encoded: Mapping[str, Any]) -> Error:
    kind = getattr(errors, str(encoded.get("kind")), errors.InternalError)
    if not (isinstance(kind, type) and issubclass(kind, Error)):
        kind = errors.InternalError
    place = encoded.get("place")
    return kind(
        str(encoded.get("message", "the server returned an error without a message")),
        hint=encoded.get("hint"),
        place=Place(**place) if place else None,
    )
