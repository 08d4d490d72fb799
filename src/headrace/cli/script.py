"""Scripts as they come in: typed, from a file or from stdin, and the statements in them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from headrace.errors import Error
from headrace.sql.tokens.positions import moved
from headrace.sql.tokens.split import StatementText, split


@dataclass(frozen=True)
class Script:
    text: str
    file: str | None = None
    """None: typed by the user."""


@dataclass(frozen=True)
class Step:
    """A statement and where it comes from."""

    statement: str
    script: Script
    offset: int

    def locate(self, error: Exception) -> None:
        """Count the error's place from the start of the script, as an editor does."""
        if isinstance(error, Error) and error.place:
            error.place = moved(error.place, self.statement, self.script.text, self.offset)


def read_script(file: str) -> Script:
    """A file, or stdin for ``-``."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return Script(data.decode("utf-8-sig"), file)
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8; save it as UTF-8"
        raise click.UsageError(f"{file} cannot be read: {reason}") from error


def steps_of(script: Script) -> list[Step]:
    return [_step(statement, script) for statement in split(script.text)]


def whole(script: Script) -> Step:
    """The script as one step, for an error that keeps it from being split; its places are the script's."""
    return Step(script.text, script, 0)


def _step(statement: StatementText, script: Script) -> Step:
    return Step(statement.text, script, statement.offset)
