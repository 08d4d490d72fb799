"""What stands in a query for values that are given later."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.sql.parsed import ParsedStatement
from headrace.sql.query_parameters import (
    argument_key,
    bind,
    bind_settings,
    parameter_names,
    parameter_of,
)
from headrace.sql.tokens.lexer import Kind, tokenize

QUERY = (
    "SELECT SESSION_CONFIGS()['dt.args.day'] AS d FROM t WHERE a = session_configs ( ) [ 'DT.ARGS.Least' ]"
)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (QUERY, ("day", "least")),
        (f"WITH c AS ({QUERY}) SELECT * FROM c, ({QUERY})", ("day", "least")),
        ("SELECT SESSION_CONFIGS()['spark.sql.ansi.enabled']", ()),
        ("SELECT SESSION_CONFIGS()['dt.args.']", ()),
        ("SELECT SESSION_CONFIGS()[key], session_configs, 'SESSION_CONFIGS()[''dt.args.x'']'", ()),
        ("SELECT 1 -- SESSION_CONFIGS()['dt.args.x']", ()),
    ],
)
def test_names(query: str, names: tuple[str, ...]) -> None:
    assert parameter_names(query) == names


def test_a_parameter_and_its_setting() -> None:
    assert argument_key("BizDate") == "dt.args.bizdate"
    assert parameter_of("DT.Args.BizDate") == "bizdate"
    assert parameter_of("dt.args") is parameter_of("dt.args.") is parameter_of(None) is None


def test_bind() -> None:
    bound = bind(QUERY, {"day": "it's", "least": "5"})
    assert " ".join(bound.split()) == r"SELECT 'it\'s' AS d FROM t WHERE a = '5'"


def test_what_follows_keeps_its_place() -> None:
    assert bind(QUERY, {"day": "2024", "least": "5"}).index("WHERE") == QUERY.index("WHERE")


def test_what_has_no_value_stays() -> None:
    assert bind(QUERY, {}) == QUERY
    assert "DT.ARGS.Least" in bind(QUERY, {"day": "2024"})


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_value_is_one_string(value: str) -> None:
    bound = bind("SELECT SESSION_CONFIGS()['dt.args.x'] AS x", {"x": value})
    (literal,) = (token for token in tokenize(bound) if token.kind is Kind.STRING)
    assert "${" not in bound
    assert literal.value == value


def test_settings_of_a_session() -> None:
    query = "SELECT SESSION_CONFIGS()['Dt.Args.X'], SESSION_CONFIGS()['query_tag'], SESSION_CONFIGS()['no']"
    bound = bind_settings(ParsedStatement(query), {"dt.args.x": "1", "query_tag": "nightly"}.get).text
    assert " ".join(bound.replace(" ,", ",").split()) == "SELECT '1' , 'nightly' , CAST(NULL AS STRING)"
