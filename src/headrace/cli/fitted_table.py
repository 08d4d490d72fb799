"""A table that is no wider than the terminal: long values are cut, and end with an ellipsis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from rich.cells import cell_len, set_cell_size

from headrace.model.text_table import lines_of, on_one_line, show_value, table_border, table_line

NARROWEST = 10
"""A column that is cut below this width is not worth reading."""
ELLIPSIS = "…"

Cell = list[str]
"""Its lines."""


@dataclass(frozen=True)
class FittedTable:
    text: str
    is_cut: bool


def fitted_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int, narrowest: int = NARROWEST
) -> FittedTable | None:
    """None if the columns do not fit even when all of them are narrow."""
    header = [[on_one_line(column)] for column in columns]
    cells = [[lines_of(show_value(value)) for value in row] for row in rows]
    natural = [max(map(_cell_width, column)) for column in zip(header, *cells, strict=True)]
    widths = column_widths(natural, width, narrowest)
    return None if widths is None else FittedTable(_text(header, cells, widths), widths != natural)


def column_widths(natural: list[int], width: int, narrowest: int) -> list[int] | None:
    """All columns whole where they fit, else the widest ones cut to the same width."""
    room = width - 3 * len(natural) - 1
    if sum(natural) <= room:
        return natural
    if sum(min(each, narrowest) for each in natural) > room:
        return None
    most = _width_of_cut_columns(natural, room)
    widths = [min(each, most) for each in natural]
    spare = room - sum(widths)
    for number, each in enumerate(natural):
        if each > most and spare > 0:
            widths[number] += 1
            spare -= 1
    return widths


def _width_of_cut_columns(natural: list[int], room: int) -> int:
    ascending = sorted(natural)
    for number, each in enumerate(ascending):
        share = room // (len(ascending) - number)
        if each > share:
            return share
        room -= each
    raise ValueError("all columns fit")


def _text(header: list[Cell], rows: list[list[Cell]], widths: list[int]) -> str:
    border = table_border(widths)
    body = (line for row in rows for line in _row_lines(row, widths))
    return "\n".join([border, *_row_lines(header, widths), border, *body, border])


def _row_lines(row: list[Cell], widths: list[int]) -> Iterator[str]:
    for line in zip_longest(*row, fillvalue=""):
        cut = [_cut(text, width) for text, width in zip(line, widths, strict=True)]
        yield table_line(cut, widths)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + ELLIPSIS


def _cell_width(cell: Cell) -> int:
    return max(map(cell_len, cell))
