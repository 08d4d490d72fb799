import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.features.recovery.grammar import DropTable
from headrace.features.vclusters.grammar import (
    AlterVcluster,
    CreateVcluster,
    DescribeVcluster,
    DropVcluster,
    ResumeVcluster,
    ShowVclusters,
    SuspendVcluster,
    UseVcluster,
    VclusterOptions,
)
from headrace.model.vcluster import VclusterType
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Describe, Passthrough
from tests.features.grammar_checks import parsed_as, syntax_error


def created(text):
    return parsed_as(CreateVcluster, text)


def altered(text):
    return parsed_as(AlterVcluster, text)


def test_the_shortest_form():
    text = "create vcluster v"
    statement = created(text)
    assert (statement.name.text, statement.name.span.of(text)) == ("v", "v")
    assert statement.options == VclusterOptions()
    assert not statement.if_not_exists


def test_everything_at_once():
    statement = created(
        """CREATE VCLUSTER IF NOT EXISTS `my cluster` -- for dashboards
          VCLUSTER_TYPE = ANALYTICS VCLUSTER_SIZE = LARGE
          AUTO_SUSPEND_IN_SECOND = 30 /* soon */ AUTO_RESUME = FALSE
          MAX_CONCURRENCY = 4 COMMENT 'it''s'
          PROPERTIES('spark.master' = 'spark://h:7077', spark.executor.cores = 2);"""
    )
    assert (statement.name.text, statement.if_not_exists) == ("my cluster", True)
    options = statement.options
    assert (options.type, options.size) == (VclusterType.ANALYTICS, 8)
    assert (options.auto_suspend_seconds, options.auto_resume, options.max_concurrency) == (30, False, 4)
    assert options.comment == "it's"
    assert {each.name.text: each.value.text for each in options.properties} == {
        "spark.master": "spark://h:7077",
        "spark.executor.cores": "2",
    }


OPTIONS = {
    "vcluster_type = ap": VclusterOptions(type=VclusterType.ANALYTICS),
    "vcluster_size small": VclusterOptions(size=2),
    "auto_suspend_in_second = -1": VclusterOptions(auto_suspend_seconds=-1),
    "Auto_Resume = True": VclusterOptions(auto_resume=True),
    "max_concurrency = 1": VclusterOptions(max_concurrency=1),
    "comment = ','": VclusterOptions(comment=","),
}


@given(st.permutations(list(OPTIONS)), st.integers(1, len(OPTIONS)), st.sampled_from([" ", ", ", "\n,"]))
def test_options_come_in_any_order(order, count, between):
    chosen = order[:count]
    given = {}
    for each in chosen:
        given |= {field: value for field, value in vars(OPTIONS[each]).items() if value is not None}
    assert altered(f"alter vcluster v set {between.join(chosen)}").action == VclusterOptions(**given)
    assert created(f"create vcluster v {' '.join(chosen)}").options == VclusterOptions(**given)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("GENERAL", VclusterType.GENERAL),
        ("gp", VclusterType.GENERAL),
        ("Analytics", VclusterType.ANALYTICS),
        ("'AP'", VclusterType.ANALYTICS),
        ("integration", VclusterType.INTEGRATION),
    ],
)
def test_types(text, kind):
    assert created(f"create vcluster v vcluster_type = {text}").options.type is kind


@pytest.mark.parametrize(
    ("text", "size"),
    [("XSMALL", 1), ("small", 2), ("'Medium'", 4), ("large", 8), ("XLARGE", 16), ("1", 1), ("37", 37)],
)
def test_sizes(text, size):
    assert created(f"create vcluster v vcluster_size = {text}").options.size == size


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("resume", ResumeVcluster()),
        ("SUSPEND", SuspendVcluster()),
        ("suspend FORCE", SuspendVcluster(force=True)),
        ("set vcluster_size = 3", VclusterOptions(size=3)),
    ],
)
def test_alter(action, expected):
    assert altered(f"alter vcluster v {action}").action == expected
    assert altered(f"alter vcluster if exists `a.b` {action};").if_exists
    assert altered(f"alter vcluster if exists `a.b` {action};").name.text == "a.b"


@pytest.mark.parametrize(
    ("text", "name", "if_exists"),
    [
        ("drop vcluster v", "v", False),
        ("DROP VCLUSTER IF EXISTS vcluster;", "vcluster", True),
        ("drop vcluster `1-2`", "1-2", False),
    ],
)
def test_drop(text, name, if_exists):
    statement = parse_statement(text)
    assert isinstance(statement, DropVcluster)
    assert (statement.name.text, statement.if_exists) == (name, if_exists)


@pytest.mark.parametrize(("text", "name"), [("use vcluster v", "v"), ("USE VCLUSTER `default`;", "default")])
def test_use(text, name):
    statement = parse_statement(text)
    assert isinstance(statement, UseVcluster)
    assert statement.name.text == name


@pytest.mark.parametrize(
    ("text", "name", "extended"),
    [
        ("desc vcluster v", "v", False),
        ("DESCRIBE VCLUSTER EXTENDED default;", "default", True),
        ("desc vcluster extended", "extended", False),
        ("desc vcluster partition", "partition", False),
        ("describe vcluster vcluster", "vcluster", False),
    ],
)
def test_describe(text, name, extended):
    statement = parse_statement(text)
    assert isinstance(statement, DescribeVcluster)
    assert (statement.name.text, statement.extended) == (name, extended)


@pytest.mark.parametrize(
    ("rest", "like", "where", "limit"),
    [
        ("", None, None, None),
        ("like 'd*'", "d*", None, None),
        ("WHERE state = 'RUNNING' LIMIT 3", None, "state = 'RUNNING'", 3),
        ("like 'a' where (size > 2) limit 0", "a", "(size > 2)", 0),
    ],
)
def test_show(rest, like, where, limit):
    statement = parse_statement(f"show vclusters {rest}")
    assert isinstance(statement, ShowVclusters)
    assert (statement.like, statement.limit) == (like, limit)
    assert (statement.where and statement.where.text) == where


@pytest.mark.parametrize(
    "text",
    [
        "use vcluster",
        "use vcluster.public",
        "use schema vcluster",
        "desc vcluster partition (a = 1)",
        "desc extended vcluster a",
        "create table vcluster (a int)",
        "create or replace table vcluster as select 1",
        "select * from vcluster",
        "alter table vcluster add column a int",
        "show tables_of_vclusters",
    ],
)
def test_spark_keeps_what_is_called_vcluster(text):
    assert parse_statement(text) == Passthrough(text)


def test_a_table_called_vcluster_is_described_and_dropped():
    for text in ("desc vcluster", "describe vcluster;", "desc table vcluster", "desc vcluster.t"):
        assert isinstance(parse_statement(text), Describe)
    assert isinstance(parse_statement("drop table vcluster"), DropTable)


V = "create vcluster v "
A = "alter vcluster v "
BAD = [
    ("create vcluster", "expected the name of a cluster, found the end of the statement", 16),
    ("create vcluster 1", "expected the name of a cluster, found 1", 17),
    ("create vcluster 'v'", "expected the name of a cluster, found 'v'", 17),
    ("create vcluster ``", "the name of a cluster cannot be empty", 17),
    ("create vcluster a.b", "unexpected . in the name of a cluster", 18),
    ("create vcluster a-b", "unexpected - in the name of a cluster", 18),
    ("create or replace vcluster v", "a virtual cluster cannot be replaced", 1),
    (V + "size = 1", "a virtual cluster has no option size", 19),
    (V + "vcluster_size = 1, auto_resume = true", "a virtual cluster has no option ,", 36),
    (
        V + "vcluster_type = fast",
        "VCLUSTER_TYPE must be one of GENERAL, ANALYTICS, INTEGRATION, found fast",
        35,
    ),
    (
        V + "vcluster_type",
        "VCLUSTER_TYPE must be one of GENERAL, ANALYTICS, INTEGRATION, found the end of the statement",
        32,
    ),
    (
        V + "vcluster_size = huge",
        "VCLUSTER_SIZE must be one of XSMALL, SMALL, MEDIUM, LARGE, XLARGE or a number, found huge",
        35,
    ),
    (V + "vcluster_size = 0", "VCLUSTER_SIZE must be at least 1", 35),
    (V + "vcluster_size = 1.5", "expected a whole number, found 1.5", 35),
    (
        V + "vcluster_size = -1",
        "VCLUSTER_SIZE must be one of XSMALL, SMALL, MEDIUM, LARGE, XLARGE or a number, found -",
        35,
    ),
    (V + "max_concurrency = 0", "MAX_CONCURRENCY must be at least 1", 37),
    (V + "max_concurrency = many", "expected a whole number, found many", 37),
    (V + "auto_suspend_in_second = '9'", "expected a number of seconds, found '9'", 44),
    (
        V + "auto_suspend_in_second = -2",
        "AUTO_SUSPEND_IN_SECOND must be zero or more, or -1 for never",
        44,
    ),
    (V + "auto_suspend_in_second = 9999999999999999999", "this number is too large", 44),
    (V + "auto_resume = 1", "AUTO_RESUME must be TRUE or FALSE, found 1", 33),
    (V + "comment c", "expected a comment in quotes, found c", 27),
    (V + "comment 'a' comment 'b'", "COMMENT is given twice", 31),
    (V + "properties ()", "expected a property name, found )", 31),
    (
        V + "properties ('master' = 'local')",
        "master is not a Spark setting: the names of Spark settings start with spark.",
        31,
    ),
    (V + "properties ('spark.a' = '1', 'spark.a' = '2')", "property spark.a is given twice", 48),
    ("alter vcluster", "expected the name of a cluster, found the end of the statement", 15),
    (A, "expected RESUME, SUSPEND or SET, found the end of the statement", 17),
    (A + "start", "expected RESUME, SUSPEND or SET, found start", 18),
    (A + "resume force", "unexpected force", 25),
    (A + "suspend now", "unexpected now", 26),
    (
        A + "set",
        "expected what to set: VCLUSTER_TYPE, VCLUSTER_SIZE, AUTO_SUSPEND_IN_SECOND, AUTO_RESUME, "
        "MAX_CONCURRENCY, COMMENT, PROPERTIES",
        21,
    ),
    (A + "set auto_resume = true,", "expected one more option after the comma", 41),
    (A + "set auto_resume = true,, comment 'c'", "a virtual cluster has no option ,", 41),
    (A + "unset comment", "expected RESUME, SUSPEND or SET, found unset", 18),
    ("drop vcluster", "expected the name of a cluster, found the end of the statement", 14),
    ("drop vcluster a, b", "unexpected ,", 16),
    ("use vcluster a b", "unexpected b", 16),
    ("desc vcluster v x", "unexpected x", 17),
    ("show vclusters in s", "unexpected in", 16),
    ("show vclusters limit x", "expected a whole number after LIMIT, found x", 22),
    ("show vclusters where", "expected a condition after WHERE, found the end of the statement", 21),
]


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text for text, *_ in BAD])
def test_bad_input(text, message, column):
    assert len(syntax_error(text, message, column).hint) < 130
