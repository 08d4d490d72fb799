import pytest

from headrace.errors import SqlSyntaxError
from headrace.sql.queries.query import read_query

TABLES = [
    ("select 1", []),
    ("select * from t", ["t"]),
    ("select * from `a b`.c.`d``e` x join t2 using (k)", ["`a b`.c.`d``e`", "t2"]),
    ("select * from a . /* c */ b", ["a . /* c */ b"]),
    ("select * from t, t as x cross join t y", ["t", "t", "t"]),
    ("table t", ["t"]),
    ("TABLE a.t UNION ALL TABLE u", ["a.t", "u"]),
    ("with a as (table t) table a", ["t"]),
    ("select * from (table t)", ["t"]),
    ("from t", ["t"]),
    ("from t select x where x > 1", ["t"]),
    ("from t |> where x > 1 |> join u using (k) |> select x", ["t", "u"]),
    ("values (1), (2)", []),
    ("select * from values (1, 2) as t(a, b)", []),
    ("select * from range(10) r", []),
    ("select * from explode(array(1)) as e(x), t", ["t"]),
    ("select * from t lateral view outer explode(a) e as b", ["t"]),
    ("select * from t, lateral (select * from u where u.x = t.x) v", ["t", "u"]),
    ("select * from table(f(1))", []),
    ("select * from f(table(a.t))", ["a.t"]),
    ("select * from f(table t)", ["t"]),
    ("select * from f(x => table(t))", ["t"]),
    ("select /*+ broadcast(u) */ * from t join u on true", ["t", "u"]),
    (
        "select (select max(x) from a) from b where exists (select 1 from c) having 1 in (select 1 from d)",
        [*"abcd"],
    ),
    ("select * from a join b on a.x = (select max(x) from c) order by (select 1 from d)", [*"abcd"]),
    (
        "select case when x in (select x from a) then (select 1 from b) end, f((select 1 from c)) from d",
        [*"abcd"],
    ),
    ("select 1 from a union select 1 from b except select 1 from c intersect (select 1 from d)", [*"abcd"]),
    ("select * from ((t)) x join (u join v on u.x = v.x) on true", ["t", "u", "v"]),
    ("select * from t pivot (sum(x) for y in (1, 2))", ["t"]),
    ("select * from t unpivot (v for k in (a, b))", ["t"]),
    ("select * from t left semi join u on t.a = u.a left anti join v on t.a = v.a", ["t", "u", "v"]),
    ("with x as (select * from t) select * from x", ["t"]),
    ("with x as (select * from t), y as (select * from x) select * from y, X", ["t"]),
    ("with orders as (select * from orders) select * from orders", ["orders"]),
    ("with x as (select 1) select * from s.x", ["s.x"]),
    ("with x as (select 1) select * from (with y as (select * from x) select * from y, z)", ["z"]),
    ("select * from (with x as (select 1) select * from x) join x on true", ["x"]),
    ("with a as (select 1), b as (with a as (select * from a, t) select * from a) select * from a, b", ["t"]),
    ("with b as (select * from a), a as (select 1) select * from a, b", ["a"]),
    ("with recursive r as (select 1 union all select * from r join t) select * from r", ["t"]),
    (
        "with x as (select 1) select * from t where a in (select * from x) or b in (select * from u)",
        ["t", "u"],
    ),
    ("(with x as (select * from t) select * from x) union all select * from x", ["t", "x"]),
    ("select * from identifier('a.b') i", ["identifier('a.b')"]),
    ("select * from parquet.`/x/y`", ["parquet.`/x/y`"]),
    ("select * from a.b.c.d", ["a.b.c.d"]),
    ("select * from date join first join db.user", ["date", "first", "db.user"]),
    ("select 'from x', \"from y\" -- from z\n from t", ["t"]),
]


@pytest.mark.parametrize(("text", "expected"), TABLES, ids=[text for text, _ in TABLES])
def test_tables(text, expected):
    assert [table.span.of(text) for table in read_query(text).tables] == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("select * from `a b`.c.`d``e`", ("a b", "c", "d`e")),
        ("select * from T.u", ("T", "u")),
        ("select * from identifier('a.`b.c`')", ("a", "b.c")),
    ],
)
def test_parts_are_kept_as_typed(text, parts):
    assert read_query(text).tables[0].parts == parts


def test_a_long_chain_is_read():
    text = "select 1 from t where " + " or ".join(f"a = {n}" for n in range(3000))
    assert len(read_query(text).tables) == 1
    assert len(read_query(" union all ".join(f"select {n} from t{n}" for n in range(1500))).tables) == 1500


@pytest.mark.parametrize(
    ("source", "alias", "time_travel", "sampled"),
    [
        ("t", None, False, False),
        ("t x", "x", False, False),
        ("t as `x y`", "x y", False, False),
        ("t version as of 3", None, True, False),
        ("t for version as of 'tag' x", "x", True, False),
        ("t timestamp as of '2024-01-01' as x", "x", True, False),
        ("t for system_time as of '2024-01-01'", None, True, False),
        ("t tablesample (10 percent) x", "x", False, True),
        ("t tablesample (5 rows)", None, False, True),
    ],
)
def test_how_a_table_is_read(source, alias, time_travel, sampled):
    (table,) = read_query(f"select * from {source}").tables
    assert (table.alias, table.has_time_travel, table.sampled) == (alias, time_travel, sampled)


def test_samples_of_subqueries_are_found():
    text = "select * from (select 1 from t) tablesample (5 rows)"
    facts = read_query(text)
    assert [span.of(text) for span in facts.samples] == ["tablesample"]


FUNCTIONS = [
    ("select a from t where (a) in (1) and exists (select 1) and not (b)", []),
    ("select Count(*), nvl(a, 1), `Rand`() from t", [("count", 1), ("nvl", 2), ("rand", 0)]),
    ("select f(g(1, 2), (x, y) -> x + y, array[1]) from t", [("f", 3), ("g", 2)]),
    ("select cast(a as decimal(10, 2)), a::decimal(5, 2), if(a, 1, 2) from t", [("cast", 1), ("if", 3)]),
    ("select db.my_udf(1), system.builtin.rand() from t", [("db.my_udf", 1), ("system.builtin.rand", 0)]),
    ("select x.a from (values (1)) as x(a), u y(b), (select 1) z(c)", []),
    ("with x(a) as (select 1) select * from x", []),
    ("select row_number() over (partition by (a) order by b) from t", [("row_number", 0)]),
    ("select sum(a) filter (where b > 1) from t group by grouping sets ((a), ())", [("sum", 1)]),
    ("select a from t group by rollup(a), cube(b)", []),
    (
        "select filter(a, x -> x > 1), some(b), grouping(c), aggregate(d, 0, f) from t",
        [("filter", 2), ("some", 1), ("grouping", 1), ("aggregate", 3)],
    ),
    ("select exists(a, x -> x > 1), window(ts, '5 minutes').start from t", [("exists", 2), ("window", 2)]),
    ("select hex(X  'F0'), x'1f' from t", [("hex", 1)]),
    ("select /*+ broadcast(u), coalesce(3) */ max(a) from t", [("max", 1)]),
    ("select 'rand()' as `now()` -- uuid()\n from t /* shuffle(x) */", []),
    (
        "select left(a, 1), right(a, 1), replace(a, 'x'), any(b) from t",
        [("left", 2), ("right", 2), ("replace", 2), ("any", 1)],
    ),
    ("select * from range(10), t lateral view explode(a) e as x", [("range", 1), ("explode", 1)]),
    (
        "select extract(day from a), trim(both ' ' from a), position('a' in b) from t",
        [("extract", 1), ("trim", 1), ("position", 1)],
    ),
    ("select current_date, CURRENT_TIMESTAMP from t", [("current_date", 0), ("current_timestamp", 0)]),
    ("select t.user, user.a, a as current_date, b user, `current_user` from t", []),
    ("select * from user join current_date", []),
    ("select user from t", [("user", 0)]),
    (
        "select timestamp 'now', date 'TODAY', timestamp_ltz 'now', timestamp 'tomorrow', date '2024-1-1'",
        [
            ("timestamp 'now'", 0),
            ("date 'today'", 0),
            ("timestamp_ltz 'now'", 0),
            ("timestamp 'tomorrow'", 0),
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), FUNCTIONS, ids=[text for text, _ in FUNCTIONS])
def test_functions(text, expected):
    assert [(call.name, call.argument_count) for call in read_query(text).functions] == expected


EVERYWHERE = [
    "select a < rand(), b from t",
    "select -rand() from t",
    "select not rand() from t",
    "select distinct rand() from t",
    "select a from t where a<=>rand()",
    "select a from t where a > 1 and rand() < 1",
    "select a from t where a between 0 and rand()",
    "select a from t where a in (1, rand())",
    "select a from t where a is not distinct from rand()",
    "select a from t where a like rand()",
    "select a from t group by rand()",
    "select a from t having rand() > 1",
    "select a from t order by rand() limit 1",
    "select a div rand() from t",
    "select a || rand() from t",
    "select case when rand() > 1 then 1 end from t",
    "select case a when 1 then rand() end from t",
    "select case a when 1 then 2 else rand() end from t",
    "select array(rand())[0] from t",
    "select a[rand()] from t",
    "select transform(a, x -> rand()) from t",
    "select f(seed => rand()) from t",
    "select cast(rand() as decimal(10, 2)) from t",
    "select (rand()) from t",
    "select rand()::int from t",
    "select sum(a) filter (where rand() > 1) from t",
    "select sum(a) over (order by rand()) from t",
    "select a from t lateral view explode(sequence(0, rand())) e as x",
    "select a from t join u on rand() > 1",
    "select a from range(rand())",
    "select a from (select rand() r from t)",
    "with x as (select rand() r) select * from x",
    "values (rand())",
    "select a from t where exists (select rand())",
    "from t select rand()",
    "from t |> where rand() > 1",
    "from t |> extend rand() as r",
    "select /*+ broadcast(t) */ rand() from t",
    "select 'a' /* b */ , -- c\n RAND ( ) from t",
]


@pytest.mark.parametrize("text", EVERYWHERE)
def test_a_function_is_found_wherever_it_stands(text):
    assert [call.name for call in read_query(text).functions].count("rand") == 1


def test_the_span_of_a_function_is_its_name():
    text = "select db . `F`(1), current_date from t"
    assert [call.span.of(text) for call in read_query(text).functions] == ["db . `F`", "current_date"]
    assert [call.parenless for call in read_query(text).functions] == [False, True]


OUTPUTS = [
    ("select a, t.b, s.f.g, `q r`, (c) from t", ["a", "b", "g", "q r", "c"]),
    ("select a as x, 1 + 1 `y z`, count(*) n from t", ["x", "y z", "n"]),
    ("select 1, sum(a), cast(a as int), a['k'], -a, a = b, 'x' from t", [None] * 7),
    ("select *, t.*, * except (a), s.t.* from t", ["*"] * 4),
    ("select count(*), struct(*) from t", [None, None]),
    ("select explode(m) as (k, v), a from t", ["k", "v", "a"]),
    ("select named_struct('a', 1).a from t", ["a"]),
    ("select distinct /* c */ a, b from t", ["a", "b"]),
    ("select /*+ broadcast(t) */ a from t", ["a"]),
    ("select a x from t union all select b y from t", ["x"]),
    ("(select a) union (select b) order by 1", ["a"]),
    ("with q as (select z from t) select y from q", ["y"]),
    ("with q as (select z from t) (select y from q)", ["y"]),
    ("from t select a, b", ["a", "b"]),
    ("from (select z from t) select a", ["a"]),
    ("table t", ["*"]),
    ("from t", ["*"]),
    ("values (1, 2)", ["col1", "col2"]),
    ("values 1, 2", ["col1"]),
    ("values (1, 2) as t(a, b)", ["a", "b"]),
]


@pytest.mark.parametrize(("text", "expected"), OUTPUTS, ids=[text for text, _ in OUTPUTS])
def test_outputs(text, expected):
    assert ["*" if output.is_star else output.name for output in read_query(text).outputs] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select a, f(b, (c)) + 1 as d , * from t", ["a", "f(b, (c)) + 1 as d", "*"]),
        (
            "with q as (select 1) select distinct a is distinct from b, extract(day from c) from q",
            ["a is distinct from b", "extract(day from c)"],
        ),
        ("((select a , b)) union all select c, d", ["a", "b"]),
        (
            "select listagg(a, ',') within group (order by a), b from t",
            ["listagg(a, ',') within group (order by a)", "b"],
        ),
        ("with q as (select 1) ((select a, 1))", ["a", "1"]),
        ("from t join (select z) select a, 1", ["a", "1"]),
    ],
)
def test_spans_of_outputs(text, expected):
    assert [output.span.of(text) for output in read_query(text).outputs] == expected


@pytest.mark.parametrize(
    ("text", "has_limit", "has_order_by"),
    [
        ("select a from t", False, False),
        ("select a from t order by a", False, True),
        ("select a from t order by a limit 3", True, True),
        ("select a from t limit all", False, False),
        ("select a from t offset 3", True, False),
        ("select a from (select * from t order by a limit 3)", False, False),
        ("select a from t union all select b from t order by 1 limit 1", True, True),
        ("(select a from t limit 1)", True, False),
        ("(select a from t limit 1) union all select 2", False, False),
        ("values (1) order by 1", False, True),
        ("select row_number() over (order by a) from t", False, False),
    ],
)
def test_limit_and_order_by_at_the_top(text, has_limit, has_order_by):
    facts = read_query(text)
    assert (facts.has_limit, facts.has_order_by) == (has_limit, has_order_by)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select sum(a), max(b), rank() over (order by a) from t", []),
        ("select collect_list(a), FIRST(b), any_value(c) from t", ["collect_list", "first", "any_value"]),
        ("select row_number() over (order by a), lag(a) over (order by b) from t", ["row_number", "lag"]),
        ("select listagg(a) from t", ["listagg"]),
        ("select string_agg(a, ',') within group (order by a) from t", []),
        ("select collect_list(a) within group (order by a) from t", ["collect_list"]),
        ("select first, last from t", []),
        (
            "select histogram_numeric(a, 3), percentile_approx(a, 0.5) from t",
            ["histogram_numeric", "percentile_approx"],
        ),
        (
            "select approx_count_distinct(a), count_min_sketch(a, 0.5d, 0.5d, 1), percentile(a, 0.5) from t",
            [],
        ),
    ],
)
def test_order_dependent(text, expected):
    assert [call.name for call in read_query(text).order_dependent] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select ?, :a, (:b) from t where x=:c and y > :d", ["?", ":a", ":b", ":c", ":d"]),
        ("select a::int, cast(b as struct<x:int, y: int>), '?', ':x' from t", []),
        ("select a:b from t", []),
    ],
)
def test_parameters(text, expected):
    assert [span.of(text) for span in read_query(text).parameters] == expected


def test_time_windows():
    text = "select window.start as s from t group by window(at, '1 day') window w as (order by a)"
    facts = read_query(text)
    assert [call.name for call in facts.functions] == ["window"]
    assert [table.parts for table in facts.tables] == [("t",)]


def test_queries_that_are_just_a_table():
    text = "table a union all (table b) except select * from table order by 1"
    assert [span.of(text + " ") for span in read_query(text).table_queries] == ["table", "table"]


def test_strings_that_may_read_the_clock():
    text = "select 'now', ' Today UTC', 'nowhere', now, `today`, x'01', \"tomorrow\" from t"
    assert [span.of(text) for span in read_query(text).clock_strings] == [
        "'now'",
        "' Today UTC'",
        '"tomorrow"',
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select _file, t._POS, `_row_id` from t", ["_file", "_POS", "_row_id"]),
        ("select _pos from (select 1 as _pos)", []),
        ("select '_file', file from t", []),
    ],
)
def test_columns_of_iceberg(text, expected):
    assert [token.value for token in read_query(text).metadata_columns] == expected


def test_session_configs():
    text = "select * from t where a = SESSION_CONFIGS()['dt.args.bizdate'] and b = session_configs()[c]"
    configs = read_query(text).session_configs
    assert [config.key for config in configs] == ["dt.args.bizdate", None]
    assert configs[0].span.of(text) == "SESSION_CONFIGS()['dt.args.bizdate']"


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("select * from t where", "the query cannot be parsed near where", 1, 17),
        ("select a\nfrom t\nfrom", "the query cannot be parsed near from", 3, 1),
        ("select 'a", "this string has no closing quote", 1, 8),
        ("insert into t select 1", "this is not a query", 1, 1),
        ("select 1; select 2", "this is not a query", 1, 1),
        ("select * from identifier(x)", "the table name must be a string literal", 1, 15),
        ("select (1", "the query cannot be parsed near 1", 1, 9),
    ],
)
def test_unreadable(text, message, line, column):
    with pytest.raises(SqlSyntaxError) as caught:
        read_query(text)
    error = caught.value
    assert (error.message, error.place.line, error.place.column) == (message, line, column)


def test_sqlglot_stays_silent(caplog):
    with pytest.raises(SqlSyntaxError):
        read_query("create function f as 'x' using jar 'y'")
    assert caplog.records == []
