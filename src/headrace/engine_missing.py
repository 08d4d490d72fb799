"""What to say where headrace-client is installed without the engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.errors import NotSupportedError


def engine_missing(error: Exception) -> NotSupportedError | None:
    """For an import of one of the engine's modules that found nothing."""
    if not isinstance(error, ModuleNotFoundError) or not (error.name or "").startswith("headrace."):
        return None
    return NotSupportedError(
        "this requires the engine, but only headrace-client is installed",
        hint="install it with pip install headrace, or connect to a server by its URL",
    )


@contextmanager
def engine_imports() -> Iterator[None]:
    """Around imports of the engine's modules in what the client brings."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise engine_missing(error) or error from None
