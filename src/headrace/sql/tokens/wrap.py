"""Long lines of SQL broken where a space means nothing."""

from __future__ import annotations

import re

_WIDTH = 100
_PIECE = re.compile(r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[^\s])+", re.DOTALL)


def wrapped(text: str, width: int = _WIDTH) -> list[str]:
    """Lines up to ``width`` wide where they can be, continued further in."""
    return [part for line in text.splitlines() for part in _wrapped(line, width)]


def _wrapped(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    if len(line) <= width:
        return [line]
    lines: list[str] = []
    current = ""
    for piece in _PIECE.findall(line):
        start = current or (f"{indent}    " if lines else indent)
        longer = f"{start} {piece}" if current else f"{start}{piece}"
        if current and len(longer) > width:
            lines.append(current)
            longer = f"{indent}    {piece}"
        current = longer
    return [*lines, current]
