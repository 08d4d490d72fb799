import pytest

from headrace.errors import SqlSyntaxError
from headrace.features.dynamic_tables.grammar_alterations import ALTER_DYNAMIC_FORM
from headrace.features.dynamic_tables.grammar_statements import (
    AlterDynamicTable,
    AlterTable,
    RenameColumn,
    RenameTo,
    Resume,
    SetComment,
    SetProperties,
    SetRefresh,
    SetRefreshMode,
    Suspend,
    UnsetProperties,
)
from headrace.model.dynamic_table import RequestedMode
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Passthrough
from tests.features.grammar_checks import parsed_as, syntax_error


def given_properties(action):
    return {each.name.text: each.value.text for each in action.properties}


def altered(text):
    return parsed_as(AlterDynamicTable, text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("alter dynamic table t suspend", ("t",)),
        ("ALTER DYNAMIC TABLE a.`b c` SUSPEND;", ("a", "b c")),
        ("Alter Dynamic /* ours */ Table\n  w.s.t -- this one\n  Suspend", ("w", "s", "t")),
        ("alter dynamic table suspend suspend", ("suspend",)),
        ("alter dynamic table identifier('a.b') suspend", ("a", "b")),
    ],
)
def test_names(text, parts):
    statement = altered(text)
    assert statement.name.parts == parts
    assert statement.action == Suspend()
    assert statement.span.of(text).lower() == "suspend"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("resume", Resume()),
        ("SET COMMENT 'it''s'", SetComment("it's")),
        ("set comment ''", SetComment("")),
        ("set refresh_mode = incremental", SetRefreshMode(RequestedMode.INCREMENTAL)),
        ("SET REFRESH_MODE FULL", SetRefreshMode(RequestedMode.FULL)),
    ],
)
def test_simple_actions(action, expected):
    text = f"alter dynamic table t {action}"
    statement = altered(text)
    assert statement.action == expected
    assert statement.span.of(text) == action


@pytest.mark.parametrize(
    ("name", "parts"), [("x", ("x",)), ("a.`b c`", ("a", "b c")), ("w.s.to", ("w", "s", "to"))]
)
def test_rename_to(name, parts):
    text = f"alter dynamic table t rename to {name}"
    action = altered(text).action
    assert isinstance(action, RenameTo)
    assert action.name.parts == parts
    assert action.name.span.of(text) == name


def test_rename_column():
    text = "ALTER DYNAMIC TABLE t RENAME COLUMN `a b` TO c"
    action = altered(text).action
    assert isinstance(action, RenameColumn)
    assert (action.column.text, action.to.text) == ("a b", "c")
    assert (action.column.span.of(text), action.to.span.of(text)) == ("`a b`", "c")


@pytest.mark.parametrize("words", ["PROPERTIES", "tblproperties"])
def test_set_properties(words):
    text = f"alter dynamic table t set {words} ('a' = 'x', b.c 2, /* on */ `d`=true, 'e' == -1.5)"
    action = altered(text).action
    assert isinstance(action, SetProperties)
    assert given_properties(action) == {"a": "x", "b.c": "2", "d": "true", "e": "-1.5"}
    assert [(each.name.span.of(text), each.value.span.of(text)) for each in action.properties] == [
        ("'a'", "'x'"),
        ("b.c", "2"),
        ("`d`", "true"),
        ("'e'", "-1.5"),
    ]


@pytest.mark.parametrize(
    ("rest", "names", "if_exists"),
    [
        ("PROPERTIES ('a')", ["a"], False),
        ("tblproperties('a', b.c)", ["a", "b.c"], False),
        ("properties if exists ('a', 'IF')", ["a", "IF"], True),
    ],
)
def test_unset_properties(rest, names, if_exists):
    action = altered(f"alter dynamic table t unset {rest}").action
    assert isinstance(action, UnsetProperties)
    assert ([name.text for name in action.names], action.if_exists) == (names, if_exists)


@pytest.mark.parametrize(
    ("refresh", "seconds", "interval", "cluster"),
    [
        ("REFRESH INTERVAL 5 MINUTE", 300, "INTERVAL 5 MINUTE", None),
        ("set refresh interval '5' minutes", 300, "interval '5' minutes", None),
        ("set refresh interval '2 hours' vcluster v", 7200, "interval '2 hours'", "v"),
        ("refresh\n interval 1 day\n vcluster `my vc`", 86400, "interval 1 day", "my vc"),
        ("refresh interval 90 second VCLUSTER 'default'", 90, "interval 90 second", "default"),
    ],
)
def test_refresh(refresh, seconds, interval, cluster):
    text = f"alter dynamic table t {refresh}"
    action = altered(text).action
    assert isinstance(action, SetRefresh)
    assert action.interval_seconds == seconds
    assert action.interval_span.of(text) == interval
    assert (action.cluster.text if action.cluster else None) == cluster


RETENTION = "'data_retention_days' = '7'"


@pytest.mark.parametrize(
    ("text", "parts", "properties"),
    [
        (f"ALTER TABLE t SET PROPERTIES({RETENTION})", ("t",), {"data_retention_days": "7"}),
        (
            "alter table a.b.c set properties (DATA_RETENTION_DAYS = 7)",
            ("a", "b", "c"),
            {"DATA_RETENTION_DAYS": "7"},
        ),
        ("alter table `set` set properties('x' = 'y')", ("set",), {"x": "y"}),
        ("alter table properties set properties('x' = 'y')", ("properties",), {"x": "y"}),
        ("alter table identifier('a.t') set properties('x' = 'y')", ("a", "t"), {"x": "y"}),
        (f"alter table dynamic set TBLPROPERTIES ({RETENTION})", ("dynamic",), {"data_retention_days": "7"}),
        (
            "alter table t\n set tblproperties ('a' = 'f(,', -- and\n `Data_Retention_Days` 3)",
            ("t",),
            {"a": "f(,", "Data_Retention_Days": "3"},
        ),
    ],
)
def test_properties_of_a_table(text, parts, properties):
    statement = parse_statement(text)
    assert isinstance(statement, AlterTable)
    assert isinstance(statement.action, SetProperties)
    assert (statement.name.parts, given_properties(statement.action)) == (parts, properties)


@pytest.mark.parametrize(
    ("rest", "if_exists"),
    [
        ("PROPERTIES ('data_retention_days')", False),
        ("properties if exists (data_retention_days)", True),
        ("tblproperties ('data_retention_days')", False),
        ("TBLPROPERTIES IF EXISTS ('data_retention_days')", True),
    ],
)
def test_properties_of_a_table_are_unset(rest, if_exists):
    statement = parse_statement(f"alter table t unset {rest}")
    assert isinstance(statement, AlterTable)
    assert isinstance(statement.action, UnsetProperties)
    assert [name.text.lower() for name in statement.action.names] == ["data_retention_days"]
    assert statement.action.if_exists == if_exists


@pytest.mark.parametrize(
    "text",
    [
        "alter table",
        "alter table t",
        "alter table t add column a int",
        "alter table t add column data_retention_days int",
        "alter table t rename to x",
        "alter table t rename column a to b",
        "alter table t set location 'x'",
        "alter table t set tblproperties ('a' = 'b')",
        "alter table t set tblproperties ('a' = 'data_retention_days')",
        "alter table t set tblproperties (x.data_retention_days = '1', data_retention_days.x = '1')",
        "alter table t set tblproperties ('a' = )",
        "alter table t set tblproperties",
        "alter table t unset tblproperties ('a')",
        "alter table t unset tblproperties if exists ('a')",
        "alter table t partition (a = 1) set location 'x'",
        "alter table identifier(:x) add column a int",
        "alter table identifier('a' || 'b') set tblproperties ('a' = 'b')",
        "alter table a.b.c.d add column a int",
        "alter table properties add column a int",
        "alter table dynamic rename to stream",
        "alter table stream write ordered by a",
        "alter view v set tblproperties ('data_retention_days' = '1')",
        "alter schema s set properties ('a' = 'b')",
    ],
)
def test_the_rest_is_sparks(text):
    assert parse_statement(text) == Passthrough(text)


A = "alter dynamic table t "

BAD = [
    ("alter dynamic view v suspend", "expected TABLE, found view", 15),
    ("alter dynamic table", "expected the name of a dynamic table, found the end of the statement", 20),
    ("alter dynamic table 'x' suspend", "expected the name of a dynamic table, found 'x'", 21),
    ("alter dynamic table a.b.c.d suspend", "a name can have at most 3 parts, but this one has 4", 21),
    (A, "expected what to change, found the end of the statement", 22),
    (A + "add column a int", "expected what to change, found add", 23),
    (A + "`suspend`", "expected what to change, found `suspend`", 23),
    (A + "suspend now", "unexpected now", 31),
    (A + "suspend, resume", "unexpected ,", 30),
    (A + "rename x", "expected TO or COLUMN after RENAME, found x", 30),
    (A + "rename to", "expected the new name, found the end of the statement", 32),
    (A + "rename to a.b.c.d", "a name can have at most 3 parts, but this one has 4", 33),
    (A + "rename to a-b", "unexpected - in a name", 34),
    (A + "rename column to b", "expected TO, found b", 40),
    (A + "rename column a b", "expected TO, found b", 39),
    (A + "rename column a.b to c", "expected TO, found .", 38),
    (A + "rename column a to", "expected the new name of the column, found the end of the statement", 41),
    (
        A + "set location 'x'",
        "expected COMMENT, PROPERTIES, REFRESH INTERVAL or REFRESH_MODE after SET, found location",
        27,
    ),
    (A + "unset comment", "expected PROPERTIES after UNSET, found comment", 29),
    (A + "set comment c", "expected a comment in quotes, found c", 35),
    (A + "set comment 'a' 'b' c", "unexpected c", 43),
    (A + "set properties", "expected (, found the end of the statement", 37),
    (A + "set properties ()", "expected a property name, found )", 39),
    (
        A + "set properties ('a' = 'b'",
        "expected , or ) after the property, found the end of the statement",
        48,
    ),
    (A + "set properties ('a')", "property a requires a string, a number or a boolean, found )", 42),
    (A + "set properties ('a' = b)", "property a requires a string, a number or a boolean, found b", 45),
    (A + "set properties ('a' = 1, 'a' = 2)", "property a is given twice", 48),
    (A + "unset properties ()", "expected a property name, found )", 41),
    (A + "unset properties ('a', 'a')", "property a is given twice", 46),
    (
        A + "unset properties ('a' = 'b')",
        "expected , or ) after the name of a property, found =",
        45,
    ),
    (
        A + "unset properties ('a'",
        "expected , or ) after the name of a property, found the end of the statement",
        44,
    ),
    (A + "refresh", "expected INTERVAL, found the end of the statement", 30),
    (A + "set refresh vcluster v", "expected INTERVAL, found vcluster", 35),
    (A + "refresh interval 5", "the interval requires a unit: SECOND, MINUTE, HOUR or DAY", 41),
    (
        A + "refresh interval 5 week",
        "WEEK is not a valid unit for a refresh interval: use SECOND, MINUTE, HOUR or DAY",
        42,
    ),
    (A + "refresh interval 0 minute", "the interval must be a whole number greater than zero, not 0", 40),
    (
        A + "refresh interval 5 minute vcluster",
        "expected the name of a cluster, found the end of the statement",
        57,
    ),
    (A + "refresh interval 5 minute on v", "unexpected on", 49),
    (A + "set refresh_mode = fast", "REFRESH_MODE must be one of AUTO, FULL, INCREMENTAL, found fast", 42),
    ("alter table t set properties", "expected (, found the end of the statement", 29),
    ("alter table t set properties ('a' = '1') x", "unexpected x", 42),
    (
        "alter table a.b.c.d set properties ('a' = '1')",
        "a name can have at most 3 parts, but this one has 4",
        13,
    ),
    ("alter table identifier(x) set properties ('a' = '1')", "expected a table name in quotes, found x", 24),
    (
        "alter table t set tblproperties ('data_retention_days' = )",
        "property data_retention_days requires a string, a number or a boolean, found )",
        58,
    ),
    (
        "alter table t set tblproperties ('data_retention_days' = '1'",
        "expected , or ) after the property, found the end of the statement",
        61,
    ),
]


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text for text, *_ in BAD])
def test_bad_input(text, message, column):
    syntax_error(text, message, column)


def test_an_unknown_action_is_told_what_is_possible():
    with pytest.raises(SqlSyntaxError) as caught:
        parse_statement("alter dynamic table t\n  drop column a")
    assert (caught.value.place.line, caught.value.place.column, caught.value.place.length) == (2, 3, 4)
    assert caught.value.hint == ALTER_DYNAMIC_FORM
