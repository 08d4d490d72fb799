"""How rows are laid out: as a table, cut to the terminal's width, or with one line per value."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from headrace.cli.fitted_table import NARROWEST, fitted_table
from headrace.cli.vertical import vertical_text
from headrace.model.text_table import text_table


class Vertical(Enum):
    """When rows are shown with one line per value."""

    AUTO = "auto"
    """On a terminal, where the columns do not fit even when they are cut."""
    ON = "on"
    OFF = "off"


@dataclass(frozen=True)
class Shown:
    text: str
    is_cut: bool = False
    """Some values are longer than what is shown of them."""


def show_rows(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    width: int | None,
    vertical: Vertical = Vertical.AUTO,
) -> Shown:
    """``width`` is that of a terminal; None: the reader is a program or a file, and nothing is cut."""
    if vertical is Vertical.ON:
        return Shown(vertical_text(columns, rows, width))
    if width is None:
        return Shown(text_table(columns, rows))
    is_auto = vertical is Vertical.AUTO
    fitted = fitted_table(columns, rows, width, NARROWEST if is_auto else 1)
    if fitted is not None:
        return Shown(fitted.text, fitted.is_cut)
    return Shown(vertical_text(columns, rows, width) if is_auto else text_table(columns, rows))


def terminal_width() -> int | None:
    """In characters; None where stdout is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
