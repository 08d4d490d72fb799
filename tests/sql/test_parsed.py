from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import SqlSyntaxError
from headrace.features.dynamic_tables.grammar_statements import RefreshDynamicTable
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.statements import Passthrough
from headrace.sql.spark.effects import EffectKind
from headrace.sql.tokens.lexer import tokenize
from headrace.sql.tokens.split import split

PIECES = ["select", " ", ";", "'", '"', "`", "--", "/*", "*/", "/*+", "\n", "$", "$a$", "r'", "\\"]
WORDS = ["1", "1.5e3L", "a", "begin", "end", "case", ".", "<=>", "(", ")", "https://x/y?z=1"]


@given(st.lists(st.sampled_from(PIECES + WORDS), max_size=25).map("".join))
def test_tokens_of_a_script_are_those_of_its_statements(script):
    try:
        statements = split(script)
    except SqlSyntaxError:
        return
    for statement in statements:
        assert ParsedStatement.of(statement).tokens == tokenize(statement.text)


def test_facts_of_a_statement():
    insert = ParsedStatement("INSERT INTO t SELECT * FROM s")
    assert insert.node == Passthrough(insert.text)
    assert [(effect.kind, effect.target) for effect in insert.effects] == [(EffectKind.INSERT, ("t",))]
    assert [relation.parts for relation in insert.relations] == [("s",)]
    assert insert.kind == "INSERT"
    assert not insert.is_explain
    assert not insert.is_block
    assert isinstance(ParsedStatement("refresh dynamic table d").node, RefreshDynamicTable)


def test_each_fact_is_found_once():
    statement = ParsedStatement("EXPLAIN SELECT * FROM t")
    assert statement.is_explain
    assert statement.tokens is statement.tokens
    assert statement.effects is statement.effects
    assert statement.relations is statement.relations
    assert statement.node is statement.node


def test_an_unchanged_text_is_not_read_again():
    statement = ParsedStatement("SELECT 1")
    assert statement.with_text("SELECT 1") is statement
    assert [token.text for token in statement.with_text("SELECT 2").tokens] == ["SELECT", "2"]


def test_first_words():
    statement = ParsedStatement("/* c */ use `schema`")
    assert statement.starts_with("USE")
    assert not statement.starts_with("USE", "SCHEMA")
    assert not ParsedStatement("").starts_with("USE")
