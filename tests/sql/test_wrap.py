"""Lines of SQL that are not too long."""

from headrace.sql.tokens.wrap import wrapped


def test_short_lines_stay():
    assert wrapped("SELECT  1\n  FROM t", 10) == ["SELECT  1", "  FROM t"]


def test_long_lines_go_on_further_in():
    assert wrapped("  SELECT aaa, bbb, ccc FROM t", 16) == [
        "  SELECT aaa,",
        "      bbb, ccc",
        "      FROM t",
    ]


def test_quotes_stay_whole():
    text = "SELECT 'a  long ''text', `a  name`, \"more \\\" text\" FROM t"
    assert wrapped(text, 10) == [
        "SELECT",
        "    'a  long ''text',",
        "    `a  name`,",
        '    "more \\" text"',
        "    FROM t",
    ]
