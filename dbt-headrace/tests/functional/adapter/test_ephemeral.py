"""Ephemeral models."""

from __future__ import annotations

import re

from dbt.tests.adapter.ephemeral.test_ephemeral import (
    BaseEphemeralErrorHandling,
    BaseEphemeralMulti,
    BaseEphemeralNested,
)
from dbt.tests.fixtures.project import TestProjInfo
from dbt.tests.util import check_relations_equal, read_file, run_dbt


class TestEphemeralErrorHandling(BaseEphemeralErrorHandling):
    pass


def without_spaces(sql: str) -> str:
    return "".join(re.sub(r"\d+", "", sql).split())


class TestEphemeralMulti(BaseEphemeralMulti):
    def test_ephemeral_multi(self, project: TestProjInfo) -> None:
        run_dbt(["seed"])
        assert len(run_dbt(["run"])) == 3
        for model in ("dependent", "double_dependent", "super_dependent"):
            check_relations_equal(project.adapter, ["seed", model])
        written = read_file("target", "run", "test", "models", "double_dependent.sql")
        schema = "`lake`.`test_test_ephemeral`"
        assert without_spaces(written) == without_spaces(
            f"create or replace view {schema}.`double_dependent` as "
            "with __dbt__cte__base as (select * from test_test_ephemeral.seed), "
            "__dbt__cte__base_copy as (select * from __dbt__cte__base)"
            "-- base_copy just pulls from base. Make sure the listed"
            "-- graph of CTEs all share the same dbt_cte__base cte"
            " select * from __dbt__cte__base where gender = 'Male' union all"
            " select * from __dbt__cte__base_copy where gender = 'Female'"
        )


class TestEphemeralNested(BaseEphemeralNested):
    def test_ephemeral_nested(self, project: TestProjInfo) -> None:
        assert len(run_dbt(["run"])) == 2
        written = read_file("target", "run", "test", "models", "root_view.sql")
        schema = "`lake`.`test_test_ephemeral`"
        assert without_spaces(written) == without_spaces(
            f"create or replace view {schema}.`root_view` as "
            f"with __dbt__cte__ephemeral_level_two as (select * from {schema}.`source_table`), "
            "__dbt__cte__ephemeral as (select * from __dbt__cte__ephemeral_level_two)"
            " select * from __dbt__cte__ephemeral"
        )
