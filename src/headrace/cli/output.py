"""Results on stdout, as a table, JSON lines or CSV; everything about them on stderr."""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from headrace.cli.report import explain, tell, write
from headrace.cli.running import Finished
from headrace.cli.script import Step
from headrace.model.text_table import json_value, show_value, text_table


@dataclass
class Output(ABC):
    lake: Path

    @abstractmethod
    def result(self, step: Step, finished: Finished) -> None: ...

    @abstractmethod
    def error(self, step: Step, error: Exception) -> None: ...


class TableOutput(Output):
    def result(self, step: Step, finished: Finished) -> None:
        if finished.columns:
            write(self.text(finished))
        _tell_about(finished)

    def text(self, finished: Finished) -> str:
        return text_table(finished.columns, finished.rows)

    def error(self, step: Step, error: Exception) -> None:
        step.locate(error)
        tell(error, self.lake)
        if step.script.file not in (None, "-"):
            click.echo(f"in {step.script.file}", err=True)


@dataclass
class CsvOutput(TableOutput):
    """One header and its rows per result, a blank line between results."""

    separator: str = ""

    def text(self, finished: Finished) -> str:
        separator, self.separator = self.separator, "\n"
        return separator + csv_text(finished.columns, finished.rows)


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
        report = {"statement": step.statement.strip(), "error": explain(error, self.lake)}
        write(json.dumps(report, ensure_ascii=False))


OUTPUTS: dict[str, type[Output]] = {"table": TableOutput, "json": JsonOutput, "csv": CsvOutput}


def csv_text(columns: Sequence[str], rows: list[tuple[Any, ...]]) -> str:
    """Without the last line break; null is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else show_value(value) for value in row] for row in rows)
    return text.getvalue().removesuffix("\n")


def _tell_about(finished: Finished) -> None:
    for notice in finished.notices:
        click.echo(f"notice: {notice}", err=True)
    count = len(finished.rows)
    rows = f"{count} row{'' if count == 1 else 's'}"
    seconds = f"{finished.elapsed_s:.2f} s"
    click.echo(f"({rows}, {seconds})" if finished.columns else f"ok ({seconds})", err=True)
