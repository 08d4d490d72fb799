import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.features.dynamic_tables.grammar_statements import ResetArgument, SetArgument, ShowArgument
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Passthrough
from tests.features.grammar_checks import syntax_error


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("SET dt.args.bizdate = 2024-06-01", "bizdate", "2024-06-01"),
        ("set dt.args.bizdate=2024-06-01;", "bizdate", "2024-06-01"),
        ("set dt.args.bizdate = '2024-06-01'", "bizdate", "2024-06-01"),
        ('set dt.args.x = "it\'s"', "x", "it's"),
        ("SET `dt.args.my date` = 'x'", "my date", "x"),
        ("set `dt`.args.`x` = 'a' 'b'", "x", "ab"),
        ("set DT.Args.bizDate = A b  C", "bizDate", "A b  C"),
        ("set dt.args.a.b = a, (b", "a.b", "a, (b"),
        ("set dt.args.x = ''", "x", ""),
        ("set dt.args.x = NULL", "x", "NULL"),
        ("set /* an argument */ dt.args.x\n = -- follows\n 1.50 -- end", "x", "1.50"),
        ("set dt.args.x = a = b", "x", "a = b"),
        ("set dt.args.set = set", "set", "set"),
    ],
)
def test_set(text, name, value):
    statement = parse_statement(text)
    assert isinstance(statement, SetArgument)
    assert (statement.name.text, statement.value.text) == (name, value)


def test_places():
    text = "SET `dt.args.x` = 'a' 'b'"
    statement = parse_statement(text)
    assert statement.name.span.of(text) == "`dt.args.x`"
    assert statement.value.span.of(text) == "'a' 'b'"


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("set dt.args.x", ShowArgument, "x"),
        ("SET `dt.args.a b`;", ShowArgument, "a b"),
        ("reset dt.args.x", ResetArgument, "x"),
        ("RESET `dt.args.x`;", ResetArgument, "x"),
    ],
)
def test_show_and_reset(text, kind, name):
    statement = parse_statement(text)
    assert isinstance(statement, kind)
    assert statement.name.text == name


@given(st.text(alphabet=st.characters(exclude_characters="\\'", exclude_categories=["Cs"])))
def test_any_value_in_quotes_is_kept(value):
    assert parse_statement(f"set dt.args.x = '{value}'").value.text == value


@pytest.mark.parametrize(
    "text",
    [
        "set",
        "set -v",
        "set query_tag = 'x'",
        "set spark.sql.ansi.enabled = false",
        "set `spark.x y` = 1",
        "set dt.args = 1",
        "set dt.argsx.y = 1",
        "set dt = args.x",
        "set x.dt.args.y = 1",
        "set time zone 'UTC'",
        "set time zone local",
        "set var dt = 1",
        "set variable (a, b) = (select 1, 2)",
        "set catalog lake",
        "set role none",
        "reset",
        "reset spark.sql.ansi.enabled",
        "reset query_tag",
    ],
)
def test_the_rest_is_sparks(text):
    assert parse_statement(text) == Passthrough(text)


BAD = [
    ("set dt.args. = 1", "expected a name after the dot, found =", 14),
    ("set `dt.args.` = 1", "the name of an argument is missing", 5),
    ("set dt.args.x =", "expected a value after =, found the end of the statement", 16),
    ("set dt.args.x 1", "expected =, found 1", 15),
    ("set dt.args.x == 1", "expected =, found ==", 15),
    ("set dt.args.a-b = 1", "unexpected - in a name", 14),
    ("set dt.args.x = a; b", "unexpected ;", 18),
    ("set dt.args.x = 'a", "this string has no closing quote", 17),
    ("reset dt.args.", "expected a name after the dot, found the end of the statement", 15),
    ("reset dt.args.x y", "unexpected y", 17),
]


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text for text, *_ in BAD])
def test_bad_input(text, message, column):
    syntax_error(text, message, column)
