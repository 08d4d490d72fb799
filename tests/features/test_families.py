"""The table of statement families: it is complete, and a family needs nothing beside its entry."""

import inspect
import subprocess
import sys
from typing import get_args, get_type_hints

import pytest

import headrace.commands.execute
import headrace.sql.parsing.grammar
from headrace.commands.execute import execute, function_of
from headrace.errors import InterfaceError, SqlSyntaxError
from headrace.features.families import FAMILIES, STATEMENTS
from headrace.features.family import Family, StatementTable
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Passthrough, Statement
from tests.features.made_up_family import ECHO, Echo


@pytest.fixture
def with_echo(monkeypatch):
    table = StatementTable((*FAMILIES, ECHO))
    monkeypatch.setattr(headrace.sql.parsing.grammar, "STATEMENTS", table)
    monkeypatch.setattr(headrace.commands.execute, "STATEMENTS", table)


def all_statements(base=Statement):
    for each in base.__subclasses__():
        yield each
        yield from all_statements(each)


def test_a_family_is_known_by_its_entry_in_the_table(with_echo):
    statement = ParsedStatement("echo 'hello'")
    assert statement.node == Echo("hello")
    assert execute(statement, None, None).fetchall() == [("hello",)]


def test_the_rule_of_a_new_family_gives_its_form_as_hint(with_echo):
    with pytest.raises(SqlSyntaxError) as raised:
        parse_statement("ECHO hello")
    assert (raised.value.message, raised.value.hint) == (
        "expected a text in quotes, found hello",
        "ECHO 'text'",
    )


def test_parameters_are_refused_where_the_table_does_not_accept_them(with_echo):
    with pytest.raises(InterfaceError, match="this statement does not accept parameters"):
        execute(ParsedStatement("ECHO 'hello'"), ["x"], None)


def test_a_family_that_is_not_in_the_table_is_unknown():
    assert parse_statement("ECHO 'hello'") == Passthrough("ECHO 'hello'")


def test_every_kind_of_statement_has_a_command():
    product = {each for each in all_statements() if each.__module__.startswith("headrace.")}
    bases = {each.__mro__[1] for each in product} & product
    assert product - bases == set(STATEMENTS.commands)


@pytest.mark.parametrize("statement", STATEMENTS.commands, ids=lambda each: each.__name__)
def test_every_command_takes_its_statement_the_input_and_the_context(statement):
    function = function_of(STATEMENTS.commands[statement].function)
    taken, *rest = inspect.signature(function).parameters
    assert rest == ["given", "context"]
    hint = get_type_hints(function)[taken]
    assert issubclass(statement, get_args(hint) or hint)


def test_two_families_cannot_share_first_words_or_a_statement():
    with pytest.raises(ValueError, match="two rules begin with ECHO"):
        StatementTable((ECHO, Family("tests", (Rule("ECHO", None, lambda _: None),), {})))
    with pytest.raises(ValueError, match="two commands execute Echo"):
        StatementTable((ECHO, Family("tests", (), ECHO.commands)))


def test_parsing_loads_no_command():
    code = "import sys, headrace.sql.parsed; print([m for m in sys.modules if 'headrace.commands' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
