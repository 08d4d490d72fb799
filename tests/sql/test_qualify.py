import pytest

from headrace.model.names import TableName
from headrace.sql.queries.qualify import qualify_columns

COLUMNS = {
    TableName("lake", "public", "t"): ("a", "b", "odd name", "order"),
    TableName("lake", "public", "u"): ("a", "c"),
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "select * from lake.public.t",
            "SELECT t.a AS a, t.b AS b, t.`odd name` AS `odd name`, t.order AS order FROM lake.public.t AS t",
        ),
        ("table lake.public.u", "SELECT u.a AS a, u.c AS c FROM lake.public.u AS u"),
        (
            "select b, c x from `lake`.`public`.`t` join lake.public.u on t.a = u.a where c > 1",
            "SELECT t.b AS b, u.c AS x FROM lake.public.t AS t"
            " JOIN lake.public.u AS u ON t.a = u.a WHERE u.c > 1",
        ),
        (
            "select b x, count(*) n from lake.public.t group by x having n > 1",
            "SELECT t.b AS x, COUNT(*) AS n FROM lake.public.t AS t GROUP BY t.b HAVING COUNT(*) > 1",
        ),
        (
            "with a as (select 1 x), b as (with a as (select x from a) select x from a) select x from b",
            "WITH a AS (SELECT 1 AS x), b AS (WITH a AS (SELECT a.x AS x FROM a AS a)"
            " SELECT a.x AS x FROM a AS a) SELECT b.x AS x FROM b AS b",
        ),
        ("select 'it''s' x from lake.public.u", "SELECT 'it\\'s' AS x FROM lake.public.u AS u"),
        ("select nope from lake.public.t", None),
        ("select a from lake.public.t, lake.public.u", None),
        ("select a from", None),
        ("not a query", None),
    ],
)
def test_qualify_columns(query, expected):
    assert qualify_columns(query, COLUMNS) == expected
