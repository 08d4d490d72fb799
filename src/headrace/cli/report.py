"""How a command ends: what is said, and with which exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from headrace import errors
from headrace.cli.running import INTERRUPTED
from headrace.engine_missing import engine_missing

FAILED = 1
READER_GONE = 141
"""What a program has that dies of SIGPIPE."""


class ReaderGone(Exception):
    """Nobody reads our output any more, as in ``headrace sql ... | head``."""


@contextmanager
def exit_on_error(lake: Path) -> Iterator[None]:
    """Turn whatever the body raises into a message and an exit code."""
    try:
        yield
    except errors.Error as error:
        print_error(error, lake)
        raise click.exceptions.Exit(exit_code(error)) from error
    except KeyboardInterrupt as interrupt:
        raise click.exceptions.Exit(INTERRUPTED) from interrupt
    except ReaderGone as gone:
        _close_stdout()
        raise click.exceptions.Exit(READER_GONE) from gone
    except (click.ClickException, click.exceptions.Exit):
        raise
    except Exception as error:
        print_error(error, lake)
        raise click.exceptions.Exit(FAILED) from error


def print_error(error: Exception, lake: Path) -> None:
    """The message on stderr, with the traceback if HEADRACE_DEBUG asks for it."""
    if os.environ.get("HEADRACE_DEBUG") == "1":
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    cancelled = isinstance(error, errors.Cancelled)
    click.echo(str(error) if cancelled else f"error: {explain(error, lake)}", err=True)


def explain(error: Exception, lake: Path) -> str:
    if isinstance(error, errors.Error):
        return str(error)
    if (missing := engine_missing(error)) is not None:
        return str(missing)
    name, text = type(error).__name__, " ".join(str(error).split())
    what = f"{name}: {text[:200]}" if text else name
    return f"internal error ({what}); please report this with the logs in {lake / 'logs'}"


def exit_code(error: Exception) -> int:
    return INTERRUPTED if isinstance(error, errors.Cancelled) else FAILED


def write(text: str) -> None:
    """``text`` and a line break on stdout."""
    try:
        click.echo(text)
    except BrokenPipeError as error:
        raise ReaderGone from error


def _close_stdout() -> None:
    """Keep the interpreter from flushing into the closed pipe when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
