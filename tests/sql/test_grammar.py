from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import SqlSyntaxError
from headrace.features.dynamic_tables.grammar_clauses import columns_in, show_interval
from headrace.features.dynamic_tables.grammar_statements import (
    CreateDynamicTable,
    CreateMaterializedView,
    DropDynamicTable,
    Explain,
    RefreshDynamicTable,
    VerifyDynamicTable,
)
from headrace.features.recovery.grammar import DropTable
from headrace.model.dynamic_table import RequestedMode
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import ColumnSpec, NotYet, Passthrough

CLAUSES = {
    "partitioned_by": ("PARTITIONED BY (days(ts), `c d`)", ("days(ts)", "`c d`")),
    "clustered_by": ("clustered by (a, b)", ("a", "b")),
    "comment": ("COMMENT 'it''s'", "it's"),
    "properties": (
        "TBLPROPERTIES ('a' = 'x', b.c 2, d=true, 'e' == -1.5)",
        {"a": "x", "b.c": "2", "d": "true", "e": "-1.5"},
    ),
    "interval_seconds": ("REFRESH INTERVAL '5 minutes'", 300),
    "cluster": ("VCLUSTER `my vc`", "my vc"),
    "mode": ("REFRESH_MODE = incremental", RequestedMode.INCREMENTAL),
}


@given(st.permutations(list(CLAUSES)), st.integers(0, len(CLAUSES)))
def test_clauses_come_in_any_order(order, count):
    chosen = order[:count]
    text = " ".join(["create dynamic table t", *(CLAUSES[key][0] for key in chosen), "as select 1"])
    statement = parse_statement(text)
    plain = parse_statement("create dynamic table t as select 1")
    for key, (_, value) in CLAUSES.items():
        assert getattr(statement, key) == (value if key in chosen else getattr(plain, key))


@given(st.permutations(["START WITH '2024-01-01'", "INTERVAL 1 HOUR", "VCLUSTER v"]))
def test_parts_of_refresh_come_in_any_order(parts):
    statement = parse_statement(f"create dynamic table t refresh {' '.join(parts)} as select 1")
    assert (statement.start_at, statement.interval_seconds, statement.cluster) == ("2024-01-01", 3600, "v")


def test_everything_at_once():
    text = """CREATE OR REPLACE DYNAMIC TABLE ws.`my schema`.t  -- the table
      (a COMMENT 'first', b DECIMAL(10, 2), c STRUCT<x: INT, y: ARRAY<STRING>> COMMENT 'third', d)
      REFRESH START WITH TIMESTAMP '2024-01-01 00:00:00' INTERVAL 5 MINUTE VCLUSTER default
      AS /* the query */ SELECT ';' AS a /* kept */, 2 FROM s -- end
      ; """
    statement = parse_statement(text)
    assert isinstance(statement, CreateDynamicTable)
    assert statement.name.parts == ("ws", "my schema", "t")
    assert statement.name.span.of(text) == "ws.`my schema`.t"
    assert statement.or_replace
    assert not statement.if_not_exists
    assert statement.columns == (
        ColumnSpec("a", None, "first"),
        ColumnSpec("b", "DECIMAL(10, 2)"),
        ColumnSpec("c", "STRUCT<x: INT, y: ARRAY<STRING>>", "third"),
        ColumnSpec("d"),
    )
    assert (statement.start_at, statement.interval_seconds) == ("2024-01-01 00:00:00", 300)
    assert statement.cluster == "default"
    assert statement.query == "SELECT ';' AS a /* kept */, 2 FROM s"
    assert text.startswith(statement.query, statement.query_offset)


def test_clauses_know_their_places():
    text = (
        "create dynamic table t (a int, b) partitioned by (bucket(4, a), c.d)"
        " clustered by (`e f` desc nulls last) refresh start with '2024-01-01' interval 5 minute"
        " vcluster v refresh_mode = full as select 1"
    )
    statement = parse_statement(text)
    assert {clause: span.of(text) for clause, span in statement.places.items()} == {
        "COLUMNS": "(a int, b)",
        "PARTITIONED BY": "partitioned by (bucket(4, a), c.d)",
        "CLUSTERED BY": "clustered by (`e f` desc nulls last)",
        "REFRESH": "refresh start with '2024-01-01' interval 5 minute vcluster v",
        "START WITH": "start with '2024-01-01'",
        "INTERVAL": "interval 5 minute",
        "REFRESH VCLUSTER": "vcluster v",
        "REFRESH_MODE": "refresh_mode = full",
    }
    assert [(c.span.of(text), c.type_span and c.type_span.of(text)) for c in statement.columns] == [
        ("a", "int"),
        ("b", None),
    ]
    columns = columns_in(text, statement.places["PARTITIONED BY"]) + columns_in(
        text, statement.places["CLUSTERED BY"]
    )
    assert [(name, span.of(text)) for name, span in columns] == [("a", "a"), ("c", "c"), ("e f", "`e f`")]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "with x as (select 1) select * from x",
        "FROM t SELECT a",
        "VALUES (1)",
        "TABLE t",
        "(SELECT 1) UNION ALL (SELECT 2)",
        "SELECT 'as', \"comment 'x'\" FROM t AS as",
    ],
)
def test_the_query_is_kept_as_typed(query):
    assert parse_statement(f"create dynamic table if not exists t as\n{query}\n;").query == query


@pytest.mark.parametrize(
    ("interval", "seconds"),
    [
        ("5 MINUTE", 300),
        ("5 minutes", 300),
        ("'5' MINUTE", 300),
        ("'5 MINUTE'", 300),
        ('" 5  Minutes "', 300),
        ("+1 SECOND", 1),
        ("90 seconds", 90),
        ("'2' hours", 7200),
        ("1 DAY", 86400),
        ("'007 days'", 7 * 86400),
    ],
)
def test_intervals(interval, seconds):
    statement = parse_statement(f"create dynamic table t refresh interval {interval} as select 1")
    assert statement.interval_seconds == seconds


@pytest.mark.parametrize(
    ("clauses", "cluster"),
    [
        ("REFRESH VCLUSTER a", "a"),
        ("REFRESH INTERVAL 1 MINUTE VCLUSTER 'a b'", "a b"),
        ("VCLUSTER a REFRESH INTERVAL 1 MINUTE", "a"),
        ("REFRESH INTERVAL 1 MINUTE VCLUSTER a VCLUSTER A", "A"),
        ("REFRESH INTERVAL 1 MINUTE", None),
    ],
)
def test_clusters(clauses, cluster):
    assert parse_statement(f"create dynamic table t {clauses} as select 1").cluster == cluster


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("refresh dynamic table t", (("t",), False, None)),
        ("REFRESH DYNAMIC TABLE a.b FULL;", (("a", "b"), True, None)),
        (
            "refresh dynamic table t partition (d = '2024-06-01', n = -1, f == true, x = DATE '2024-01-01')",
            (("t",), False, {"d": "2024-06-01", "n": "-1", "f": "true", "x": "2024-01-01"}),
        ),
        ("refresh dynamic table identifier('a.b') full partition (d = 1)", (("a", "b"), True, {"d": "1"})),
    ],
)
def test_refresh(text, expected):
    statement = parse_statement(text)
    assert isinstance(statement, RefreshDynamicTable)
    partition = statement.partition and {each.column.text: each.value for each in statement.partition}
    assert (statement.name.parts, statement.full, partition) == expected


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'2024-06-01'", "2024-06-01"),
        ('"it\'s"', "it's"),
        ("'a' 'b'", "ab"),
        ("''", ""),
        ("'NULL'", "NULL"),
        ("NULL", None),
        ("null", None),
        ("TRUE", "true"),
        ("7", "7"),
        ("- 7", "-7"),
        ("7L", "7"),
        ("-1.50BD", "-1.50"),
        ("1e3", "1e3"),
        ("DATE '2024-06-01'", "2024-06-01"),
        ("timestamp '2024-06-01 00:00:00'", "2024-06-01 00:00:00"),
        ("TIMESTAMP_NTZ /* no zone */ '2024-06-01 00:00:00'", "2024-06-01 00:00:00"),
    ],
)
def test_literals_of_a_partition(literal, value):
    text = f"REFRESH DYNAMIC TABLE t PARTITION (\n  `a b` = {literal} , -- first\n  c = 1)"
    first, second = parse_statement(text).partition
    assert (first.column.text, first.value, first.literal.text) == ("a b", value, literal)
    assert first.literal.span.of(text) == literal
    assert first.column.span.of(text) == "`a b`"
    assert (second.column.text, second.value) == ("c", "1")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("verify dynamic table t", ("t",)),
        ("VERIFY DYNAMIC TABLE /* ours */ a.`b c`;", ("a", "b c")),
        ("verify dynamic table identifier('a.b')", ("a", "b")),
    ],
)
def test_verify(text, parts):
    statement = parse_statement(text)
    assert isinstance(statement, VerifyDynamicTable)
    assert statement.name.parts == parts


def test_drop():
    dynamic = parse_statement("drop dynamic table if exists a.t")
    assert isinstance(dynamic, DropDynamicTable)
    assert (dynamic.name.parts, dynamic.if_exists) == (("a", "t"), True)
    plain = parse_statement("DROP TABLE t PURGE")
    assert isinstance(plain, DropTable)
    assert (plain.name.parts, plain.if_exists, plain.purge) == (("t",), False, True)


@pytest.mark.parametrize(
    "statement",
    [
        "refresh dynamic table s.t",
        "refresh dynamic table t full",
        "create dynamic table t as select 1 as a",
        "create or replace dynamic table t refresh interval 1 minute as select 1 as a;",
        "create dynamic table if not exists t as select 1 as a",
    ],
)
def test_explain(statement):
    explained = parse_statement(f"explain {statement}")
    assert isinstance(explained, Explain)
    alone = parse_statement(statement)
    if isinstance(alone, CreateDynamicTable):
        alone = replace(alone, query_offset=alone.query_offset + len("explain "))
    name = replace(alone.name, span=explained.statement.name.span)
    assert explained.statement == replace(alone, name=name)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("explain refresh dynamic table", 30, "expected the name of a dynamic table"),
        ("explain refresh table t dynamic", 9, "DYNAMIC must precede TABLE"),
        ("explain create dynamic table t", 31, "a dynamic table requires AS and a query"),
        ("explain create dynamic view v", 24, "expected TABLE, found view"),
    ],
)
def test_explain_of_something_wrong(text, place, message):
    with pytest.raises(SqlSyntaxError) as caught:
        parse_statement(text)
    assert message in caught.value.message
    assert caught.value.place.column == place


@pytest.mark.parametrize("text", ["create materialized view v as x", "CREATE OR REPLACE MATERIALIZED VIEW v"])
def test_materialized_views_are_recognised(text):
    assert isinstance(parse_statement(text), CreateMaterializedView)


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("create or replace pipe p as copy into t", "CREATE OR REPLACE PIPE"),
    ],
)
def test_not_yet(text, feature):
    statement = parse_statement(text)
    assert isinstance(statement, NotYet)
    assert statement.feature == feature


@pytest.mark.parametrize(
    "text",
    [
        "",
        "select 1",
        "refresh table t",
        "refresh function f",
        "verify t",
        "create table t (dynamic int)",
        "create or replace table t as select 1",
        "drop view v",
        "use vcluster",
        "explain select 1",
        "explain",
        "explain create table t (a int)",
        "explain create or replace table t as select 1",
        "explain create table stream s on table t",
        "explain refresh table t",
        "explain extended select 1",
        "begin create dynamic table t as select 1; end",
        "insert into dynamic values (1)",
    ],
)
def test_the_rest_is_sparks(text):
    assert parse_statement(text) == Passthrough(text)


C = "create dynamic table t "

BAD = [
    ("create dynamic tabel t as select 1", "expected TABLE, found tabel", 1, 16),
    ("create dynamic table as select 1", "expected the name of the dynamic table, found as", 1, 22),
    ("create dynamic table 'x' as select 1", "expected the name of the dynamic table, found 'x'", 1, 22),
    (
        "create dynamic table a.b.c.d as select 1",
        "a name can have at most 3 parts, but this one has 4",
        1,
        22,
    ),
    ("create dynamic table a. as select 1", "expected a name after the dot, found as", 1, 25),
    ("create dynamic table a-b as select 1", "unexpected - in a name", 1, 23),
    ("create dynamic table `` as select 1", "the name of the dynamic table cannot be empty", 1, 22),
    ("create dynamic table identifier(x) as select 1", "expected a table name in quotes, found x", 1, 33),
    ("create dynamic table identifier('a b') as select 1", "'a b' is not a name", 1, 33),
    (
        "create or replace dynamic table if not exists t as select 1",
        "OR REPLACE and IF NOT EXISTS cannot be used together",
        1,
        33,
    ),
    (C, "a dynamic table requires AS and a query", 1, 23),
    (C + "as", "the query after AS is missing", 1, 26),
    (C + "as ;", "the query after AS is missing", 1, 26),
    (C + "select 1", "expected AS before the query", 1, 24),
    (C + "as insert into x select 1", "a query cannot start with insert", 1, 27),
    (C + "as\n  select 1)", "unexpected ) in the query", 2, 11),
    (C + "as\n  select (1 + f(2)", "this parenthesis is never closed", 2, 10),
    (C + "as select a[1", "this bracket is never closed", 1, 35),
    (C + "as select 1; select 2", "unexpected ; in the query", 1, 35),
    (C + "using iceberg as select 1", "unexpected using", 1, 24),
    (C + "comment 'a'\ncomment 'b' as select 1", "COMMENT is given twice", 2, 1),
    (C + "properties('a'=1) tblproperties('b'=2) as select 1", "PROPERTIES is given twice", 1, 42),
    (C + "refresh interval 1 minute refresh interval 1 minute as x", "REFRESH is given twice", 1, 50),
    (C + "refresh interval 1 minute interval 1 hour as select 1", "INTERVAL is given twice", 1, 50),
    (C + "vcluster a vcluster a as select 1", "VCLUSTER is given twice", 1, 35),
    (C + "refresh vcluster a vcluster b as select 1", "two different clusters are given: a and b", 1, 52),
    (C + "vcluster as select 1", "expected the name of a cluster, found as", 1, 33),
    (C + "refresh as select 1", "expected START WITH, INTERVAL or VCLUSTER after REFRESH, found as", 1, 32),
    (C + "interval 5 minute as select 1", "INTERVAL must directly follow REFRESH", 1, 24),
    (
        C + "refresh interval 0 minute as select 1",
        "the interval must be a whole number greater than zero, not 0",
        1,
        41,
    ),
    (
        C + "refresh interval -5 minute as select 1",
        "the interval must be a whole number greater than zero, not -5",
        1,
        41,
    ),
    (
        C + "refresh interval '-5' minute as select 1",
        "the interval must be a whole number greater than zero, not -5",
        1,
        41,
    ),
    (
        C + "refresh interval 1.5 hour as select 1",
        "the interval must be a whole number greater than zero, not 1.5",
        1,
        41,
    ),
    (
        C + "refresh interval 1 week as select 1",
        "WEEK is not a valid unit for a refresh interval: use SECOND, MINUTE, HOUR or DAY",
        1,
        43,
    ),
    (
        C + "refresh interval '2 months' as select 1",
        "MONTHS is not a valid unit for a refresh interval: use SECOND, MINUTE, HOUR or DAY",
        1,
        41,
    ),
    (
        C + "refresh interval 5 as select 1",
        "the interval requires a unit: SECOND, MINUTE, HOUR or DAY",
        1,
        43,
    ),
    (C + "refresh interval minute as select 1", "the interval requires a number, found minute", 1, 41),
    (
        C + "refresh interval 1 hour 30 minute as select 1",
        "an interval must have one number and one unit",
        1,
        48,
    ),
    (C + "refresh interval 40000 days as select 1", "the interval cannot be longer than 100 years", 1, 41),
    (
        C + "refresh start with now() as select 1",
        "START WITH requires a timestamp in quotes, found now",
        1,
        43,
    ),
    (
        C + "refresh_mode = fast as x",
        "REFRESH_MODE must be one of AUTO, FULL, INCREMENTAL, found fast",
        1,
        39,
    ),
    (C + "(a, A) as select 1", "column A is given twice", 1, 28),
    (C + "(a int not null) as select 1", "NOT is not supported here: the query determines the values", 1, 31),
    (C + "() as select 1", "expected a column name, found )", 1, 25),
    (C + "(a as select 1", "expected , or ) after the column, found the end of the statement", 1, 38),
    (C + "partitioned by () as select 1", "expected a partition expression, found )", 1, 40),
    (C + "partitioned by (a as select 1", "this parenthesis is never closed", 1, 39),
    (C + "partitioned (a) as select 1", "unexpected partitioned", 1, 24),
    (C + "clustered by (a) into 4 buckets as x", "CLUSTERED BY accepts only columns, not buckets", 1, 41),
    (C + "comment a as select 1", "expected a comment in quotes, found a", 1, 32),
    (C + "properties('a'='1', 'a'='2') as select 1", "property a is given twice", 1, 44),
    (
        C + "properties('a'=b) as select 1",
        "property a requires a string, a number or a boolean, found b",
        1,
        39,
    ),
    ("refresh dynamic t", "expected TABLE, found t", 1, 17),
    ("refresh table t dynamic", "DYNAMIC must precede TABLE", 1, 1),
    ("refresh dynamic table t fully", "unexpected fully", 1, 25),
    ("refresh dynamic table t partition (a = 1) full", "FULL must precede PARTITION", 1, 43),
    (
        "refresh dynamic table t partition (a = b)",
        "expected a string, a number, a date, a boolean or NULL, found b",
        1,
        40,
    ),
    (
        "refresh dynamic table t partition (a = date 5)",
        "expected a value after DATE in quotes, found 5",
        1,
        45,
    ),
    (
        "refresh dynamic table t partition (a = -'1')",
        "expected a string, a number, a date, a boolean or NULL, found '1'",
        1,
        41,
    ),
    ("refresh dynamic table t partition (a = 1, A = 2)", "column A is given twice", 1, 43),
    ("refresh dynamic table t partition ()", "expected a partition column, found )", 1, 36),
    (
        "refresh dynamic table t partition (a = 1",
        "expected , or ) after the value, found the end of the statement",
        1,
        41,
    ),
    ("refresh dynamic table t partition (a = 1, a = 2)", "column a is given twice", 1, 43),
    ("refresh dynamic table t partition (a)", "expected =, found )", 1, 37),
    ("verify dynamic view v", "expected TABLE, found view", 1, 16),
    ("verify dynamic table", "expected the name of a dynamic table, found the end of the statement", 1, 21),
    ("verify dynamic table t full", "unexpected full", 1, 24),
    ("drop dynamic table", "expected the name of a dynamic table, found the end of the statement", 1, 19),
    ("drop dynamic table t cascade", "unexpected cascade", 1, 22),
    ("drop dynamic view v", "expected TABLE, found view", 1, 14),
    ("drop table if exists t now", "unexpected now", 1, 24),
    ("create dynamic table t comment 'x as select 1", "this string has no closing quote", 1, 32),
]


@pytest.mark.parametrize(("text", "message", "line", "column"), BAD, ids=[text for text, *_ in BAD])
def test_bad_input(text, message, line, column):
    with pytest.raises(SqlSyntaxError) as caught:
        parse_statement(text)
    error = caught.value
    assert (error.message, error.place.line, error.place.column) == (message, line, column)
    assert error.hint


WORDS = [
    *(
        "create",
        "or",
        "replace",
        "dynamic",
        "table",
        "if",
        "not",
        "exists",
        "t",
        "(",
        "a",
        ",",
        ")",
        "as",
        "select",
    ),
    *(
        "refresh",
        "interval",
        "1",
        "minute",
        "'x'",
        "=",
        "vcluster",
        "full",
        "partition",
        "show",
        "desc",
        "drop",
    ),
    *(
        "alter",
        "set",
        "unset",
        "rename",
        "to",
        "column",
        "suspend",
        "undrop",
        "restore",
        "version",
        "timestamp",
        "of",
        "vacuum",
        "optimize",
        "history",
        "tables",
        "stream",
        "streams",
        "on",
        "reset",
        "dt.args.a",
        "`dt.args.b`",
        "[",
    ),
    *(
        "where",
        "limit",
        "comment",
        "properties",
        "start",
        "with",
        ".",
        "-",
        ";",
        "clustered",
        "by",
        "identifier",
    ),
    *(
        "vcluster_size",
        "vcluster_type",
        "auto_suspend_in_second",
        "auto_resume",
        "true",
        "'spark.a'",
        "task",
        "schedule",
        "cron",
        "'0 2 * * *'",
        "after",
        "retries",
        "backoff",
        "timeout",
        "parameters",
        "sql",
        "python",
        "runs",
        "for",
        "job",
        "force",
    ),
]


@given(st.lists(st.sampled_from(WORDS)).map(" ".join) | st.text(alphabet="abT (),.;='`1-*/\n"))
def test_any_text_is_read_or_refused_with_a_place(text):
    try:
        parse_statement(text)
    except SqlSyntaxError as error:
        assert error.place is not None
        assert str(error)


STARTS = [
    "create dynamic table t",
    "alter dynamic table t",
    "alter dynamic table t set",
    "alter table t set properties (",
    "alter table t unset tblproperties",
    "create table stream",
    "create or replace table stream s on table t",
    "create table stream s on table t timestamp as of",
    "create table stream s on table t with properties (",
    "drop table stream",
    "desc table stream",
    "desc history",
    "show tables history",
    "show table streams",
    "undrop table",
    "restore table t to",
    "restore dynamic table t to timestamp as of",
    "refresh dynamic table t partition (",
    "vacuum",
    "optimize",
    "set dt.args.a",
    "set `dt.args.a` =",
    "reset dt.args.a",
    "create vcluster v",
    "alter vcluster v set",
    "desc vcluster",
    "show vclusters",
    "create task t",
    "create task t schedule",
    "create task t as",
    "alter task t",
    "alter task t unset",
    "execute task t",
    "show task runs",
    "show jobs",
    "cancel job",
]


@given(st.sampled_from(STARTS), st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_continuation_is_read_or_refused_with_a_place(start, rest):
    test_any_text_is_read_or_refused_with_a_place.hypothesis.inner_test(f"{start} {rest}")


@given(st.sampled_from(STARTS), st.text(alphabet="abT (),.;='`1-*/\n"))
def test_any_characters_are_read_or_refused_with_a_place(start, rest):
    test_any_text_is_read_or_refused_with_a_place.hypothesis.inner_test(f"{start} {rest}")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(1, "1 second"), (60, "1 minute"), (90, "90 seconds"), (7200, "2 hours"), (86400, "1 day")],
)
def test_an_interval_is_shown_in_its_largest_unit(seconds, shown):
    assert show_interval(seconds) == shown
