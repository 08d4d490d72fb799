from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.lexer import Kind, tokenize


def kinds(text):
    return [(token.kind.name, token.text) for token in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a1 `b``c`", [("WORD", "a1"), ("QUOTED", "`b``c`")]),
        ("1L 1.5bd 1e3 .5", [("NUMBER", "1L"), ("NUMBER", "1.5bd"), ("NUMBER", "1e3"), ("NUMBER", ".5")]),
        ("5.t", [("NUMBER", "5"), ("SYMBOL", "."), ("WORD", "t")]),
        ("1st", [("WORD", "1st")]),
        ("a<=>b=>c", [("WORD", "a"), ("SYMBOL", "<=>"), ("WORD", "b"), ("SYMBOL", "=>"), ("WORD", "c")]),
        ("a::int:b", [("WORD", "a"), ("SYMBOL", "::"), ("WORD", "int"), ("SYMBOL", ":"), ("WORD", "b")]),
        ("x -- y ; z\nw", [("WORD", "x"), ("WORD", "w")]),
        ("x /* a /* b */ c */ y", [("WORD", "x"), ("WORD", "y")]),
        (
            "select /*+ broadcast(t) */ x",
            [("WORD", "select"), ("HINT", "/*+ broadcast(t) */"), ("WORD", "x")],
        ),
        ("add jar s3://b/a--c.jar", [("WORD", "add"), ("WORD", "jar"), ("WORD", "s3://b/a--c.jar")]),
        ("größe 日本", [("WORD", "größe"), ("WORD", "日本")]),
        ("\ufeffselect\u00a01", [("WORD", "select"), ("NUMBER", "1")]),
    ],
)
def test_tokens(text, expected):
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it''s'", "it's"),
        (r"'it\'s'", "it's"),
        ('"a""b"', 'a"b'),
        ('"it\'s;"', "it's;"),
        (r"'a\nb\t\\'", "a\nb\t\\"),
        (r"'\u00e9\U0001F600\101'", "é😀A"),
        (r"'100\%'", r"100\%"),
        (r"r'\d+'", r"\d+"),
        (r'R"\'"', "\\'"),
        ("$$a';b$$", "a';b"),
        ("$x$a$$b$x$", "a$$b"),
        ("''", ""),
    ],
)
def test_values_of_strings(text, value):
    (token,) = tokenize(text)
    assert (token.kind, token.value) == (Kind.STRING, value)


def test_a_quoted_word_is_no_keyword():
    assert [token.upper for token in tokenize("select `from` 'x' 1")] == ["SELECT", "", "", ""]


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("select 'abc", "this string has no closing quote", 1, 8),
        ('a\n  "b', "this string has no closing quote", 2, 3),
        (r"'abc\'", "this string has no closing quote", 1, 1),
        ("'''abc''", "this string has no closing quote", 1, 1),
        ("select `a", "this quoted name has no closing backtick", 1, 8),
        ("x /* a /* b */", "this comment has no end", 1, 3),
        ("/*+ a", "this comment has no end", 1, 1),
    ],
)
def test_unterminated(text, message, line, column):
    with pytest.raises(SqlSyntaxError) as caught:
        tokenize(text)
    assert (caught.value.message, caught.value.place.line, caught.value.place.column) == (
        message,
        line,
        column,
    )


@given(st.text())
def test_tokens_are_slices_in_order(text):
    try:
        tokens = tokenize(text)
    except SqlSyntaxError:
        return
    assert all(token.span.of(text) == token.text for token in tokens)
    assert all(a.span.end <= b.span.start for a, b in pairwise(tokens))


@given(st.text().map(lambda text: text.replace("\\", "")))
def test_any_text_survives_quoting(text):
    (string,) = tokenize("'" + text.replace("'", "''") + "'")
    (name,) = tokenize("`" + text.replace("`", "``") + "`")
    assert string.value == name.value == text
