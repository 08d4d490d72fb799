"""Types as text, the names of their fields quoted where they must be."""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    DecimalType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)
from tests import internals

from headrace.connection import Connection
from headrace.lake.spark.spark_types import type_text


def test_names_of_fields() -> None:
    inner = StructType([StructField("a `b", IntegerType()), StructField("c", DecimalType(9, 2))])
    kind = MapType(StringType(), ArrayType(inner))
    assert type_text(kind) == "map<string,array<struct<`a ``b`:int,c:decimal(9,2)>>>"
    assert type_text(LongType()) == "bigint"


def test_spark_reads_them_again(lake: Connection) -> None:
    result = lake.sql("SELECT map('k', named_struct('odd name', 1, 'größe', array(1L))) AS m")
    (kind,) = result.types
    assert kind == "map<string,struct<`odd name`:int,`größe`:array<bigint>>>"
    assert internals.session(lake).canonical_type(kind) == kind
    assert internals.session(lake).canonical_type("INTEGER") == "int"
