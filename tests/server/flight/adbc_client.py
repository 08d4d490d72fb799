"""ADBC's driver for Flight SQL, as a program in Python uses it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import adbc_driver_flightsql.dbapi as adbc

COOKIES = {"adbc.flight.sql.rpc.with_cookie_middleware": "true"}
"""With which the driver keeps a session."""
BEARER = "adbc.flight.sql.authorization_header"


@contextmanager
def connected(address: str, options: dict[str, str] | None = None) -> Iterator[Any]:
    with adbc.connect(address, db_kwargs=options or {}, autocommit=True) as connection:
        yield connection


@contextmanager
def cursor_at(address: str, options: dict[str, str] | None = None) -> Iterator[Any]:
    with connected(address, options) as connection, connection.cursor() as cursor:
        yield cursor


def fetched(cursor: Any, text: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    cursor.execute(text, parameters)
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
