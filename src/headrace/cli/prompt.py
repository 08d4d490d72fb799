"""The interactive prompt."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output.defaults import create_output
from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]

from headrace.cli.output import Output, TableOutput
from headrace.cli.report import ReaderGone
from headrace.cli.row_layout import Vertical
from headrace.cli.running import Engine, in_background, run
from headrace.cli.script import Script, steps_of, whole
from headrace.model.user_directories import state_directory
from headrace.sql.tokens.keywords import KEYWORDS
from headrace.sql.tokens.split import is_complete

LEAVE = frozenset({"\\q", "exit", "quit"})
HELP = frozenset({"\\?", "help"})
VERTICAL = re.compile(r"\\x(?: +(on|off|auto))?")
HELP_TEXT = """\
A statement ends with ; and may take several lines. Tab completes keywords and table names.
  SHOW TABLES;   SHOW DYNAMIC TABLES;   DESC EXTENDED name;
  CREATE DYNAMIC TABLE name REFRESH INTERVAL 5 MINUTE AS SELECT ...;
  REFRESH DYNAMIC TABLE name;   SHOW DYNAMIC TABLE REFRESH HISTORY LIMIT 10;
\\x switches between one line per value and tables; also \\x on, \\x off, \\x auto.
Ctrl-C cancels a running statement or clears the line; Ctrl-D, exit or \\q quits."""


class InteractiveSession(Engine, Protocol):
    """The part of a connection that a prompt needs."""

    @property
    def workspace(self) -> str: ...
    @property
    def schema(self) -> str: ...
    def table_names(self) -> list[str]: ...


def converse(session: InteractiveSession, output: Output) -> None:
    """Read and run statements until the user leaves."""
    tables = _TableNames(session.table_names)
    ask = _prompt(tables)
    click.echo("Statements end with ;   \\? shows help, \\q quits.", err=True)
    while True:
        tables.refresh()
        try:
            text = ask.prompt(f"{session.workspace}.{session.schema}> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        command = _command(text)
        if command in LEAVE:
            return
        if command in HELP:
            click.echo(HELP_TEXT)
        elif switch := VERTICAL.fullmatch(command):
            click.echo(switch_vertical(output, switch[1]), err=True)
        elif command.startswith("\\"):
            click.echo(f"{command} is unknown; \\? lists the commands", err=True)
        else:
            _run_entry(session, Script(text), output)


def history_file(environ: Mapping[str, str] = os.environ) -> Path:
    return state_directory(environ) / "history"


def is_ready(text: str) -> bool:
    """Whether Enter sends the text rather than starting a new line."""
    command = _command(text)
    return not command or command in LEAVE | HELP or command.startswith("\\") or is_complete(text)


def switch_vertical(output: Output, setting: str | None) -> str:
    """To the setting, or without one from automatic to vertical and back. Returns what to tell the user."""
    if not isinstance(output, TableOutput):
        return "\\x requires --output table"
    toggled = Vertical.AUTO if output.vertical is Vertical.ON else Vertical.ON
    output.vertical = Vertical(setting) if setting else toggled
    return f"Vertical display is {output.vertical.value}."


class _TableNames:
    """As of the last statement; fetched in the background, so that typing never waits."""

    def __init__(self, fetch: Callable[[], list[str]]) -> None:
        self._fetch = fetch
        self._names: list[str] = []

    def refresh(self) -> None:
        in_background(self._update)

    def words(self) -> list[str]:
        return [*self._names, *KEYWORDS]

    def _update(self) -> None:
        self._names = self._fetch()


def _run_entry(session: InteractiveSession, script: Script, output: Output) -> None:
    step = whole(script)
    try:
        for step in steps_of(script):
            finished = run(session, step.statement)
            output.result(step, finished)
            if finished.interrupted:
                return
    except ReaderGone:
        raise
    except Exception as error:  # noqa: BLE001  (whatever it is, the prompt goes on)
        output.error(step, error)


def _command(text: str) -> str:
    return text.strip().removesuffix(";").rstrip().lower()


def _prompt(tables: _TableNames) -> PromptSession[str]:
    return PromptSession(
        multiline=True,
        prompt_continuation=lambda width, line, wrapped: "... > ".rjust(width),
        lexer=PygmentsLexer(SqlLexer),
        completer=WordCompleter(tables.words, ignore_case=True, pattern=re.compile(r"[\w.`]+")),
        complete_while_typing=False,
        history=_history(),
        key_bindings=_keys(),
        output=create_output(always_prefer_tty=True),
    )


def _history() -> History:
    file = history_file()
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        return FileHistory(str(file))
    return InMemoryHistory()


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        if is_ready(event.current_buffer.text):
            event.current_buffer.validate_and_handle()
        else:
            event.current_buffer.insert_text("\n")

    return keys
