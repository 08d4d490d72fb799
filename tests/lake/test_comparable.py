"""Maps and variants, at any depth, as SQL of a form that GROUP BY takes."""

from __future__ import annotations

import pytest
from pyspark.sql.types import ArrayType, DataType, IntegerType, MapType, StringType, StructType, VariantType

from headrace.lake.spark.comparable import comparable

INT, VARIANT = IntegerType(), VariantType()


def variant(expression: str) -> str:
    return f"named_struct('type', schema_of_variant({expression}), 'json', to_json({expression}))"


@pytest.mark.parametrize(
    "kind", [INT, StringType(), ArrayType(INT), StructType().add("a", ArrayType(INT)).add("b", INT)]
)
def test_what_can_be_grouped_stays(kind: DataType) -> None:
    assert comparable("`c`", kind) == "`c`"


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        (VARIANT, variant("`c`")),
        (ArrayType(VARIANT), f"transform(`c`, x1 -> {variant('x1')})"),
        (
            MapType(INT, VARIANT),
            "array_sort(transform(map_entries(`c`), x1 -> "
            f"named_struct('key', x1.key, 'value', {variant('x1.value')})))",
        ),
        (
            StructType().add("a b", VARIANT).add("n", INT),
            f"IF(`c` IS NULL, NULL, named_struct('a b', {variant('`c`.`a b`')}, 'n', `c`.`n`))",
        ),
        (
            ArrayType(ArrayType(VARIANT)),
            f"transform(`c`, x1 -> transform(x1, x2 -> {variant('x2')}))",
        ),
    ],
)
def test_form(kind: DataType, form: str) -> None:
    assert comparable("`c`", kind) == form
