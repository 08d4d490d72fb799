import pytest

from headrace.features.recovery.grammar import (
    AsOfTimestamp,
    AsOfVersion,
    DescribeHistory,
    Optimize,
    Restore,
    Undrop,
    Vacuum,
)
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import ObjectKind, ShowTablesHistory
from tests.features.grammar_checks import syntax_error


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("undrop table t", ObjectKind.TABLE, ("t",)),
        ("UNDROP TABLE a.`b c`;", ObjectKind.TABLE, ("a", "b c")),
        ("undrop table stream", ObjectKind.TABLE, ("stream",)),
        ("undrop table stream.t", ObjectKind.TABLE, ("stream", "t")),
        ("undrop table `stream`", ObjectKind.TABLE, ("stream",)),
        ("undrop table dynamic", ObjectKind.TABLE, ("dynamic",)),
        ("Undrop -- again\n Dynamic Table w.s.t", ObjectKind.DYNAMIC_TABLE, ("w", "s", "t")),
        ("undrop table stream s", ObjectKind.TABLE_STREAM, ("s",)),
        ("undrop table stream stream", ObjectKind.TABLE_STREAM, ("stream",)),
        ("UNDROP TABLE /* a */ STREAM identifier('a.s')", ObjectKind.TABLE_STREAM, ("a", "s")),
    ],
)
def test_undrop(text, kind, parts):
    statement = parse_statement(text)
    assert isinstance(statement, Undrop)
    assert (statement.kind, statement.name.parts) == (kind, parts)


@pytest.mark.parametrize(
    ("text", "kind", "parts", "version"),
    [
        ("restore table t to version as of 3", ObjectKind.TABLE, ("t",), 3),
        (
            "RESTORE TABLE a.to TO VERSION AS OF 9223372036854775807;",
            ObjectKind.TABLE,
            ("a", "to"),
            2**63 - 1,
        ),
        ("restore table stream to version as of 0", ObjectKind.TABLE, ("stream",), 0),
        (
            "Restore Dynamic Table w.s.t\nTo /* v */ Version As Of 12",
            ObjectKind.DYNAMIC_TABLE,
            ("w", "s", "t"),
            12,
        ),
    ],
)
def test_restore_to_a_version(text, kind, parts, version):
    statement = parse_statement(text)
    assert isinstance(statement, Restore)
    assert (statement.kind, statement.name.parts) == (kind, parts)
    assert isinstance(statement.to, AsOfVersion)
    assert statement.to.version == version
    assert statement.to.span.of(text) == str(version)


@pytest.mark.parametrize(
    "timestamp",
    [
        "'2024-06-01 12:00:00'",
        "TIMESTAMP '2024-06-01 12:00:00'",
        "DATE '2024-06-01'",
        "current_timestamp() - INTERVAL 1 HOUR",
        "date_sub(current_date, 1)",
        "(now() -\n  interval '2' days)",
        "'2024-06-01'::timestamp",
        "CAST('2024-06-01' AS TIMESTAMP) -- as it was",
    ],
)
def test_restore_to_a_timestamp(timestamp):
    text = f"restore table t to timestamp as of {timestamp}\n;"
    statement = parse_statement(text)
    assert isinstance(statement.to, AsOfTimestamp)
    assert statement.to.timestamp.text == timestamp.removesuffix(" -- as it was")
    assert statement.to.timestamp.span.of(text) == statement.to.timestamp.text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("vacuum", None),
        ("VACUUM;", None),
        ("vacuum t", ("t",)),
        ("Vacuum w.s.`a b`", ("w", "s", "a b")),
        ("vacuum table", ("table",)),
        ("vacuum history", ("history",)),
    ],
)
def test_vacuum(text, parts):
    statement = parse_statement(text)
    assert isinstance(statement, Vacuum)
    assert (statement.name.parts if statement.name else None) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [("optimize t", ("t",)), ("OPTIMIZE a.b.c;", ("a", "b", "c")), ("optimize `a-b`", ("a-b",))],
)
def test_optimize(text, parts):
    statement = parse_statement(text)
    assert isinstance(statement, Optimize)
    assert statement.name.parts == parts


@pytest.mark.parametrize(
    ("rest", "schema", "like", "where", "limit"),
    [
        ("", None, None, None, None),
        (" in a", ("a",), None, None, None),
        (" FROM a.`b c` LIKE 'x*'", ("a", "b c"), "x*", None, None),
        (" where name = 'limit' and f(1, (2)) limit 3;", None, None, "name = 'limit' and f(1, (2))", 3),
        ("\n in s -- here\n like 'x' limit 10", ("s",), "x", None, 10),
    ],
)
def test_show_tables_history(rest, schema, like, where, limit):
    statement = parse_statement(f"Show TABLES history{rest}")
    assert isinstance(statement, ShowTablesHistory)
    assert (statement.schema.parts if statement.schema else None) == schema
    assert (statement.like, statement.limit) == (like, limit)
    assert (statement.where.text if statement.where else None) == where


@pytest.mark.parametrize("verb", ["desc", "DESCRIBE"])
@pytest.mark.parametrize(
    ("rest", "parts", "where", "limit"),
    [
        ("t", ("t",), None, None),
        ("a.`b c`;", ("a", "b c"), None, None),
        ("history", ("history",), None, None),
        ("w.s.t limit 3", ("w", "s", "t"), None, 3),
        ("t\n where operation = 'where' /* x */ limit 2", ("t",), "operation = 'where'", 2),
    ],
)
def test_describe_history(verb, rest, parts, where, limit):
    statement = parse_statement(f"{verb} HISTORY {rest}")
    assert isinstance(statement, DescribeHistory)
    assert (statement.name.parts, statement.limit) == (parts, limit)
    assert (statement.where.text if statement.where else None) == where


BAD = [
    ("undrop", "expected TABLE, DYNAMIC TABLE or TABLE STREAM, found the end of the statement", 7),
    ("undrop t", "expected TABLE, DYNAMIC TABLE or TABLE STREAM, found t", 8),
    ("undrop dynamic t", "expected TABLE, DYNAMIC TABLE or TABLE STREAM, found dynamic", 8),
    ("undrop table", "expected the name of a table, found the end of the statement", 13),
    ("undrop dynamic table", "expected the name of a dynamic table, found the end of the statement", 21),
    ("undrop table t as x", "unexpected as", 16),
    ("undrop table stream s x", "unexpected x", 23),
    ("undrop table a.b.c.d", "a name can have at most 3 parts, but this one has 4", 14),
    ("restore t to version as of 1", "expected TABLE or DYNAMIC TABLE, found t", 9),
    ("restore table to version as of 1", "expected TO, found version", 18),
    ("restore table t", "expected TO, found the end of the statement", 16),
    ("restore table t version as of 1", "expected TO, found version", 17),
    ("restore table t to 3", "expected VERSION AS OF or TIMESTAMP AS OF, found 3", 20),
    ("restore table t to version 3", "expected AS, found 3", 28),
    (
        "restore table t to version as of",
        "expected the number of a version, found the end of the statement",
        33,
    ),
    ("restore table t to version as of 'x'", "expected the number of a version, found 'x'", 34),
    ("restore table t to version as of -1", "expected the number of a version, found -", 34),
    ("restore table t to version as of 1.5", "expected the number of a version, found 1.5", 34),
    ("restore table t to version as of 9223372036854775808", "this number is too large", 34),
    ("restore table t to version as of " + "9" * 5000, "this number is too large", 34),
    ("restore table t to version as of 1 2", "unexpected 2", 36),
    ("restore table t to timestamp as of", "expected a timestamp, found the end of the statement", 35),
    ("restore table t to timestamp as of '2024' x", "unexpected x", 43),
    ("restore table t to timestamp as of f('2024'", "this parenthesis is never closed", 37),
    ("restore table t to timestamp as of '2024')", "unexpected )", 42),
    ("vacuum 'x'", "expected the name of a table, found 'x'", 8),
    ("vacuum table t", "unexpected t", 14),
    ("vacuum t retain 0 hours", "unexpected retain", 10),
    ("optimize", "expected the name of a table, found the end of the statement", 9),
    ("optimize t where a = 1", "unexpected where", 12),
    ("show tables history in a.b.c", "a name can have at most 2 parts, but this one has 3", 24),
    ("show tables history t", "unexpected t", 21),
    ("show tables history limit x", "expected a whole number after LIMIT, found x", 27),
    ("desc history t u", "unexpected u", 16),
    ("desc history a.b.c.d", "a name can have at most 3 parts, but this one has 4", 14),
    ("desc history t where", "expected a condition after WHERE, found the end of the statement", 21),
    ("desc history t where f(1 limit 2", "this parenthesis is never closed", 23),
    ("desc history where a", "expected the name of a table, found where", 14),
]


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text[:60] for text, *_ in BAD])
def test_bad_input(text, message, column):
    syntax_error(text, message, column)
