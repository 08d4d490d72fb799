"""A result with one line per value, for rows that are too wide for a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from headrace.model.text_table import lines_of, on_one_line, show_value

_RULE_WIDTH = 60


def vertical_text(columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int | None = None) -> str:
    """Empty when there are no rows. Values keep their line breaks and are never cut."""
    names = [on_one_line(column) for column in columns]
    label_width = max(map(cell_len, names), default=0)
    labels = [set_cell_size(name, label_width) for name in names]
    rule_width = min(_RULE_WIDTH, width or _RULE_WIDTH)
    lines: list[str] = []
    for number, row in enumerate(rows, 1):
        lines.append(f"-[ row {number} ]".ljust(rule_width, "-"))
        for label, value in zip(labels, row, strict=True):
            lines += _value_lines(label, show_value(value), label_width)
    return "\n".join(lines)


def _value_lines(label: str, value: str, label_width: int) -> Iterator[str]:
    first, *others = lines_of(value, keep_tabs=True)
    yield f"{label} | {first}".rstrip()
    yield from (f"{' ' * (label_width + 3)}{line}".rstrip() for line in others)
