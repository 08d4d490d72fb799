"""Identifiers and strings as Spark SQL text."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def quote_identifier(part: str) -> str:
    """Backtick-quoted, whatever the identifier contains."""
    return "`" + part.replace("`", "``") + "`"


def show_identifier(part: str) -> str:
    """As a person would write it: quoted only where it must be."""
    return part if _PLAIN.fullmatch(part) else quote_identifier(part)


def quote_string(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def string_literal(text: str) -> str:
    """A string that Spark reads as it is: nothing in it is taken for a variable."""
    return quote_string(text).replace("${", "\\u0024{")
