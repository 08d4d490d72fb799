import pytest

from headrace.sql.queries.query import read_query
from headrace.sql.spark.determinism import ADVICE, nondeterministic, uses_current_date
from headrace.sql.spark.functions import FunctionCall
from headrace.sql.tokens.positions import Span


def refused(expression, columns=()):
    return [
        call.name
        for call, _ in nondeterministic(read_query(f"select {expression} from t").functions, columns)
    ]


@pytest.mark.parametrize("name", sorted(set(ADVICE) - {"unix_timestamp", "aes_encrypt"}))
def test_each_function_is_refused_with_advice(name):
    call = FunctionCall(name, Span(7, 7 + len(name)), argument_count=0)
    assert nondeterministic([call]) == [(call, ADVICE[name])]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("current_timestamp", ["current_timestamp"]),
        ("timestamp 'now'", ["timestamp 'now'"]),
        ("DATE ' Yesterday '", ["date 'yesterday'"]),
        ("date '2024-01-01', 'now'", []),
        ("system.builtin.rand(1)", ["system.builtin.rand"]),
        ("`uuid`()", ["uuid"]),
        ("mydb.rand()", []),
        ("rand, uuid, now", []),
        ("current_date, curdate(), current_date()", []),
        ("current_timezone(), version()", []),
        ("unix_timestamp()", ["unix_timestamp"]),
        ("unix_timestamp(a)", []),
        ("aes_encrypt(a, k)", ["aes_encrypt"]),
        ("aes_encrypt(a, k, 'GCM', 'DEFAULT')", ["aes_encrypt"]),
        ("aes_encrypt(a, k, 'ecb')", []),
        ("aes_encrypt(a, k, 'CBC', 'DEFAULT', iv)", []),
        ("'rand()', t.user, a as user", []),
    ],
)
def test_refused(expression, expected):
    assert refused(expression) == expected


def test_a_column_comes_before_a_function_without_parentheses():
    assert refused("user") == ["user"]
    assert refused("USER", columns=["User"]) == []
    assert refused("user()", columns=["user"]) == ["user"]


@pytest.mark.parametrize(
    ("expression", "columns", "expected"),
    [
        ("current_date", [], True),
        ("curdate()", [], True),
        ("current_date", ["current_date"], False),
        ("a", [], False),
    ],
)
def test_uses_current_date(expression, columns, expected):
    assert uses_current_date(read_query(f"select {expression} from t").functions, columns) is expected
