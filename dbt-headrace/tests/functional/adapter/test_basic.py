"""What every adapter must do."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.basic import expected_catalog
from dbt.tests.adapter.basic.test_adapter_methods import BaseAdapterMethod
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations
from dbt.tests.adapter.basic.test_docs_generate import BaseDocsGenerate, BaseDocsGenReferences
from dbt.tests.adapter.basic.test_empty import BaseEmpty
from dbt.tests.adapter.basic.test_ephemeral import BaseEphemeral
from dbt.tests.adapter.basic.test_generic_tests import BaseGenericTests
from dbt.tests.adapter.basic.test_get_catalog_for_single_relation import BaseGetCatalogForSingleRelation
from dbt.tests.adapter.basic.test_incremental import (
    BaseIncremental,
    BaseIncrementalBadStrategy,
    BaseIncrementalNotSchemaChange,
)
from dbt.tests.adapter.basic.test_singular_tests import BaseSingularTests
from dbt.tests.adapter.basic.test_singular_tests_ephemeral import BaseSingularTestsEphemeral
from dbt.tests.adapter.basic.test_snapshot_check_cols import BaseSnapshotCheckCols
from dbt.tests.adapter.basic.test_snapshot_timestamp import BaseSnapshotTimestamp
from dbt.tests.adapter.basic.test_table_materialization import BaseTableMaterialization
from dbt.tests.adapter.basic.test_validate_connection import BaseValidateConnection
from dbt.tests.fixtures.project import TestProjInfo
from dbt.tests.util import AnyInteger, AnyString
from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, TableMetadata

TYPES = {
    "id_type": "bigint",
    "text_type": "string",
    "time_type": "timestamp",
    "view_type": "VIEW",
    "table_type": "BASE TABLE",
}


def statistics(rows: int) -> dict[str, Any]:
    """Of a table, as docs show them."""

    def shown(name: str, label: str, value: Any) -> dict[str, Any]:
        return {"id": name, "label": label, "value": value, "description": AnyString(), "include": True}

    has_stats = {**expected_catalog.no_stats()["has_stats"], "value": True}
    return {
        "has_stats": has_stats,
        "row_count": shown("row_count", "Rows", rows),
        "bytes": shown("bytes", "Bytes", AnyInteger()),
        "last_modified": shown("last_modified", "Last changed", AnyString()),
    }


def catalog_table(project: TestProjInfo, name: str, kind: str) -> CatalogTable:
    types = {
        "id": "bigint",
        "first_name": "string",
        "email": "string",
        "ip_address": "string",
        "updated_at": "timestamp",
    }
    columns = {
        column: ColumnMetadata(type=type_, index=at, name=column)
        for at, (column, type_) in enumerate(types.items(), 1)
    }
    about = TableMetadata(type=kind, schema=project.test_schema, name=name, database=project.database)
    return CatalogTable(metadata=about, columns=columns, stats={})


class TestAdapterMethod(BaseAdapterMethod):
    pass


class TestSimpleMaterializations(BaseSimpleMaterializations):
    pass


class TestDocsGenerate(BaseDocsGenerate):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project: TestProjInfo) -> Any:
        stats = {"model_stats": expected_catalog.no_stats(), "seed_stats": statistics(1)}
        return expected_catalog.base_expected_catalog(project, role=None, **TYPES, **stats)


class TestDocsGenReferences(BaseDocsGenReferences):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project: TestProjInfo) -> Any:
        stats = {
            "model_stats": statistics(1),
            "seed_stats": statistics(1),
            "view_summary_stats": expected_catalog.no_stats(),
        }
        return expected_catalog.expected_references_catalog(
            project, role=None, bigint_type="bigint", **TYPES, **stats
        )


class TestEmpty(BaseEmpty):
    pass


class TestEphemeral(BaseEphemeral):
    pass


class TestGenericTests(BaseGenericTests):
    pass


class TestGetCatalogForSingleRelation(BaseGetCatalogForSingleRelation):
    @pytest.fixture(scope="class")
    def expected_catalog_my_seed(self, project: TestProjInfo) -> CatalogTable:
        return catalog_table(project, "my_seed", "BASE TABLE")

    @pytest.fixture(scope="class")
    def expected_catalog_my_view_model(self, project: TestProjInfo) -> CatalogTable:
        return catalog_table(project, "my_view_model", "VIEW")


class TestIncremental(BaseIncremental):
    pass


class TestIncrementalNotSchemaChange(BaseIncrementalNotSchemaChange):
    pass


class TestIncrementalBadStrategy(BaseIncrementalBadStrategy):
    pass


class TestSingularTests(BaseSingularTests):
    pass


class TestSingularTestsEphemeral(BaseSingularTestsEphemeral):
    pass


class TestSnapshotCheckCols(BaseSnapshotCheckCols):
    pass


class TestSnapshotTimestamp(BaseSnapshotTimestamp):
    pass


class TestTableMaterialization(BaseTableMaterialization):
    pass


class TestValidateConnection(BaseValidateConnection):
    pass
