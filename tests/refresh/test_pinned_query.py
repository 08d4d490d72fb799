"""A definition's text with its sources at chosen versions, and nothing else changed."""

from __future__ import annotations

from datetime import date

from headrace.lake.table.pin import Field
from headrace.model.dynamic_table import Definition, Source
from headrace.model.names import TableName
from headrace.refresh.pinned_query import SourceVersion, pinned_query

A, B = TableName("lake", "s", "a"), TableName("lake", "other", "b")
X, Y = Field(1, "x", "int"), Field(2, "y", "int")
AT = {A: "`lake`.`s`.`a` VERSION AS OF 7", B: "`lake`.`other`.`b` VERSION AS OF 7"}


Pinned = tuple[TableName, SourceVersion]


def at_7(name: TableName) -> Pinned:
    return name, SourceVersion(7, (X, Y), (X, Y))


def empty(name: TableName) -> Pinned:
    return name, SourceVersion(None, (X, Y), (X, Y))


def pin(expanded: str, *tables: Pinned, uses_current_date: bool = False) -> str:
    sources = tuple(Source(name, ("x", "y")) for name, _ in tables)
    definition = Definition("as typed", expanded, "", sources, uses_current_date)
    return pinned_query(definition, dict(tables), date(2024, 6, 1))


def test_each_occurrence_is_pinned() -> None:
    assert pin("SELECT x FROM `lake`.`s`.`a` AS l JOIN `lake`.`s`.`a` AS r USING (x)", at_7(A)) == (
        f"SELECT x FROM {AT[A]} AS l JOIN {AT[A]} AS r USING (x)"
    )


def test_comments_and_strings_stay() -> None:
    assert pin("SELECT '`lake`.`s`.`a`' -- `lake`.`s`.`a`\nFROM `lake`.`s`.`a`", at_7(A)) == (
        f"SELECT '`lake`.`s`.`a`' -- `lake`.`s`.`a`\nFROM {AT[A]}"
    )


def test_a_subquery_keeps_the_name() -> None:
    assert pin("SELECT a.x FROM `lake`.`s`.`a`", empty(A)) == (
        "SELECT a.x FROM (SELECT `x`, `y` FROM `lake`.`s`.`a` WHERE false) AS `a`"
    )


def test_a_subquery_keeps_an_alias() -> None:
    assert pin("SELECT t.x FROM `lake`.`s`.`a` t", empty(A)) == (
        "SELECT t.x FROM (SELECT `x`, `y` FROM `lake`.`s`.`a` WHERE false) t"
    )


class TestColumnsByTheirFullNames:
    FROM_A = "(SELECT `x`, `y` FROM `lake`.`s`.`a` WHERE false) AS `a`"

    def test_stay_where_the_table_keeps_its_name(self) -> None:
        assert pin("SELECT s.a.x FROM `lake`.`s`.`a`", at_7(A)) == f"SELECT s.a.x FROM {AT[A]}"

    def test_are_shortened_where_it_becomes_a_subquery(self) -> None:
        assert pin("SELECT s.a.x, lake.s.a.y, S.`A`.*, a.x FROM `lake`.`s`.`a`", empty(A)) == (
            f"SELECT `a`.x, `a`.y, `a`.*, a.x FROM {self.FROM_A}"
        )

    def test_of_other_tables_stay(self) -> None:
        text = "SELECT s.a.x, other.b.x FROM `lake`.`s`.`a` JOIN `lake`.`other`.`b` ON s.a.x = other.b.x"
        assert pin(text, empty(A), at_7(B)) == (
            f"SELECT `a`.x, other.b.x FROM {self.FROM_A} JOIN {AT[B]} ON `a`.x = other.b.x"
        )

    def test_nested_fields_and_functions_stay(self) -> None:
        assert pin("SELECT x.s.a, s.a(1), 's.a.x', t.s.a.x FROM `lake`.`s`.`a`", empty(A)) == (
            f"SELECT x.s.a, s.a(1), 's.a.x', t.s.a.x FROM {self.FROM_A}"
        )


class TestCurrentDate:
    def test_in_every_form(self) -> None:
        text = "SELECT current_date, current_date ( ), curdate(), `current_date`() FROM `lake`.`s`.`a`"
        assert pin(text, at_7(A), uses_current_date=True) == (
            f"SELECT DATE '2024-06-01', DATE '2024-06-01', DATE '2024-06-01', DATE '2024-06-01' FROM {AT[A]}"
        )

    def test_is_left_alone_in_strings_and_names(self) -> None:
        text = "SELECT 'current_date', a.current_date FROM `lake`.`s`.`a` WHERE y < current_date"
        assert pin(text, at_7(A), uses_current_date=True) == (
            f"SELECT 'current_date', a.current_date FROM {AT[A]} WHERE y < DATE '2024-06-01'"
        )
