"""Copies of a seed by all materializations."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.simple_copy.test_copy_uppercase import BaseSimpleCopyUppercase
from dbt.tests.adapter.simple_copy.test_simple_copy import EmptyModelsArentRunBase, SimpleCopyBase

from headrace.connection import Connection


class TestSimpleCopyUppercase(BaseSimpleCopyUppercase):
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_lake: Connection) -> dict[str, Any]:
        return {"type": "headrace", "lake": str(dbt_lake.lake_path), "threads": 4}  # type: ignore[attr-defined]


class TestSimpleCopyBase(SimpleCopyBase):
    @pytest.mark.skip("materialized views are not supported")
    def test_simple_copy_with_materialized_views(self) -> None: ...


class TestEmptyModelsArentRunBase(EmptyModelsArentRunBase):
    pass
