import pytest

from headrace.errors import SqlSyntaxError
from headrace.features.dynamic_tables.grammar_statements import ShowDynamicTables, ShowRefreshHistory
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Describe, Passthrough, ShowCreateTable, ShowTables


@pytest.mark.parametrize(("verb", "kind"), [("TABLES", ShowTables), ("DYNAMIC TABLES", ShowDynamicTables)])
@pytest.mark.parametrize(
    ("rest", "schema", "like", "where", "limit"),
    [
        ("", None, None, None, None),
        (" in a", ("a",), None, None, None),
        (" FROM a.`b c` LIKE 'x*'", ("a", "b c"), "x*", None, None),
        (" 'x*'", None, "x*", None, None),
        (" where name = 'limit' and f(1, (2)) limit 3;", None, None, "name = 'limit' and f(1, (2))", 3),
        (" like 'x' limit 10", None, "x", None, 10),
    ],
)
def test_show_tables(verb, kind, rest, schema, like, where, limit):
    text = f"SHOW {verb}{rest}"
    statement = parse_statement(text)
    assert isinstance(statement, kind)
    assert (statement.schema.parts if statement.schema else None) == schema
    assert (statement.like, statement.limit) == (like, limit)
    assert (statement.where.text if statement.where else None) == where
    if statement.where:
        assert statement.where.span.of(text) == where


@pytest.mark.parametrize(
    ("rest", "table", "where", "limit"),
    [
        ("", None, None, None),
        (" FOR a.t", ("a", "t"), None, None),
        (
            " WHERE name = 'x' AND duration > interval 1 second",
            None,
            "name = 'x' AND duration > interval 1 second",
            None,
        ),
        (" for t where x in (select 1 limit 1) limit 5", ("t",), "x in (select 1 limit 1)", 5),
    ],
)
def test_refresh_history(rest, table, where, limit):
    statement = parse_statement(f"show dynamic table refresh history{rest}")
    assert isinstance(statement, ShowRefreshHistory)
    assert (statement.table.parts if statement.table else None) == table
    assert (statement.where.text if statement.where else None) == where
    assert statement.limit == limit


def test_show_create_table():
    statement = parse_statement("SHOW CREATE TABLE a.b")
    assert isinstance(statement, ShowCreateTable)
    assert statement.name.parts == ("a", "b")


@pytest.mark.parametrize(
    ("text", "name", "extended", "kind"),
    [
        ("desc t", ("t",), False, None),
        ("DESCRIBE a.b.c;", ("a", "b", "c"), False, None),
        ("desc extended t", ("t",), True, None),
        ("desc formatted t", ("t",), True, None),
        ("describe table t", ("t",), False, "TABLE"),
        ("describe table extended t", ("t",), True, "TABLE"),
        ("desc dynamic table t", ("t",), False, "DYNAMIC TABLE"),
        ("desc dynamic table extended t", ("t",), True, "DYNAMIC TABLE"),
        ("desc extended dynamic table t", ("t",), True, "DYNAMIC TABLE"),
        ("desc extended", ("extended",), False, None),
        ("desc history", ("history",), False, None),
        ("desc schema.t", ("schema", "t"), False, None),
        ("desc table identifier('a.b')", ("a", "b"), False, "TABLE"),
    ],
)
def test_describe(text, name, extended, kind):
    statement = parse_statement(text)
    assert isinstance(statement, Describe)
    assert (statement.name.parts, statement.extended, statement.kind) == (name, extended, kind)


@pytest.mark.parametrize(
    "text",
    [
        "desc",
        "desc function extended f",
        "describe schema s",
        "describe database extended d",
        "describe namespace n",
        "describe catalog c",
        "describe query select 1",
        "desc select 1",
        "desc with x as (select 1) select 1",
        "desc (select 1)",
        "desc t a",
        "desc t partition (a = 1)",
        "desc extended t as json",
        "desc lake.public.t.snapshots",
        "show create table t as serde",
        "show create table lake.public.t.files",
        "show table extended like 'x'",
        "show tblproperties t",
        "show schemas",
    ],
)
def test_sparks_own(text):
    assert parse_statement(text) == Passthrough(text)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("show dynamic tabels", "expected TABLE, found tabels", 14),
        ("show dynamic table history", "expected REFRESH, found history", 20),
        ("show dynamic tables in a.b.c", "a name can have at most 2 parts, but this one has 3", 24),
        ("show tables in a like b", "expected a pattern in quotes, found b", 23),
        ("show tables where", "expected a condition after WHERE, found the end of the statement", 18),
        ("show tables limit x", "expected a whole number after LIMIT, found x", 19),
        ("show tables limit 1.5", "expected a whole number after LIMIT, found 1.5", 19),
        ("show tables limit 1 like 'x'", "unexpected like", 21),
        (
            "show dynamic table refresh history for",
            "expected the name of a dynamic table, found the end of the statement",
            39,
        ),
        ("show dynamic table refresh history t", "unexpected t", 36),
        ("show create table t x", "unexpected x", 21),
        ("desc dynamic table t a", "unexpected a", 22),
        ("desc a-b", "unexpected - in a name", 7),
    ],
)
def test_bad_input(text, message, column):
    with pytest.raises(SqlSyntaxError) as caught:
        parse_statement(text)
    assert (caught.value.message, caught.value.place.column) == (message, column)
    assert caught.value.hint
