"""Which columns of a query mean another field than before. Pure."""

from __future__ import annotations

from headrace.lake.table.pin import Field
from headrace.model.dynamic_table import Definition, Source
from headrace.model.names import TableName
from headrace.refresh.column_meaning import reassigned_column

T, U = TableName("lake", "s", "t"), TableName("lake", "s", "u")


def fields(text: str) -> tuple[Field, ...]:
    """``id a b`` as fields 1, 2, 3; ``a:7`` has the id 7."""
    found = []
    for number, part in enumerate(text.split(), 1):
        name, _, given = part.partition(":")
        found.append(Field(int(given or number), name, "int"))
    return tuple(found)


def meaning(query: str, before: str, now: str) -> str | None:
    """With table t, whose schemas are given, and table u of the columns k and b."""
    known = tuple(field.name for field in fields(before))
    definition = Definition(query, query, query, (Source(T, known), Source(U, ("k", "b"))), False)
    u = fields("k b")
    return reassigned_column(definition, {T: fields(before), U: u}, {T: fields(now), U: u})


def test_swapped_names() -> None:
    swapped = ("id a b", "id b a")
    told = "column a of lake.s.t is another column than at the last refresh"
    assert told in str(meaning("SELECT id, a FROM lake.s.t", *swapped))
    assert told in str(meaning("SELECT * FROM lake.s.t", *swapped))
    assert told in str(meaning("SELECT id FROM lake.s.t WHERE A > 1", *swapped))
    assert told in str(meaning("SELECT sum(x) FROM lake.s.t AS q(id, x, y)", *swapped))
    assert meaning("SELECT id FROM lake.s.t", *swapped) is None
    assert meaning("SELECT u.b FROM lake.s.u", *swapped) is None


def test_a_name_given_to_a_new_column() -> None:
    renamed = ("id a b", "id a_old:2 b:3 a:4")
    assert "column a of lake.s.t" in str(meaning("SELECT a FROM lake.s.t", *renamed))
    assert meaning("SELECT b FROM lake.s.t", *renamed) is None


def test_what_changes_no_meaning() -> None:
    query = "SELECT a, b FROM lake.s.t"
    assert meaning(query, "id a b", "b:3 a:2 id:1") is None
    assert meaning(query, "id a b", "id a b c") is None
    assert meaning(query, "id a b", "id A b") is None
    assert meaning(query, "id a b", "other a b") is None


def test_a_name_that_is_found_elsewhere_since() -> None:
    """``b`` was that of t, inside; without it there, it is that of u, outside."""
    query = "SELECT k FROM lake.s.u WHERE EXISTS (SELECT 1 FROM lake.s.t WHERE b = 1)"
    assert "column b of lake.s.t" in str(meaning(query, "id a b", "id a c"))
