import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import SqlSyntaxError
from headrace.features.recovery.grammar import DropTable
from headrace.features.tasks.grammar import (
    AlterTask,
    CreateTask,
    DescribeTask,
    DropTask,
    ExecuteTask,
    ShowTaskRuns,
    ShowTasks,
    TaskStep,
    UnsetClauses,
)
from headrace.features.tasks.grammar_clauses import AtCron, EveryInterval, Retries, TaskClauses
from headrace.model.task import TaskAlert, TaskKind
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Describe, Passthrough
from headrace.sql.tokens.split import split
from tests.features.grammar_checks import parsed_as, syntax_error


def created(text):
    return parsed_as(CreateTask, text)


def altered(text):
    return parsed_as(AlterTask, text)


def names(words):
    return [word.text for word in words]


def given_properties(properties):
    return {each.name.text: each.value.text for each in properties}


def test_the_shortest_form():
    text = "create task t as insert into a select 1"
    statement = created(text)
    assert (statement.name.text, statement.name.span.of(text)) == ("t", "t")
    assert statement.clauses == TaskClauses()
    assert (statement.body.kind, statement.body.text) == (TaskKind.SQL, "insert into a select 1")
    assert statement.body.span.of(text) == "insert into a select 1"
    assert not statement.or_replace
    assert not statement.if_not_exists


def test_everything_at_once():
    text = """CREATE OR REPLACE TASK `2. Aggregation dy` VCLUSTER `my vc`
      SCHEDULE INTERVAL 1 MINUTE START WITH '2024-06-01 08:00:00' -- each minute
      AFTER `1. Time Processing dy`, load
      RETRIES 3 BACKOFF INTERVAL '10' SECONDS
      TIMEOUT INTERVAL 2 HOUR
      PARAMETERS ('bizdate' = '2024-06-01', 'dt.args.x' = 1)
      COMMENT 'it''s' AS
      SQL $$insert into a values (';'); select 1$$;"""
    (only,) = split(text)
    statement = created(only.text)
    assert (statement.name.text, statement.or_replace) == ("2. Aggregation dy", True)
    clauses = statement.clauses
    assert clauses.cluster.text == "my vc"
    assert isinstance(clauses.schedule, EveryInterval)
    assert (clauses.schedule.seconds, clauses.schedule.start_at.text) == (60, "2024-06-01 08:00:00")
    assert clauses.schedule.span.of(text) == "INTERVAL 1 MINUTE"
    assert names(clauses.after) == ["1. Time Processing dy", "load"]
    assert clauses.retries == Retries(3, 10)
    assert clauses.timeout_seconds == 7200
    assert given_properties(clauses.parameters) == {"bizdate": "2024-06-01", "dt.args.x": "1"}
    assert clauses.comment == "it's"
    assert (statement.body.kind, statement.body.text) == (
        TaskKind.SQL,
        "insert into a values (';'); select 1",
    )


CLAUSES = {
    "vcluster v": lambda c: c.cluster.text == "v",
    "schedule interval 5 minute": lambda c: c.schedule.seconds == 300,
    "after a, b": lambda c: names(c.after) == ["a", "b"],
    "retries 0": lambda c: c.retries == Retries(0),
    "timeout interval '90 seconds'": lambda c: c.timeout_seconds == 90,
    "parameters ('as' = 'as')": lambda c: given_properties(c.parameters) == {"as": "as"},
    "comment 'as select 1'": lambda c: c.comment == "as select 1",
    "alerts (timeout, failure)": lambda c: c.alerts == tuple(TaskAlert),
}


@given(st.permutations(list(CLAUSES)), st.integers(1, len(CLAUSES)))
def test_clauses_come_in_any_order(order, count):
    chosen = order[:count]
    for clauses in (
        created(f"create task t {' '.join(chosen)} as select 1").clauses,
        altered(f"alter task t set {' '.join(chosen)}").action,
    ):
        assert all(CLAUSES[each](clauses) for each in chosen)
        assert sum(value is not None for value in vars(clauses).values()) == count


def test_no_alerts():
    assert altered("alter task t set alerts none").action.alerts == ()


@pytest.mark.parametrize(
    ("text", "expression", "zone"),
    [
        ("cron '0 2 * * *'", "0 2 * * *", None),
        ("CRON '*/5 9-17 * * MON-FRI' TIME ZONE 'Asia/Shanghai'", "*/5 9-17 * * MON-FRI", "Asia/Shanghai"),
        ("cron '0 0 L * *' time zone 'UTC'", "0 0 L * *", "UTC"),
    ],
)
def test_cron(text, expression, zone):
    schedule = created(f"create task t schedule {text} as select 1").clauses.schedule
    assert isinstance(schedule, AtCron)
    assert (schedule.expression.text, schedule.zone) == (expression, zone)


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("sql 'select 1'", TaskKind.SQL, "select 1"),
        ("SQL 'select ' '1'", TaskKind.SQL, "select 1"),
        ("python 'print(1)\nprint(2)'", TaskKind.PYTHON, "print(1)\nprint(2)"),
        ("PYTHON $py$x = '$$'$py$", TaskKind.PYTHON, "x = '$$'"),
        ("select ';' as `;` -- done", TaskKind.SQL, "select ';' as `;`"),
        ("refresh dynamic table t", TaskKind.SQL, "refresh dynamic table t"),
        ("create dynamic table t as select 1", TaskKind.DYNAMIC_TABLE, "create dynamic table t as select 1"),
        (
            "create or replace dynamic table t\n as select 1",
            TaskKind.DYNAMIC_TABLE,
            "create or replace dynamic table t\n as select 1",
        ),
        ("create table dynamic as select 1", TaskKind.SQL, "create table dynamic as select 1"),
        ("sql", TaskKind.SQL, None),
    ],
)
def test_bodies(body, kind, text):
    if text is None:
        with pytest.raises(SqlSyntaxError, match="expected a script in quotes"):
            parse_statement(f"create task t as {body}")
        return
    statement = created(f"create task if not exists t as {body};")
    assert statement.if_not_exists
    assert (statement.body.kind, statement.body.text) == (kind, text)


@pytest.mark.parametrize("name", ["t", "task", "after", "`1. Time Processing dy`", "`a``b`", "表"])
def test_names_of_any_kind(name):
    expected = name.strip("`").replace("``", "`")
    for text in (
        f"create task {name} as select 1",
        f"alter task {name} deploy",
        f"drop task {name}",
        f"execute task {name}",
        f"desc task {name}",
    ):
        assert parse_statement(text).name.text == expected


@pytest.mark.parametrize("step", list(TaskStep))
def test_steps(step):
    text = f"ALTER TASK IF EXISTS t {step.lower()};"
    statement = altered(text)
    assert (statement.action, statement.if_exists) == (step, True)
    assert statement.span.of(text) == step.lower()


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("schedule", {"SCHEDULE"}),
        ("after, timeout", {"AFTER", "TIMEOUT"}),
        (
            "vcluster, retries, parameters, comment",
            {"VCLUSTER", "RETRIES", "PARAMETERS", "COMMENT"},
        ),
    ],
)
def test_unset(text, clauses):
    assert altered(f"alter task t unset {text}").action == UnsetClauses(frozenset(clauses))


def test_drop():
    statement = parse_statement("drop task if exists `a b`")
    assert isinstance(statement, DropTask)
    assert (statement.name.text, statement.if_exists) == ("a b", True)


def test_execute():
    statement = parse_statement("EXECUTE TASK t PARAMETERS ('bizdate' = '2024-06-01', n = 1)")
    assert isinstance(statement, ExecuteTask)
    assert given_properties(statement.parameters) == {"bizdate": "2024-06-01", "n": "1"}
    assert parse_statement("execute task t").parameters == ()


def test_describe():
    for text in ("desc task t", "DESCRIBE TASK t;"):
        statement = parse_statement(text)
        assert isinstance(statement, DescribeTask)
        assert statement.name.text == "t"


def test_show():
    statement = parse_statement("show tasks like 'a*' where state = 'DEPLOYED' limit 2")
    assert isinstance(statement, ShowTasks)
    assert (statement.like, statement.where.text, statement.limit) == ("a*", "state = 'DEPLOYED'", 2)
    assert parse_statement("show tasks") == ShowTasks()


def test_show_runs():
    statement = parse_statement("show task runs for `1. a` where state = 'FAILED' limit 2")
    assert isinstance(statement, ShowTaskRuns)
    assert (statement.task.text, statement.where.text, statement.limit) == ("1. a", "state = 'FAILED'", 2)
    assert parse_statement("SHOW TASK RUNS;") == ShowTaskRuns()


@pytest.mark.parametrize(
    "text",
    [
        "execute immediate 'select 1'",
        "desc task partition (a = 1)",
        "describe task partition (a = 1)",
        "create table task (a int)",
        "create view task as select 1",
        "select * from task",
        "insert into task values (1)",
        "use task",
    ],
)
def test_spark_keeps_what_is_called_task(text):
    assert parse_statement(text) == Passthrough(text)


def test_a_table_called_task_is_described_and_dropped():
    for text in ("desc task", "desc table task", "describe task.t"):
        assert isinstance(parse_statement(text), Describe)
    assert isinstance(parse_statement("drop table task"), DropTable)


C = "create task t "
S = C + "schedule "
A = "alter task t "
END = "found the end of the statement"
BAD = [
    ("create task", f"expected the name of a task, {END}", 12),
    ("create task 1. Time as select 1", "expected the name of a task, found 1.", 13),
    ("create task 't' as select 1", "expected the name of a task, found 't'", 13),
    ("create task a.b as select 1", "unexpected . in the name of a task", 14),
    ("create task a-b as select 1", "unexpected - in the name of a task", 14),
    ("create task as select 1", "expected the name of a task, found as", 13),
    (
        "create or replace task if not exists t as select 1",
        "OR REPLACE and IF NOT EXISTS cannot be used together",
        24,
    ),
    (C, "a task requires AS and a statement or a script", 14),
    (C + "select 1", "a task has no clause select", 15),
    (C + "as", "expected a statement or a script after AS", 17),
    (C + "as 'select 1'", "expected SQL or PYTHON before the script", 18),
    (C + "as sql ''", "the script is empty", 22),
    (C + "as python ' \n '", "the script is empty", 25),
    (C + "as sql 'select 1' x", "unexpected x", 33),
    (C + "as python", f"expected a script in quotes, {END}", 24),
    (C + "as begin select 1; end", "a block must be written as a script", 18),
    (C + "as select 1; select 2", "a task runs a single statement or a script", 26),
    (C + "as select 1)", "unexpected )", 26),
    (C + "as select (1", "this parenthesis is never closed", 25),
    (C + "comment 'a' comment 'b' as select 1", "COMMENT is given twice", 27),
    (C + "interval 1 minute as select 1", "INTERVAL must directly follow SCHEDULE", 15),
    (C + "cron '* * * * *' as select 1", "CRON must directly follow SCHEDULE", 15),
    (C + "backoff interval 1 minute as select 1", "BACKOFF must directly follow RETRIES", 15),
    (S + "as select 1", "expected INTERVAL or CRON after SCHEDULE, found as", 24),
    (S + "interval as select 1", "the interval requires a number, found as", 33),
    (S + "interval 5 as select 1", "the interval requires a unit: SECOND, MINUTE, HOUR or DAY", 35),
    (
        S + "interval 5 week as select 1",
        "WEEK is not a valid unit for a schedule interval: use SECOND, MINUTE, HOUR or DAY",
        35,
    ),
    (S + "interval 0 minute as select 1", "the interval must be a whole number greater than zero, not 0", 33),
    (S + "interval 1 hour 30 minute as select 1", "an interval must have one number and one unit", 40),
    (S + "interval 1 hour start with as select 1", "expected a timestamp in quotes, found as", 51),
    (S + "interval 1 hour start '2024-01-01' as select 1", "START must directly follow INTERVAL", 40),
    (S + "interval 1 hour cron '* * * * *' as select 1", "CRON must directly follow SCHEDULE", 40),
    (S + "cron * * * * * as select 1", "expected a cron expression in quotes, found *", 29),
    (S + "cron '' as select 1", "this is not a cron expression: wrong number of fields", 29),
    (S + "cron '* * * *' as select 1", "this is not a cron expression: wrong number of fields", 29),
    (S + "cron '61 * * * *' as select 1", "this is not a cron expression: bad minute", 29),
    (S + "cron '* 25 * * *' as select 1", "this is not a cron expression: bad hour", 29),
    (S + "cron '0 0 30 2 *' as select 1", "this is not a cron expression: bad day-of-month", 29),
    (S + "cron '* * * * *' time 'UTC' as select 1", "a task has no clause time", 41),
    (S + "cron '* * * * *' time zone as select 1", "expected a time zone in quotes, found as", 51),
    (S + "cron '* * * * *' time zone 'Mars' as select 1", "time zone 'Mars' does not exist", 51),
    (S + "cron '* * * * *' time zone '' as select 1", "time zone '' does not exist", 51),
    (S + "cron '* * * * *' time zone '../etc' as select 1", "time zone '../etc' does not exist", 51),
    (C + "after as select 1", "expected the name of a task, found as", 21),
    (C + "after a, as select 1", "expected the name of a task, found as", 24),
    (C + "after a, A as select 1", "task A is given twice", 24),
    (C + "after a, T as select 1", "a task cannot run after itself", 24),
    (C + "after a b as select 1", "a task has no clause b", 23),
    (C + "retries as select 1", "expected how often to try again, found as", 23),
    (C + "retries -1 as select 1", "expected how often to try again, found -", 23),
    (C + "retries 1 backoff 5 second as select 1", "expected INTERVAL after BACKOFF, found 5", 33),
    (C + "timeout 5 minute as select 1", "expected INTERVAL after TIMEOUT, found 5", 23),
    (C + "parameters as select 1", "expected (, found as", 26),
    (C + "parameters ('a' = 1, 'a' = 2) as select 1", "property a is given twice", 36),
    (C + "alerts failure as select 1", "expected (, found failure", 22),
    (C + "alerts () as select 1", "expected FAILURE or TIMEOUT, found )", 23),
    (C + "alerts (lag) as select 1", "expected FAILURE or TIMEOUT, found lag", 23),
    ("alter task", f"expected the name of a task, {END}", 11),
    (A, f"expected DEPLOY, OFFLINE, PAUSE, RESUME, SET or UNSET, {END}", 13),
    (A + "suspend", "expected DEPLOY, OFFLINE, PAUSE, RESUME, SET or UNSET, found suspend", 14),
    (A + "deploy now", "unexpected now", 21),
    (
        A + "set",
        "expected what to set: VCLUSTER, SCHEDULE, AFTER, RETRIES, TIMEOUT, PARAMETERS, COMMENT, ALERTS",
        17,
    ),
    (A + "set as select 1", "the statement or script of a task cannot be altered", 18),
    (A + "set comment 'c' as select 1", "the statement or script of a task cannot be altered", 30),
    (A + "set after T", "a task cannot run after itself", 24),
    (A + "set state = 'PAUSED'", "a task has no clause state", 18),
    (
        A + "unset",
        "expected one of VCLUSTER, SCHEDULE, AFTER, RETRIES, TIMEOUT, PARAMETERS, COMMENT, ALERTS "
        "after UNSET, found the end of the statement",
        19,
    ),
    (A + "unset after, after", "AFTER is given twice", 27),
    (A + "unset after timeout", "unexpected timeout", 26),
    ("drop task a, b", "unexpected ,", 12),
    ("execute task", f"expected the name of a task, {END}", 13),
    ("execute task t with x", "unexpected with", 16),
    ("execute task t parameters ('a')", "property a requires a string, a number or a boolean, found )", 31),
    ("desc task t x", "unexpected x", 13),
    ("show tasks in s", "unexpected in", 12),
    ("show task", f"expected RUNS, {END}", 10),
    ("show task runs of t", "unexpected of", 16),
    ("show task runs for", f"expected the name of a task, {END}", 19),
]


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text for text, *_ in BAD])
def test_bad_input(text, message, column):
    assert len(syntax_error(text, message, column).hint) < 130
