from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from headrace.cli.prompt import history_file, is_ready

PROMPT = r"lake\.public>"


@pytest.fixture
def terminal(fake_command: list[str], tmp_path: Path) -> Iterator[pexpect.spawn]:
    """A prompt on the fake connection, as a person sees it."""
    size_of_another = ("COLUMNS", "LINES")
    environment = {
        **{name: value for name, value in os.environ.items() if name not in size_of_another},
        "TERM": "xterm",
        "XDG_STATE_HOME": str(tmp_path),
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    child = pexpect.spawn(
        fake_command[0],
        [*fake_command[1:], "sql"],
        env=environment,
        encoding="utf-8",
        dimensions=(50, 120),
        timeout=15,
    )
    child.expect(PROMPT)
    yield child
    child.close(force=True)


def answer(terminal: pexpect.spawn, line: str, expected: str) -> None:
    terminal.send(line + "\r")
    terminal.expect(expected)
    terminal.expect(PROMPT)


def test_statements_run_and_errors_do_not_end_the_prompt(terminal: pexpect.spawn, tmp_path: Path) -> None:
    answer(terminal, "FROB;", "error: unknown: FROB")
    answer(terminal, "BOOM;", "internal error")
    answer(terminal, "SELECT gmv;", r"\| Electronics \| 1841\.00 \|")
    terminal.send("exit\r")
    terminal.expect(pexpect.EOF)
    assert terminal.wait() == 0
    assert "+SELECT gmv;" in (tmp_path / "headrace" / "history").read_text()


def test_enter_goes_on_until_the_statement_is_complete(terminal: pexpect.spawn) -> None:
    terminal.send("SELECT\r")
    terminal.expect(r"\.\.\. >")
    terminal.send("gmv;\r")
    terminal.expect("unknown: SELECT")
    terminal.expect(PROMPT)


def test_backslash_x_switches_to_one_line_per_value_and_back(terminal: pexpect.spawn) -> None:
    answer(terminal, "SELECT long;", r"\| 1 \| y{111}… \|\r\n.*some values are truncated")
    answer(terminal, "\\x", "Vertical display is on")
    answer(terminal, "SELECT long;", r"-\[ row 1 \]-+\r\nn    \| 1\r\ntext \| y+")
    answer(terminal, "\\x", "Vertical display is auto")
    answer(terminal, "SELECT gmv;", r"\| Electronics \| 1841\.00 \|")
    answer(terminal, "\\y", r"\\y is unknown")


def test_rows_that_do_not_fit_are_shown_vertically(terminal: pexpect.spawn) -> None:
    answer(terminal, "SELECT wide;", r"-\[ row 1 \]-+\r\ncolumn_0  \| x{20}\r\n")
    answer(terminal, "\\x off", "Vertical display is off")
    answer(terminal, "SELECT wide;", r"\| x{5,8}… \| ")


def test_texts_and_refreshes_are_shown_without_a_table(terminal: pexpect.spawn) -> None:
    answer(terminal, "SHOW CREATE TABLE t;", r"CREATE TABLE t \(\r\n  a INT\)\r\nUSING iceberg\r\n")
    answer(terminal, "REFRESH DYNAMIC TABLE t;", r"FULL in 2\.00 s: \+4 -0 rows, job 2024-1\r\n")


def test_ctrl_c_cancels_the_statement_and_keeps_the_prompt(terminal: pexpect.spawn) -> None:
    terminal.send("SLEEP;\r")
    time.sleep(1)
    terminal.sendintr()
    terminal.expect("cancelled")
    terminal.expect(PROMPT)
    terminal.send("half a statement\x03")
    terminal.expect(PROMPT)
    answer(terminal, "SELECT gmv;", "1841")


def test_tab_completes_table_names_and_keywords(terminal: pexpect.spawn) -> None:
    time.sleep(0.5)
    terminal.send("ods_o\t")
    terminal.expect("rders")
    answer(terminal, ";", "error: unknown: ods_orders")
    terminal.send("dynam\t")
    terminal.expect("DYNAMIC")
    answer(terminal, ";", "error: unknown: DYNAMIC")


def test_help_and_ctrl_d(terminal: pexpect.spawn) -> None:
    answer(terminal, "\\?", "Tab completes")
    answer(terminal, "help", "Tab completes")
    terminal.sendeof()
    terminal.expect(pexpect.EOF)
    assert terminal.wait() == 0


@pytest.mark.parametrize("text", ["", "  ", "exit", "quit;", "\\q", "HELP", "SELECT 1;", "SELECT ';';"])
def test_enter_sends(text: str) -> None:
    assert is_ready(text)


@pytest.mark.parametrize("text", ["SELECT 1", "SELECT ';", "-- x;", "SELECT 1; SELECT"])
def test_enter_starts_a_new_line(text: str) -> None:
    assert not is_ready(text)


def test_the_history_is_in_the_state_directory() -> None:
    assert history_file({"XDG_STATE_HOME": "/s"}) == Path("/s/headrace/history")
    assert history_file({}) == Path.home() / ".local/state/headrace/history"
