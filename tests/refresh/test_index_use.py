"""Whether a table lets its refreshes store indexes of keys."""

from __future__ import annotations

import pytest

from headrace.lake.lookup.key_lookup import IndexUse
from headrace.refresh.increment import index_use


@pytest.mark.parametrize("asked", list(IndexUse))
def test_by_the_property_of_the_table(asked: IndexUse) -> None:
    assert index_use({"state": asked.value}) is asked


@pytest.mark.parametrize("properties", [{}, {"state": "Bavaria"}])
def test_a_property_that_means_something_else_is_none(properties: dict[str, str]) -> None:
    assert index_use(properties) is IndexUse.AUTO
