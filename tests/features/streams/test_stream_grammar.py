import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.features.recovery.grammar import DropTable
from headrace.features.streams.grammar import (
    CreateTableStream,
    DescribeTableStream,
    DropTableStream,
    ShowTableStreams,
)
from headrace.features.streams.model import StreamMode
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Describe, ObjectKind, Passthrough
from tests.features.grammar_checks import parsed_as, syntax_error


def created(text):
    return parsed_as(CreateTableStream, text)


def test_the_shortest_form():
    text = "create table stream s on table t"
    statement = created(text)
    assert (statement.name.parts, statement.source.parts) == (("s",), ("t",))
    assert (statement.name.span.of(text), statement.source.span.of(text)) == ("s", "t")
    assert statement.source_kind is ObjectKind.TABLE
    assert not statement.or_replace
    assert not statement.if_not_exists
    assert (statement.start_at, statement.comment) == (None, None)
    assert (statement.mode, statement.show_initial_rows) == (StreamMode.STANDARD, False)


def test_everything_at_once():
    text = """CREATE OR REPLACE TABLE STREAM w.`my schema`.s -- the stream
      ON DYNAMIC TABLE a.t
      TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY /* yesterday */
      COMMENT 'it''s'
      WITH PROPERTIES('TABLE_STREAM_MODE'='APPEND_ONLY', 'SHOW_INITIAL_ROWS'='TRUE');"""
    statement = created(text)
    assert statement.name.parts == ("w", "my schema", "s")
    assert statement.or_replace
    assert (statement.source.parts, statement.source_kind) == (("a", "t"), ObjectKind.DYNAMIC_TABLE)
    assert statement.start_at.text == "current_timestamp() - INTERVAL 1 DAY"
    assert statement.start_at.span.of(text) == statement.start_at.text
    assert statement.comment == "it's"
    assert (statement.mode, statement.show_initial_rows) == (StreamMode.APPEND_ONLY, True)


CLAUSES = {
    "start_at": "timestamp as of TIMESTAMP '2024-01-01'",
    "comment": "Comment 'with properties'",
    "mode": "with Properties ('table_stream_mode' = 'append_only')",
}


@given(st.permutations(list(CLAUSES)), st.integers(0, len(CLAUSES)))
def test_clauses_come_in_any_order(order, count):
    chosen = order[:count]
    statement = created(" ".join(["create table stream s on table t", *map(CLAUSES.get, chosen)]))
    start_at = statement.start_at and statement.start_at.text
    assert start_at == ("TIMESTAMP '2024-01-01'" if "start_at" in chosen else None)
    assert statement.comment == ("with properties" if "comment" in chosen else None)
    assert statement.mode == (StreamMode.APPEND_ONLY if "mode" in chosen else StreamMode.STANDARD)


@pytest.mark.parametrize(
    ("properties", "mode", "show_initial_rows"),
    [
        ("'TABLE_STREAM_MODE' = 'STANDARD'", StreamMode.STANDARD, False),
        ("'Table_Stream_Mode' = 'Append_Only'", StreamMode.APPEND_ONLY, False),
        ("'SHOW_INITIAL_ROWS' = 'false'", StreamMode.STANDARD, False),
        ("show_initial_rows = true, table_stream_mode 'standard'", StreamMode.STANDARD, True),
        (
            "'SHOW_INITIAL_ROWS'='True' -- all\n, 'TABLE_STREAM_MODE'='APPEND_ONLY'",
            StreamMode.APPEND_ONLY,
            True,
        ),
    ],
)
def test_properties(properties, mode, show_initial_rows):
    statement = created(f"create table stream s on table t with properties ({properties})")
    assert (statement.mode, statement.show_initial_rows) == (mode, show_initial_rows)


@pytest.mark.parametrize(
    ("rest", "parts", "if_not_exists"),
    [
        ("if not exists s", ("s",), True),
        ("IF NOT EXISTS a.s", ("a", "s"), True),
        ("stream", ("stream",), False),
        ("using", ("using",), False),
        ("comment.s", ("comment", "s"), False),
        ("`as`", ("as",), False),
        ("identifier('a.s')", ("a", "s"), False),
    ],
)
def test_names(rest, parts, if_not_exists):
    statement = created(f"CREATE TABLE STREAM {rest} ON TABLE dynamic")
    assert (statement.name.parts, statement.if_not_exists) == (parts, if_not_exists)
    assert (statement.source.parts, statement.source_kind) == (("dynamic",), ObjectKind.TABLE)


@pytest.mark.parametrize(
    ("text", "parts", "if_exists"),
    [
        ("drop table stream s", ("s",), False),
        ("DROP TABLE /* a */ STREAM IF EXISTS w.s.`a b`;", ("w", "s", "a b"), True),
        ("drop table stream stream", ("stream",), False),
        ("drop table stream `purge`", ("purge",), False),
    ],
)
def test_drop(text, parts, if_exists):
    statement = parse_statement(text)
    assert isinstance(statement, DropTableStream)
    assert (statement.name.parts, statement.if_exists) == (parts, if_exists)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("desc table stream s", ("s",)),
        ("DESCRIBE\nTABLE STREAM a.s;", ("a", "s")),
        ("desc table stream identifier('a.s')", ("a", "s")),
    ],
)
def test_describe(text, parts):
    statement = parse_statement(text)
    assert isinstance(statement, DescribeTableStream)
    assert statement.name.parts == parts


@pytest.mark.parametrize(
    ("rest", "schema", "like", "where", "limit"),
    [
        ("", None, None, None, None),
        (" IN w.s LIKE 'x*'", ("w", "s"), "x*", None, None),
        (" where stale limit 3;", None, None, "stale", 3),
    ],
)
def test_show(rest, schema, like, where, limit):
    statement = parse_statement(f"SHOW table Streams{rest}")
    assert isinstance(statement, ShowTableStreams)
    assert (statement.schema.parts if statement.schema else None) == schema
    assert (statement.like, statement.limit) == (like, limit)
    assert (statement.where.text if statement.where else None) == where


@pytest.mark.parametrize(
    "rest",
    [
        "",
        " (a int)",
        ".t (a int)",
        " as select 1",
        " using iceberg as select 1",
        " using iceberg",
        " like t",
        " comment 'x' as select 1",
        " partitioned by (a) as select 1",
        " tblproperties ('a' = 'b') as select 1",
        " location 'x' as select 1",
        " clustered by (a) into 2 buckets as select 1",
        " options (a = 1)",
        " stored as parquet",
        " select 1",
        " with x as (select 1) select * from x",
    ],
)
@pytest.mark.parametrize("create", ["create table", "CREATE OR REPLACE TABLE", "create table if not exists"])
def test_a_new_table_may_be_called_stream(create, rest):
    text = f"{create} stream{rest}"
    assert parse_statement(text) == Passthrough(text)


@pytest.mark.parametrize(
    "word", ["stream", "streams", "history", "dynamic", "vcluster", "table", "properties"]
)
def test_tables_may_be_called_by_our_words(word):
    for text in (
        f"select * from {word}",
        f"insert into {word} values (1)",
        f"insert into {word}.t values (1)",
        f"create table {word} (a int)",
        f"create or replace table {word} as select 1",
        f"create view {word} as select 1",
        f"alter table {word} add column a int",
        f"alter table {word} set tblproperties ('a' = 'b')",
        f"truncate table {word}",
        f"refresh table {word}",
        f"update {word} set a = 1",
        f"show columns in {word}",
        f"desc table {word} partition (a = 1)",
        f"set {word} = 1",
    ):
        assert parse_statement(text) == Passthrough(text)
    for text in (f"drop table {word}", f"drop table if exists {word}", f"drop table {word} purge"):
        dropped = parse_statement(text)
        assert isinstance(dropped, DropTable)
        assert dropped.name.parts == (word,)
    for text in (
        f"desc {word}",
        f"describe table {word}",
        f"desc extended {word}",
        f"desc table extended {word}",
    ):
        described = parse_statement(text)
        assert isinstance(described, Describe)
        assert described.name.parts == (word,)


@pytest.mark.parametrize(
    "text", ["desc table stream.t a", "desc history partition (a = 1)", "drop table stream.t.x.y"]
)
def test_the_rest_is_sparks(text):
    assert parse_statement(text) == Passthrough(text)


S = "create table stream s on table t "

BAD = [
    ("create table stream s", "expected ON, found the end of the statement", 22),
    (
        "create table stream if not exists",
        "expected the name of the stream, found the end of the statement",
        34,
    ),
    ("create table stream a.b.c.d on table t", "a name can have at most 3 parts, but this one has 4", 21),
    ("create table stream s t", "expected ON, found t", 23),
    ("create table stream s (a int)", "expected ON, found (", 23),
    ("create table stream s on t", "expected TABLE or DYNAMIC TABLE after ON, found t", 26),
    ("create table stream s on view v", "expected TABLE or DYNAMIC TABLE after ON, found view", 26),
    ("create table stream s on table", "expected the name of a table, found the end of the statement", 31),
    (
        "create table stream s on dynamic table",
        "expected the name of a table, found the end of the statement",
        39,
    ),
    (
        "create or replace table stream if not exists s on table t",
        "OR REPLACE and IF NOT EXISTS cannot be used together",
        32,
    ),
    (S + "as select 1", "unexpected as", 34),
    (S + "comment", "expected a comment in quotes, found the end of the statement", 41),
    (S + "comment 'a' comment 'b'", "COMMENT is given twice", 46),
    (S + "timestamp as of", "expected a timestamp, found the end of the statement", 49),
    (S + "timestamp as of comment 'c'", "expected a timestamp, found comment", 50),
    (S + "timestamp as of '2024' x", "unexpected x", 57),
    (S + "timestamp as of '2024' properties ('a' = 'b')", "unexpected properties", 57),
    (S + "timestamp as of '2024' timestamp as of '2025'", "TIMESTAMP AS OF is given twice", 57),
    (S + "timestamp as of f('2024' comment 'c'", "this parenthesis is never closed", 51),
    (S + "version as of 3", "unexpected version", 34),
    (S + "properties ('a' = 'b')", "expected WITH PROPERTIES before the properties of a stream", 34),
    (S + "with", "unexpected with", 34),
    (S + "with properties", "expected (, found the end of the statement", 49),
    (S + "with properties ('a' = 'b')", "a table stream has no property a", 51),
    (
        S + "with properties ('table_stream_mode' = 'fast')",
        "TABLE_STREAM_MODE must be STANDARD or APPEND_ONLY, found fast",
        73,
    ),
    (
        S + "with properties ('SHOW_INITIAL_ROWS' = 1)",
        "SHOW_INITIAL_ROWS must be TRUE or FALSE, found 1",
        73,
    ),
    (
        S + "with properties (show_initial_rows = true, SHOW_INITIAL_ROWS = true)",
        "property SHOW_INITIAL_ROWS is given twice",
        77,
    ),
    (
        S + "with properties ('SHOW_INITIAL_ROWS' = 'TRUE'",
        "expected , or ) after the property, found the end of the statement",
        79,
    ),
    (S + "with properties (show_initial_rows = true) x", "unexpected x", 77),
    ("drop table stream if exists", "expected the name of a stream, found the end of the statement", 28),
    ("drop table stream s purge", "unexpected purge", 21),
    ("desc table stream s a", "unexpected a", 21),
    ("show table streams s", "unexpected s", 20),
    ("show table streams like x", "expected a pattern in quotes, found x", 25),
]


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text for text, *_ in BAD])
def test_bad_input(text, message, column):
    syntax_error(text, message, column)
