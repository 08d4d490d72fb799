"""A source at one version, as SQL: the projection by field id, read as text."""

from __future__ import annotations

import json

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from headrace.lake.table.pin import Field, is_subquery, lost_columns, pinned, read_fields, sql_type
from headrace.model.names import TableName

T = TableName("lake", "public", "t")
A, B = Field(1, "a", "int"), Field(2, "b", "string")
AT_7 = "`lake`.`public`.`t` VERSION AS OF 7"


def struct(*fields: Field) -> dict[str, object]:
    return {
        "type": "struct",
        "fields": [
            {"id": f.id, "name": f.name, "type": f.type, "required": False}
            | ({} if f.initial_default is None else {"initial-default": f.initial_default})
            for f in fields
        ],
    }


def array(element: object) -> dict[str, object]:
    return {"type": "list", "element-id": 90, "element": element, "element-required": False}


def mapping(key: object, value: object) -> dict[str, object]:
    return {"type": "map", "key-id": 91, "key": key, "value-id": 92, "value": value, "value-required": False}


def projection(written: tuple[Field, ...], current: tuple[Field, ...], wanted: list[str]) -> str:
    """What is selected of the pinned table."""
    sql = pinned(T, 7, written, current, wanted)
    head, tail = "(SELECT ", f" FROM {AT_7})"
    assert sql.startswith(head)
    assert sql.endswith(tail)
    return sql.removeprefix(head).removesuffix(tail)


def one(before: object, after: object) -> str:
    """How a column is read whose type went from ``before`` to ``after``."""
    selected = projection((Field(1, "c", before),), (Field(1, "c", after),), ["c"])
    return selected.removesuffix(" AS `c`")


class TestColumns:
    def test_nothing_moved(self) -> None:
        assert pinned(T, 7, (A, B), (A, B), ["a", "b"]) == AT_7
        assert not is_subquery(AT_7)

    def test_the_case_of_a_name_does_not_matter(self) -> None:
        assert pinned(T, 7, (A, B), (A, B), ["A", "B"]) == AT_7

    def test_never_written(self) -> None:
        sql = pinned(T, None, (A, B), (A, B), ["a", "b"])
        assert sql == "(SELECT `a`, `b` FROM `lake`.`public`.`t` WHERE false)"
        assert is_subquery(sql)

    def test_never_written_and_altered_since(self) -> None:
        sql = pinned(T, None, (A,), (A, B), ["a", "b"])
        assert sql == "(SELECT CAST(NULL AS int) AS `a`, CAST(NULL AS string) AS `b` WHERE false)"

    def test_added_after_the_query_was_written(self) -> None:
        assert projection((A, B), (A, B), ["a"]) == "`a` AS `a`"

    def test_added_before_the_query_but_not_yet_in_a_snapshot(self) -> None:
        assert projection((A,), (A, B), ["a", "b"]) == "`a` AS `a`, CAST(NULL AS string) AS `b`"

    def test_renamed(self) -> None:
        assert projection((A,), (Field(1, "z", "int"),), ["z"]) == "`a` AS `z`"

    def test_names_swapped(self) -> None:
        swapped = (Field(1, "b", "int"), Field(2, "a", "string"))
        assert projection((A, B), swapped, ["b", "a"]) == "`a` AS `b`, `b` AS `a`"

    def test_dropped(self) -> None:
        assert projection((A, B), (A,), ["a", "b"]) == "`a` AS `a`"

    def test_dropped_and_added_again_is_another_column(self) -> None:
        again = Field(3, "b", "string")
        assert projection((A, B), (A, again), ["a", "b"]) == "`a` AS `a`, CAST(NULL AS string) AS `b`"

    def test_reordered(self) -> None:
        assert projection((A, B), (B, A), ["a", "b"]) == "`a` AS `a`, `b` AS `b`"

    def test_promoted(self) -> None:
        assert one("int", "long") == "CAST(`c` AS bigint)"
        assert one("float", "double") == "CAST(`c` AS double)"
        assert one("decimal(9, 2)", "decimal(12, 2)") == "CAST(`c` AS decimal(12,2))"

    def test_odd_names_are_quoted(self) -> None:
        odd = Field(1, "a `b", "int")
        assert projection((odd,), (Field(1, "c", "int"),), ["c"]) == "`a ``b` AS `c`"

    def test_columns_that_the_schema_no_longer_has(self) -> None:
        assert lost_columns((A, B), ["A", "b"]) == []
        assert lost_columns((B,), ["a", "b", "c"]) == ["a", "c"]


class TestDefaults:
    @pytest.mark.parametrize(
        ("kind", "default", "literal"),
        [
            ("int", 5, "CAST(5 AS int)"),
            ("long", -9999999999, "CAST(-9999999999 AS bigint)"),
            ("double", 1e-07, "CAST(1e-07 AS double)"),
            ("boolean", True, "CAST(true AS boolean)"),
            ("string", "it's \\ here", "CAST('it\\'s \\\\ here' AS string)"),
            ("decimal(9, 2)", "14.20", "CAST('14.20' AS decimal(9,2))"),
            ("date", "2024-06-01", "CAST('2024-06-01' AS date)"),
            ("timestamptz", "2024-06-01T10:00:00+00:00", "CAST('2024-06-01T10:00:00+00:00' AS timestamp)"),
            ("timestamp", "2024-06-01T10:00:00", "CAST('2024-06-01T10:00:00' AS timestamp_ntz)"),
            ("binary", "0aff", "CAST(X'0aff' AS binary)"),
            ("fixed[2]", "0aff", "CAST(X'0aff' AS binary)"),
            ("int", None, "CAST(NULL AS int)"),
        ],
    )
    def test_of_an_added_column(self, kind: str, default: object, literal: str) -> None:
        added = Field(9, "c", kind, default)
        assert projection((A,), (A, added), ["a", "c"]) == f"`a` AS `a`, {literal} AS `c`"

    def test_of_an_added_field(self) -> None:
        x, y = Field(2, "x", "int"), Field(3, "y", "int", 5)
        assert one(struct(x), struct(x, y)) == (
            "IF(`c` IS NULL, NULL, named_struct('x', `c`.`x`, 'y', CAST(5 AS int)))"
        )


class TestNested:
    X, Y = Field(2, "x", "int"), Field(3, "y", "string")

    def test_field_added(self) -> None:
        assert one(struct(self.X), struct(self.X, self.Y)) == (
            "IF(`c` IS NULL, NULL, named_struct('x', `c`.`x`, 'y', CAST(NULL AS string)))"
        )

    def test_field_renamed_and_reordered(self) -> None:
        renamed = Field(2, "it's", "int")
        assert one(struct(self.X, self.Y), struct(self.Y, renamed)) == (
            "IF(`c` IS NULL, NULL, named_struct('y', `c`.`y`, 'it\\'s', `c`.`x`))"
        )

    def test_field_dropped(self) -> None:
        assert one(struct(self.X, self.Y), struct(self.Y)) == (
            "IF(`c` IS NULL, NULL, named_struct('y', `c`.`y`))"
        )

    def test_field_promoted_two_levels_down(self) -> None:
        inner, wide = struct(self.X), struct(Field(2, "x", "long"))
        assert one(struct(Field(4, "s", inner)), struct(Field(4, "s", wide))) == (
            "IF(`c` IS NULL, NULL, named_struct('s', "
            "IF(`c`.`s` IS NULL, NULL, named_struct('x', CAST(`c`.`s`.`x` AS bigint)))))"
        )

    def test_in_a_list(self) -> None:
        assert one(array(struct(self.X)), array(struct(Field(2, "z", "int")))) == (
            "transform(`c`, x -> IF(x IS NULL, NULL, named_struct('z', x.`x`)))"
        )
        assert one(array("int"), array("long")) == "transform(`c`, x -> CAST(x AS bigint))"

    def test_in_a_list_of_lists(self) -> None:
        assert one(array(array("int")), array(array("long"))) == (
            "transform(`c`, x -> transform(x, x -> CAST(x AS bigint)))"
        )

    def test_in_a_map(self) -> None:
        before, after = mapping("string", struct(self.X)), mapping("string", struct(self.X, self.Y))
        assert one(before, after) == (
            "transform_keys(transform_values(`c`, (k, v) -> "
            "IF(v IS NULL, NULL, named_struct('x', v.`x`, 'y', CAST(NULL AS string)))), (k, v) -> k)"
        )

    def test_added_with_a_type_of_its_own(self) -> None:
        kind = struct(self.X, Field(4, "odd name", array(mapping("string", "timestamptz"))))
        assert projection((A,), (A, Field(9, "c", kind)), ["c"]) == (
            "CAST(NULL AS struct<`x`: int, `odd name`: array<map<string, timestamp>>>) AS `c`"
        )


class TestReading:
    def test_fields_of_a_schema(self) -> None:
        schema = struct(A, Field(2, "s", struct(B)), Field(3, "d", "int", 5))
        assert read_fields(json.dumps(schema)) == (A, Field(2, "s", struct(B)), Field(3, "d", "int", 5))

    @pytest.mark.parametrize(
        ("iceberg", "spark"),
        [
            ("boolean", "boolean"),
            ("long", "bigint"),
            ("timestamp", "timestamp_ntz"),
            ("timestamptz", "timestamp"),
            ("uuid", "string"),
            ("fixed[16]", "binary"),
            ("decimal(38, 18)", "decimal(38,18)"),
            ("variant", "variant"),
        ],
    )
    def test_types(self, iceberg: str, spark: str) -> None:
        assert sql_type(iceberg) == spark

    def test_what_is_no_type(self) -> None:
        with pytest.raises(ValueError, match="not an Iceberg type"):
            sql_type({"type": "tuple"})


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)


@st.composite
def evolutions(draw: st.DrawFn) -> tuple[tuple[Field, ...], tuple[Field, ...]]:
    """A schema and what it became: fields kept, renamed, moved, dropped and added, structs included."""

    def leaf(number: int) -> Field:
        kind: object = draw(st.sampled_from(["int", "string", "date"]))
        if draw(st.booleans()):
            kind = draw(st.sampled_from([struct(Field(100 + number, "x", "int")), array(kind)]))
        return Field(number, draw(names), kind)

    before = [leaf(number) for number in range(draw(st.integers(1, 4)))]
    kept = draw(st.permutations(before))[: draw(st.integers(0, len(before)))]
    renamed = [Field(f.id, draw(names) if draw(st.booleans()) else f.name, f.type) for f in kept]
    added = [leaf(50 + number) for number in range(draw(st.integers(0, 2)))]
    return tuple(before), tuple(renamed + added)


@given(evolutions())
def test_every_wanted_column_is_read_from_where_its_id_was(
    evolution: tuple[tuple[Field, ...], tuple[Field, ...]],
) -> None:
    before, after = evolution
    unique = {field.name.lower(): field for field in after}
    after = tuple(field for field in after if unique[field.name.lower()] is field)
    if not after:
        return
    sql = pinned(T, 7, before, after, [field.name for field in after])
    if not is_subquery(sql):
        assert before == after
        return
    selected = sqlglot.parse_one(sql.replace(f"{AT_7}", "t"), read="spark").find(sqlglot.exp.Select).selects
    assert [column.alias for column in selected] == [field.name for field in after]
    origins = {field.id: field.name for field in before}
    for column, field in zip(selected, after, strict=True):
        read = {found.name for found in column.find_all(sqlglot.exp.Column)}
        assert read <= {origins[field.id]} if field.id in origins else read == set()
