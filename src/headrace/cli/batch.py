"""Scripts from start to end, or to the first error."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click

from headrace.cli.output import Output
from headrace.cli.report import exit_code
from headrace.cli.running import INTERRUPTED, Engine, run
from headrace.cli.script import Script, Step, steps_of, whole
from headrace.errors import Error


def read_steps(scripts: Iterable[Script], output: Output) -> list[Step]:
    """All statements, before any of them runs."""
    steps: list[Step] = []
    for script in scripts:
        try:
            steps += steps_of(script)
        except Error as error:
            output.error(whole(script), error)
            raise click.exceptions.Exit(exit_code(error)) from error
    return steps


def run_steps(steps: list[Step], connect: Callable[[], Engine], output: Output) -> None:
    """Connect for the first statement, whose error it is if that fails, and run them in order."""
    engine: Engine | None = None
    for step in steps:
        try:
            engine = engine or connect()
            finished = run(engine, step.statement)
        except Exception as error:
            output.error(step, error)
            raise click.exceptions.Exit(exit_code(error)) from error
        output.result(step, finished)
        if finished.interrupted:
            raise click.exceptions.Exit(INTERRUPTED)
