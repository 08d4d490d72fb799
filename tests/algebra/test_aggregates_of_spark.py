"""Each aggregate function of Spark is known as one: as a scalar it would be computed over a change alone."""

from __future__ import annotations

import inspect
import re

import pyspark.sql.functions
import pytest
from sqlglot import exp

from headrace.algebra.functions import is_aggregate
from headrace.errors import SqlSyntaxError
from headrace.sql.queries.dialect import parse_query

_OF_DATAFRAMES_ALONE = {"count_distinct", "listagg_distinct", "string_agg_distinct", "sum_distinct"}
_LISTED = inspect.getsource(pyspark.sql.functions).split("# Aggregate Functions")[1].split("# ")[0]
AGGREGATES = sorted({*re.findall(r'"(\w+)"', _LISTED)} - _OF_DATAFRAMES_ALONE)


@pytest.mark.parametrize(
    "name", [*AGGREGATES, "approx_top_k", "approx_top_k_accumulate", "approx_top_k_combine"]
)
def test_it_is_known(name: str) -> None:
    assert len(AGGREGATES) > 60
    assert is_aggregate(_called(name))


def _called(name: str) -> exp.Expr:
    try:
        return parse_query(f"SELECT {name}(x)").expressions[0]
    except SqlSyntaxError:
        return parse_query(f"SELECT {name}(x, y)").expressions[0]
