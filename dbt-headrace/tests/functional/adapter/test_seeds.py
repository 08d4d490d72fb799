"""Seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt.tests.adapter.simple_seed import fixtures, seeds
from dbt.tests.adapter.simple_seed.test_seed import (
    BaseBasicSeedTests,
    BaseSeedConfigFullRefreshOff,
    BaseSeedConfigFullRefreshOn,
    BaseSeedCustomSchema,
    BaseSeedParsing,
    BaseSeedSpecificFormats,
    BaseSeedWithEmptyDelimiter,
    BaseSeedWithUniqueDelimiter,
    BaseSeedWithWrongDelimiter,
    BaseSimpleSeedEnabledViaConfig,
    BaseSimpleSeedWithBOM,
    BaseTestEmptySeed,
)
from dbt.tests.adapter.simple_seed.test_seed_type_override import BaseSimpleSeedColumnOverride
from dbt.tests.fixtures.project import TestProjInfo


class ViewsStay:
    """A view is not dropped with the table that it reads."""

    def _check_relation_end_state(self, run_result: Any, project: TestProjInfo, exists: bool) -> None:
        super()._check_relation_end_state(run_result, project, exists=True)  # type: ignore[misc]


class TestBasicSeedTests(ViewsStay, BaseBasicSeedTests):
    pass


class TestSeedConfigFullRefreshOn(ViewsStay, BaseSeedConfigFullRefreshOn):
    pass


class TestSeedConfigFullRefreshOff(BaseSeedConfigFullRefreshOff):
    pass


class TestSeedCustomSchema(BaseSeedCustomSchema):
    pass


class TestSeedWithUniqueDelimiter(BaseSeedWithUniqueDelimiter):
    pass


class TestSeedWithWrongDelimiter(BaseSeedWithWrongDelimiter):
    pass


class TestSeedWithEmptyDelimiter(BaseSeedWithEmptyDelimiter):
    pass


class TestSimpleSeedEnabledViaConfig(BaseSimpleSeedEnabledViaConfig):
    pass


class TestSeedParsing(BaseSeedParsing):
    pass


class TestSimpleSeedWithBOM(BaseSimpleSeedWithBOM):
    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project: TestProjInfo) -> None:
        project.run_sql(seeds.seeds__expected_sql)
        path = Path(project.project_root) / "seeds" / "seed_bom.csv"
        path.write_text(seeds.seed__actual_csv, encoding="utf-8-sig")


class TestSeedSpecificFormats(BaseSeedSpecificFormats):
    pass


class TestEmptySeed(BaseTestEmptySeed):
    pass


class TestSimpleSeedColumnOverride(BaseSimpleSeedColumnOverride):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        spark = {"text": "string", "integer": "bigint", "timestamp without time zone": "timestamp"}
        types = fixtures.properties__schema_yml
        for theirs, ours in spark.items():
            types = types.replace(f"type: {theirs}\n", f"type: {ours}\n")
        return {"schema.yml": types}
