"""``headrace demo``: a sales dashboard in three layers, shown statement by statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from headrace.cli.report import write
from headrace.cli.running import Engine, run
from headrace.errors import Cancelled, LakeError
from headrace.lake.directory import is_lake, make_lake
from headrace.model.text_table import text_table
from headrace.sql.tokens.split import split

MARK = "made-by-headrace-demo"
"""A file in the lake's directory; without it the demo keeps its hands off."""

STATEMENT_WIDTH = 100


@dataclass(frozen=True)
class Chapter:
    title: str
    statements: tuple[str, ...]

    @property
    def starts_over(self) -> bool:
        return self.statements[0].startswith("DROP")


def chapters() -> list[Chapter]:
    """The demo's script, a chapter per ``-- #`` line."""
    text = (files("headrace.cli") / "demo.sql").read_text(encoding="utf-8")
    parts = re.split(r"^-- # (.*)$", text, flags=re.MULTILINE)[1:]
    return [
        Chapter(title, tuple(statement.text for statement in split(body)))
        for title, body in zip(parts[::2], parts[1::2], strict=True)
    ]


def prepare(lake: Path) -> bool:
    """Make the demo's lake, or find it from last time; says whether it was there."""
    if (lake / MARK).exists():
        return True
    if is_lake(lake):
        raise LakeError(
            f"{lake} is a lake that was not created by the demo; nothing in it was changed",
            hint="use another directory: headrace demo DIR",
        )
    make_lake(lake)
    (lake / MARK).write_text(
        "headrace demo may drop and recreate its tables in this lake\n", encoding="utf-8"
    )
    return False


def play(engine: Engine, again: bool) -> None:
    """Run the script, showing each statement and what queries return."""
    for chapter in chapters():
        if chapter.starts_over and not again:
            continue
        write(f"\n{chapter.title}")
        for statement in chapter.statements:
            _show_and_run(engine, statement)


def one_line(statement: str) -> str:
    """The statement's beginning, as much as fits."""
    line = " ".join(statement.split())
    return line if len(line) <= STATEMENT_WIDTH else line[: STATEMENT_WIDTH - 3] + "..."


def _show_and_run(engine: Engine, statement: str) -> None:
    write(f"  {one_line(statement)}")
    finished = run(engine, statement)
    if statement.startswith("SELECT"):
        write(text_table(finished.columns, finished.rows))
    if finished.interrupted:
        raise Cancelled("cancelled")
