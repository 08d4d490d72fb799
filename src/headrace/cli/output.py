"""Results on stdout, as tables, values one below the other, JSON lines or CSV; all about them on stderr."""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from headrace.cli.plain_text import plain_text
from headrace.cli.refresh_line import refresh_line
from headrace.cli.report import explain, print_error, write
from headrace.cli.row_layout import Shown, Vertical, show_rows, terminal_width
from headrace.cli.running import Finished
from headrace.cli.script import Step
from headrace.errors import Error, InternalError
from headrace.model.counted import counted
from headrace.model.json_value import json_value
from headrace.model.text_table import show_value
from headrace.wire import encode_error


@dataclass
class Output(ABC):
    lake: Path

    @abstractmethod
    def result(self, step: Step, finished: Finished) -> None: ...

    @abstractmethod
    def error(self, step: Step, error: Exception) -> None: ...


class TextOutput(Output):
    """For people: notices, counts and errors on stderr."""

    def error(self, step: Step, error: Exception) -> None:
        step.locate(error)
        print_error(error, self.lake)
        if step.script.file not in (None, "-"):
            click.echo(f"in {step.script.file}", err=True)


@dataclass
class TableOutput(TextOutput):
    vertical: Vertical = Vertical.AUTO

    def result(self, step: Step, finished: Finished) -> None:
        if line := self._summary(step, finished):
            write(line)
            _print_notices(finished)
            return
        shown = self._shown(step, finished) if finished.columns else Shown("")
        if shown.text:
            write(shown.text)
        _print_notices(finished)
        _print_row_count(finished, shown.is_cut)

    def _summary(self, step: Step, finished: Finished) -> str | None:
        if self.vertical is Vertical.ON:
            return None
        return refresh_line(step.statement, finished.columns, finished.rows)

    def _shown(self, step: Step, finished: Finished) -> Shown:
        plain = plain_text(step.statement, finished.columns, finished.rows)
        if plain is not None:
            return Shown(plain)
        return show_rows(finished.columns, finished.rows, terminal_width(), self.vertical)


@dataclass
class CsvOutput(TextOutput):
    """One header and its rows per result, a blank line between results."""

    separator: str = ""

    def result(self, step: Step, finished: Finished) -> None:
        if finished.columns:
            separator, self.separator = self.separator, "\n"
            write(separator + csv_text(finished.columns, finished.rows))
        _print_notices(finished)
        _print_row_count(finished)


class JsonOutput(Output):
    """One object on one line per statement; places in errors are counted from its start."""

    def result(self, step: Step, finished: Finished) -> None:
        report: dict[str, Any] = {
            "statement": step.statement.strip(),
            "columns": list(finished.columns),
            "rows": json_value(finished.rows),
            "elapsed_s": round(finished.elapsed_s, 3),
        }
        if finished.notices:
            report["notices"] = list(finished.notices)
        write(json.dumps(report, ensure_ascii=False, allow_nan=False))

    def error(self, step: Step, error: Exception) -> None:
        known = error if isinstance(error, Error) else InternalError(explain(error, self.lake))
        report = {"statement": step.statement.strip(), "error": encode_error(known)}
        write(json.dumps(report, ensure_ascii=False))


OUTPUTS: dict[str, Callable[[Path], Output]] = {
    "table": TableOutput,
    "vertical": lambda lake: TableOutput(lake, Vertical.ON),
    "json": JsonOutput,
    "csv": CsvOutput,
}


def csv_text(columns: Sequence[str], rows: list[tuple[Any, ...]]) -> str:
    """Without the last line break; null is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else show_value(value) for value in row] for row in rows)
    return text.getvalue().removesuffix("\n")


def _print_notices(finished: Finished) -> None:
    for notice in finished.notices:
        click.echo(f"notice: {notice}", err=True)


def _print_row_count(finished: Finished, is_cut: bool = False) -> None:
    count = len(finished.rows)
    rows = counted(count, "row")
    seconds = f"{finished.elapsed_s:.2f} s"
    cut = "; some values are truncated; use \\x or --output vertical to show them" if is_cut else ""
    click.echo(f"({rows}, {seconds}{cut})" if finished.columns else f"ok ({seconds})", err=True)
