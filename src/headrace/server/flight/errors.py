"""Errors as Flight has them, with our text.

Only the kinds of Flight itself are used. An exception of another class would reach the client with the stack
trace of the server in its message.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

import pyarrow.flight as flight

from headrace.errors import (
    AccessDenied,
    Cancelled,
    Error,
    InternalError,
    OperationalError,
    Refused,
)
from headrace.model.events import log_event

_LONGEST = 4000
"""Characters of a message: it travels in a header."""
_KINDS: tuple[tuple[type[Error], Any], ...] = (
    (AccessDenied, flight.FlightUnauthenticatedError),
    (Refused, flight.FlightUnauthorizedError),
    (Cancelled, flight.FlightCancelledError),
    (InternalError, flight.FlightInternalError),
    (OperationalError, flight.FlightUnavailableError),
    (Error, flight.FlightServerError),
)
F = TypeVar("F", bound=Callable[..., Any])


def flight_error(error: Error) -> Exception:
    kind = next(found for of, found in _KINDS if isinstance(error, of))
    text = str(error)
    made: Exception = kind(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
    return made


@contextmanager
def as_flight_errors() -> Iterator[None]:
    try:
        yield
    except Error as error:
        raise flight_error(error) from None
    except flight.FlightError:
        raise
    except Exception as error:  # noqa: BLE001  (whoever asked must hear of it)
        log_event("flight request failed", level=logging.ERROR, exception=error)
        raise flight_error(InternalError.of(error)) from None


def answers_errors(method: F) -> F:
    """A method of the server, whose errors reach the client in Flight's way."""

    @wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        with as_flight_errors():
            return method(*arguments, **named)

    return cast(F, call)
