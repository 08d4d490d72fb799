import pytest

from headrace.features.jobs.grammar import CancelJob, DescribeJob, ShowJobs
from headrace.features.recovery.grammar import DropTable
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Describe, Passthrough
from tests.features.grammar_checks import syntax_error


@pytest.mark.parametrize(
    ("rest", "where", "limit"),
    [("", None, None), ("limit 3;", None, 3), ("WHERE state = 'RUNNING' LIMIT 1", "state = 'RUNNING'", 1)],
)
def test_show(rest, where, limit):
    statement = parse_statement(f"SHOW JOBS {rest}")
    assert isinstance(statement, ShowJobs)
    assert ((statement.where and statement.where.text), statement.limit) == (where, limit)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("desc job '2024-x'", DescribeJob),
        ("DESCRIBE JOB '2024-x';", DescribeJob),
        ("cancel job '2024-x'", CancelJob),
        ('CANCEL /* that */ JOB "2024-x"', CancelJob),
    ],
)
def test_one_job(text, kind):
    statement = parse_statement(text)
    assert isinstance(statement, kind)
    assert statement.job_id.text == "2024-x"
    assert statement.job_id.span.of(text)[1:-1] == "2024-x"


@pytest.mark.parametrize(
    "text", ["desc job a", "desc job partition (a = 1)", "select * from job", "create table jobs (a int)"]
)
def test_spark_keeps_what_is_called_job(text):
    assert parse_statement(text) == Passthrough(text)


def test_a_table_called_job_is_described_and_dropped():
    for text in ("desc job", "desc job.t", "desc table job"):
        assert isinstance(parse_statement(text), Describe)
    assert isinstance(parse_statement("drop table job"), DropTable)


BAD = [
    ("show jobs like 'a'", "unexpected like", 11),
    ("show jobs limit", "expected a whole number after LIMIT, found the end of the statement", 16),
    ("show jobs where limit 1", "expected a condition after WHERE, found limit", 17),
    ("desc job ''", "the id of a job cannot be empty", 10),
    ("desc job 'a' b", "unexpected b", 14),
    ("cancel", "expected JOB, found the end of the statement", 7),
    ("cancel task t", "expected JOB, found task", 8),
    ("cancel job", "expected the id of a job in quotes, found the end of the statement", 11),
    ("cancel job a", "expected the id of a job in quotes, found a", 12),
    ("cancel job 'a', 'b'", "unexpected ,", 15),
]


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text for text, *_ in BAD])
def test_bad_input(text, message, column):
    assert len(syntax_error(text, message, column).hint) < 130
