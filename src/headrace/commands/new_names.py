"""What something new in the lake may be called: names become directories of the warehouse."""

from __future__ import annotations

from headrace.errors import Refused
from headrace.model.quoting import show_identifier

_LONGEST = 200
"""Bytes; Iceberg adds 33 to the name of a table, and file systems take 255."""


def expect_possible(name: str) -> None:
    """One with a slash would lie inside of another table, or outside of the lake."""
    if "/" in name or name in (".", ".."):
        raise Refused(
            f"{show_identifier(name)} is not a valid name: it would refer to another directory",
            hint="use a name without slashes that does not consist only of dots",
        )
    if len(name.encode()) > _LONGEST:
        raise Refused(f"the name is longer than {_LONGEST} bytes", hint="choose a shorter one")
