import pytest

from headrace.features.key_indexes.grammar import ShowKeyIndexes
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Passthrough
from tests.features.grammar_checks import parsed_as, syntax_error


def test_all():
    assert parsed_as(ShowKeyIndexes, "show key indexes;") == ShowKeyIndexes()


def test_in_a_schema():
    found = parsed_as(ShowKeyIndexes, "SHOW KEY INDEXES IN shop LIKE 'o%' WHERE files > 1 LIMIT 3")
    assert found.schema is not None
    assert (found.schema.parts, found.like, found.limit) == (("shop",), "o%", 3)
    assert found.where is not None
    assert (found.where.text, found.table) == ("files > 1", None)


def test_for_a_table():
    found = parsed_as(ShowKeyIndexes, "SHOW KEY INDEXES FOR shop.orders LIKE 'o%' WHERE files > 1 LIMIT 3")
    assert found.table is not None
    assert (found.table.parts, found.schema, found.like, found.limit) == (("shop", "orders"), None, "o%", 3)


@pytest.mark.parametrize(
    ("rest", "message", "column"),
    [
        ("FOR", "expected the name of a table, found the end of the statement", 21),
        ("FOR t IN shop", "unexpected IN", 24),
        ("OF t", "unexpected OF", 18),
    ],
)
def test_wrong(rest, message, column):
    syntax_error(f"SHOW KEY INDEXES {rest}", message, column)


def test_spark_keeps_what_is_called_key():
    assert parse_statement("select * from key") == Passthrough("select * from key")
