import pytest

from headrace.model.names import TableName
from headrace.sql.queries.query import read_query
from headrace.sql.queries.shorten import shortened_columns
from headrace.sql.tokens.positions import splice

VIEW = TableName("lake", "s", "v")


@pytest.mark.parametrize(
    ("query", "shortened"),
    [
        ("SELECT s.v.a FROM s.v", "SELECT `v`.a FROM s.v"),
        ("SELECT LAKE.S.V.a, s.v.* FROM v", "SELECT `v`.a, `v`.* FROM v"),
        ("SELECT v.a, s.w.a, v.s.v FROM v, w", "SELECT v.a, s.w.a, v.s.v FROM v, w"),
        (
            "SELECT s.v(1) AS a FROM s.v WHERE s.v.a > 's.v.a'",
            "SELECT s.v(1) AS a FROM s.v WHERE `v`.a > 's.v.a'",
        ),
    ],
)
def test_only_columns_are_shortened(query, shortened):
    references = read_query(query).tables
    assert splice(query, shortened_columns(query, references, {VIEW})) == shortened


def test_nothing_without_subqueries():
    assert list(shortened_columns("SELECT s.v.a FROM s.v", (), ())) == []
